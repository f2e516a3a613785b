"""Prometheus metrics. No label ever holds text out of a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest
from prometheus_client import Counter as PrometheusCounter
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from arwarden.core.counters import Counters

_BUCKETS_S = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)

_RATING_BUCKETS = (1.0, 2.0, 3.0, 4.0, 5.0)

_JUDGE_BUCKETS_S = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 60.0)


class Metrics:
    """Every metric of one daemon, in a registry of its own."""

    def __init__(self, counters: Counters) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(_CountersCollector(counters))
        self.capture_to_publish_s = Histogram(
            "arwarden_capture_to_publish_seconds",
            "Age of an alert when it was handed to the broker.",
            buckets=_BUCKETS_S,
            registry=self.registry,
        )
        self.stage_s = Histogram(
            "arwarden_stage_seconds",
            "Time spent per stage of the pipeline.",
            ["stage"],
            buckets=_BUCKETS_S,
            registry=self.registry,
        )
        self.alerts = PrometheusCounter(
            "arwarden_alert_messages",
            "Alert messages handed to the broker.",
            ["kind", "state", "late"],
            registry=self.registry,
        )
        self.frames = PrometheusCounter(
            "arwarden_frames",
            "Frames by what became of them.",
            ["outcome"],
            registry=self.registry,
        )

        self.opinions = PrometheusCounter(
            "arwarden_judge_outcomes",
            "What came of second opinions, by judge and by what the alert is about: what each tier is worth.",
            ["judge", "kind", "attribute", "outcome"],
            registry=self.registry,
        )
        self.judge_s = Histogram(
            "arwarden_judge_seconds",
            "Time from a question to its answer, or to the end of waiting for it.",
            ["judge", "verdict"],
            buckets=_JUDGE_BUCKETS_S,
            registry=self.registry,
        )

        self.adjustments = PrometheusCounter(
            "arwarden_adjustment_messages",
            "Corrections of objects handed to the broker.",
            ["action"],
            registry=self.registry,
        )
        self.adjustment_effects = PrometheusCounter(
            "arwarden_adjustment_effects",
            "What corrections did, by the judge's ratings before and after: improved, unchanged, worse.",
            ["factor", "effect"],
            registry=self.registry,
        )
        self.object_ratings = Histogram(
            "arwarden_object_rating",
            "What the judge says of the app's objects, 1 to 5.",
            ["factor"],
            buckets=_RATING_BUCKETS,
            registry=self.registry,
        )

    def gauge(self, name: str, help_text: str, read: Callable[[], float]) -> None:
        """A gauge that is read when somebody scrapes."""
        Gauge(f"arwarden_{name}", help_text, registry=self.registry).set_function(read)

    def render(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return generate_latest(self.registry)


class _CountersCollector(Collector):
    """Shows the named counters of the rooms as one metric with a label."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters

    def collect(self) -> Iterable[CounterMetricFamily]:
        family = CounterMetricFamily(
            "arwarden_counted", "What was dropped, refused or late, by name.", labels=["name"]
        )
        for name, count in sorted(self._counters.snapshot().items()):
            family.add_metric([name], count)
        yield family

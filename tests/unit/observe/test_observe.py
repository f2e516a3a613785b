from __future__ import annotations

import asyncio
import json
import logging

import pytest
import structlog

from arwarden.config import LoggingConfig
from arwarden.core.counters import Counters
from arwarden.observe.events import MAX_WATCHERS, WATCHER_QUEUE_EVENTS, EventStream, TooManyWatchers
from arwarden.observe.latency import LoopLag, RecentLatency, RecentRate
from arwarden.observe.logs import configure_logging
from arwarden.observe.metrics import Metrics


async def test_every_watcher_sees_every_event() -> None:
    stream = EventStream(Counters())
    first, second = stream.watch(), stream.watch()
    waiting = [asyncio.ensure_future(anext(first)), asyncio.ensure_future(anext(second))]
    await asyncio.sleep(0)
    stream.emit({"type": "x"})
    assert await asyncio.gather(*waiting) == [{"type": "x"}, {"type": "x"}]
    await first.aclose()
    await second.aclose()
    assert not stream.watched


async def test_a_slow_watcher_loses_the_oldest_and_it_is_counted() -> None:
    counters = Counters()
    stream = EventStream(counters)
    watcher = stream.watch()
    first = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    for number in range(WATCHER_QUEUE_EVENTS + 3):
        stream.emit({"type": "x", "number": number})
    assert (await first)["number"] == 3
    assert counters["events.overflow"] == 3
    await watcher.aclose()


async def test_watchers_are_bounded() -> None:
    stream = EventStream(Counters())
    watchers = [stream.watch() for _ in range(MAX_WATCHERS)]
    waiting = [asyncio.ensure_future(anext(watcher)) for watcher in watchers]
    await asyncio.sleep(0)
    with pytest.raises(TooManyWatchers, match="watchers"):
        await anext(stream.watch())
    for future in waiting:
        future.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


def test_recent_alerts_are_kept_for_late_comers() -> None:
    stream = EventStream(Counters())
    for number in range(60):
        stream.emit({"type": "alert", "number": number})
        stream.emit({"type": "sample", "number": number})
    assert [event["number"] for event in stream.recent_alerts()] == list(range(10, 60))


def test_latency_percentiles_forget_after_a_minute() -> None:
    recent = RecentLatency()
    assert recent.percentile(0.5, 0.0) is None
    for value in (10.0, 20.0, 30.0):
        recent.add(value, 1000.0)
    assert recent.percentile(0.5, 2000.0) == 20.0
    recent.add(100.0, 70_000.0)
    assert recent.percentile(0.5, 70_000.0) == 100.0


def test_rate_over_two_seconds() -> None:
    rate = RecentRate()
    for index in range(60):
        rate.add(index * 1000.0 / 30.0)
    assert rate.per_second(2000.0) == pytest.approx(30.0, abs=1.0)
    assert rate.per_second(10_000.0) == 0.0


async def test_loop_lag_sees_a_blocking_call() -> None:
    lag = LoopLag()
    task = asyncio.create_task(lag.run())
    await asyncio.sleep(0.06)
    import time

    time.sleep(0.2)  # noqa: ASYNC251  the blocking call that is to be noticed
    await asyncio.sleep(0.06)
    task.cancel()
    await asyncio.wait({task})
    assert lag.worst_ms > 100.0
    assert lag.p95_ms() > 50.0


def test_metrics_show_named_counters_and_gauges() -> None:
    counters = Counters()
    metrics = Metrics(counters)
    counters.add("frames.stale", 7)
    metrics.gauge("things", "Things.", lambda: 3.0)
    metrics.alerts.labels("contradiction", "raised", "false").inc()
    text = metrics.render().decode()
    assert 'arwarden_counted_total{name="frames.stale"} 7.0' in text
    assert "arwarden_things 3.0" in text
    assert 'arwarden_alert_messages_total{kind="contradiction",late="false",state="raised"} 1.0' in text


@pytest.fixture
def restored_logging() -> object:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield None
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.mark.usefixtures("restored_logging")
def test_logs_are_json_and_hide_what_is_private(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingConfig(level="info", format="json"))
    structlog.get_logger("x").info("alert_raised", text="Made in France", token="hush", alert_id="a")
    structlog.get_logger("x").debug("invisible")
    logging.getLogger("a.library").warning("careful")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert lines[0]["event"] == "alert_raised"
    assert lines[0]["text"] == lines[0]["token"] == "[hidden]"
    assert lines[0]["alert_id"] == "a"
    assert lines[1]["event"] == "careful"
    assert len(lines) == 2


@pytest.mark.usefixtures("restored_logging")
def test_debug_logs_show_private_attributes(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingConfig(level="debug", format="json"))
    structlog.get_logger("x").debug("read", text="Made in France")
    assert json.loads(capsys.readouterr().err)["text"] == "Made in France"

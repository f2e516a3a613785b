from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import quantiles

import cv2
import numpy as np
import pytest

from arwarden.config import FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError, DeadlineExceeded, ModelError, TierError
from arwarden.core.findings import ElementType, Finding, FindingKind, Findings, Measure, Severity
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame, TransportHealth, View
from arwarden.core.tier import SceneContext, Tier
from arwarden.fast import FastTier, models_in_use
from arwarden.fast import tier as tier_module
from arwarden.fast.ocr.base import ModelFile, TextLine
from tests.support.requirements import shared_file
from tests.unit.fast.drawing import SKY, Drawn, scene, text_line

CLOCK = SystemClock()
COMPOSITED = SceneContext("quest", View.COMPOSITED)
PASSTHROUGH = SceneContext("quest", View.PASSTHROUGH)
CONFIG = FastConfig(elements=False, pairs=False)  # what the networks add: test_tier_{elements,pairs}.py


class FakeReader:
    """Reads what it was told to read, as slowly or badly as it was told to."""

    def __init__(self, *lines: TextLine) -> None:
        self.lines = list(lines)
        self.act: Callable[[], None] = lambda: None
        self.shapes: list[tuple[int, ...]] = []
        self.closely: list[bool] = []
        self.warm = self.closed = False

    @property
    def name(self) -> str:
        return "fake"

    def models_in_use(self) -> Sequence[ModelFile]:
        return [ModelFile("fake.onnx", Path("fake.onnx"), "0" * 64, "Apache-2.0")]

    def warm_up(self) -> None:
        self.warm = True

    def close(self) -> None:
        self.closed = True

    def read(self, rgb: ByteImage, *, closely: bool = False) -> list[TextLine]:
        self.closely.append(closely)
        self.shapes.append(rgb.shape)
        self.act()
        return self.lines


NETHERLANDS = [text_line("Made in the", 400, 200, 240, 44), text_line("Netherlands", 400, 246, 240, 44)]
FRANCE = text_line("Made in France", 700, 500, 300, 44)


def frame(picture: ByteImage | None = None, *, session: str = "s1", sequence: int = 1) -> Frame:
    rgb = picture if picture is not None else scene()
    now_ms = CLOCK.now_ms()
    return Frame(session, sequence, now_ms, CaptureClock.ARRIVAL, now_ms, ArrayPicture(rgb))


def wait_for(event: threading.Event) -> None:
    event.wait(10)


def soon(in_ms: float = 60_000) -> float:
    return CLOCK.now_ms() + in_ms


def contradictions(findings: Findings) -> list[set[str]]:
    return [
        {element.text for element in finding.elements}
        for finding in findings.findings
        if finding.kind is FindingKind.CONTRADICTION
    ]


@pytest.fixture
async def make() -> AsyncIterator[Callable[..., FastTier]]:
    made: list[FastTier] = []

    def open_tier(reader: FakeReader, config: FastConfig = CONFIG, **options: object) -> FastTier:
        made.append(FastTier(config, CLOCK, reader, **options))  # type: ignore[arg-type]
        return made[-1]

    yield open_tier
    for tier in made:
        await tier.close()


@pytest.fixture(scope="module")
def real() -> Iterator[FastTier]:
    tier = FastTier(CONFIG, CLOCK)
    yield tier
    tier.close_now()


Make = Callable[..., FastTier]


def test_it_is_a_tier() -> None:
    tier: Tier = FastTier(CONFIG, CLOCK, FakeReader())
    assert tier.name == "fast"


# The path from lines to findings ------------------------------------------------------------------


async def test_lines_become_elements_with_claims_and_a_contradiction(make: Make) -> None:
    reader = FakeReader(*NETHERLANDS, FRANCE)
    findings = await make(reader).analyse([frame(np.full((720, 1280, 3), 90, np.uint8))], COMPOSITED, soon())
    assert [element.text for element in findings.elements] == ["Made in the Netherlands", "Made in France"]
    assert all(element.type is ElementType.TEXT for element in findings.elements)
    assert [claim.attribute for claim in findings.elements[0].claims] == ["origin"]
    assert findings.elements[0].confidence == pytest.approx(0.99)
    assert findings.elements[0].box == pytest.approx((400 / 1280, 200 / 720, 240 / 1280, 90 / 720), abs=1e-6)
    assert contradictions(findings) == [{"Made in the Netherlands", "Made in France"}]


async def test_the_last_frame_is_judged(make: Make) -> None:
    reader = FakeReader()
    await make(reader).analyse([frame(scene(320, 180)), frame(scene(640, 360))], COMPOSITED, soon())
    assert reader.shapes == [(360, 640, 3)]


async def test_stages_are_timed(make: Make) -> None:
    reader = FakeReader(FRANCE)
    reader.act = lambda: time.sleep(0.03)
    findings = await make(reader).analyse([frame()], COMPOSITED, soon())
    assert set(findings.stages_ms) == {"queue", "motion", "ocr", "panels", "claims", "turns", "quality"}
    assert findings.stages_ms["ocr"] >= 29
    assert all(spent >= 0 for spent in findings.stages_ms.values())
    measured = {measure.name for measure in findings.quality}
    assert len(measured) == len(findings.quality) > 3


async def test_both_ways_to_ask_give_the_same_answer(make: Make) -> None:
    tier, asked = make(FakeReader(*NETHERLANDS, FRANCE)), frame()
    later, now = await tier.analyse([asked], COMPOSITED, soon()), tier.analyse_now(asked, COMPOSITED)
    assert later.elements == now.elements
    assert contradictions(later) == contradictions(now) != []
    assert later.quality == now.quality
    assert set(later.stages_ms) - set(now.stages_ms) == {"queue"}


async def test_unsure_lines_are_left_out_and_counted(make: Make) -> None:
    counters = Counters()
    unsure = text_line("Made in France", 700, 500, 300, 44, confidence=0.5)
    tier = make(FakeReader(*NETHERLANDS, unsure), counters=counters)
    findings = tier.analyse_now(frame(np.full((720, 1280, 3), 90, np.uint8)), COMPOSITED)
    assert [element.text for element in findings.elements] == ["Made in the Netherlands"]
    assert contradictions(findings) == []
    assert counters["ocr.lines_unsure"] == 1


async def test_a_passthrough_view_is_measured_but_not_read(make: Make) -> None:
    reader = FakeReader(*NETHERLANDS, FRANCE)
    findings = await make(reader).analyse([frame()], PASSTHROUGH, soon())
    assert reader.shapes == []
    assert findings.elements == ()
    assert contradictions(findings) == []
    assert findings.quality != ()
    assert set(findings.stages_ms) == {"queue", "quality"}


async def test_an_unknown_view_is_read(make: Make) -> None:
    reader = FakeReader(*NETHERLANDS, FRANCE)
    findings = await make(reader).analyse([frame()], SceneContext("quest"), soon())
    assert len(contradictions(findings)) == 1


async def test_quality_can_be_switched_off(make: Make) -> None:
    findings = make(FakeReader(), FastConfig(quality=False, elements=False, pairs=False)).analyse_now(
        frame(), COMPOSITED
    )
    assert findings.quality == ()
    assert "quality" not in findings.stages_ms


BLUR = Finding(FindingKind.QUALITY, "blur", "blur", Severity.INFO, "The picture is blurred.", 0.9)


class FakeJudge:
    """Calls every picture blurred, and remembers what it was told about it."""

    def __init__(self) -> None:
        self.told: list[tuple[TransportHealth, bool]] = []

    def judge(
        self, measured: Sequence[Measure], transport: TransportHealth, *, size_settled: bool
    ) -> tuple[Finding, ...]:
        assert measured
        self.told.append((transport, size_settled))
        return (BLUR,)


async def test_faults_come_after_contradictions_and_know_the_transport(make: Make) -> None:
    tier, judge = make(FakeReader(*NETHERLANDS, FRANCE)), FakeJudge()
    tier._judge = judge  # type: ignore[assignment]
    damaged = replace(frame(), transport=TransportHealth(damaged=True))
    findings = tier.analyse_now(damaged, COMPOSITED)
    assert [finding.kind for finding in findings.findings] == [FindingKind.CONTRADICTION, FindingKind.QUALITY]
    assert judge.told == [(damaged.transport, True)]


async def test_a_stream_settles_its_size_and_a_file_has_it(make: Make) -> None:
    tier, judge = make(FakeReader()), FakeJudge()
    tier._judge = judge  # type: ignore[assignment]
    large, small = scene(640, 360), scene(320, 180)
    for after_ms, picture, session in (
        (0, large, "s1"),
        (4000, large, "s1"),
        (4100, large, "s2"),
        (9000, small, "s1"),
    ):
        arrival_ms = 1_700_000_000_000.0 + after_ms
        await tier.analyse(
            [replace(frame(picture, session=session), arrival_ms=arrival_ms)], COMPOSITED, soon()
        )
    tier.analyse_now(frame(small), COMPOSITED)
    assert [settled for _, settled in judge.told] == [False, True, False, False, True]


async def test_sizes_of_old_sessions_are_forgotten(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tier_module, "MAX_SESSIONS_REMEMBERED", 2)
    tier = make(FakeReader(), FastConfig(quality=False, elements=False, pairs=False))
    for session in ("a", "b", "a", "c"):
        await tier.analyse([frame(session=session)], COMPOSITED, soon())
    assert list(tier._sizes) == ["a", "c"]


# Faults ------------------------------------------------------------------------------------------


async def test_no_frame_is_refused(make: Make) -> None:
    with pytest.raises(TierError, match="no frame"):
        await make(FakeReader()).analyse([], COMPOSITED, soon())


async def test_a_broken_inference_is_a_tier_error_and_the_next_one_works(make: Make) -> None:
    counters, reader = Counters(), FakeReader(FRANCE)
    tier = make(reader, counters=counters)

    def broken() -> None:
        raise ZeroDivisionError

    reader.act = broken
    with pytest.raises(TierError, match="broke on a picture: ZeroDivisionError"):
        await tier.analyse([frame()], COMPOSITED, soon())
    with pytest.raises(TierError, match="ZeroDivisionError"):
        tier.analyse_now(frame(), COMPOSITED)
    assert counters["fast.broken"] == 2
    reader.act = lambda: None
    assert len((await tier.analyse([frame()], COMPOSITED, soon())).elements) == 1


async def test_a_picture_that_cannot_be_converted_is_a_tier_error(make: Make) -> None:
    class Broken(ArrayPicture):
        def rgb(self) -> ByteImage:
            msg = "the decoder's buffer is gone"
            raise MemoryError(msg)

    shown = frame()
    bad = replace(shown, picture=Broken(shown.picture.rgb()))
    with pytest.raises(TierError, match="MemoryError"):
        make(FakeReader()).analyse_now(bad, COMPOSITED)


async def test_an_unchanged_picture_is_read_more_closely(make: Make) -> None:
    reader = FakeReader()
    tier = make(reader)
    await tier.analyse([frame()], COMPOSITED, soon())
    await tier.analyse([frame()], replace(COMPOSITED, closely=True), soon())
    assert reader.closely == [False, True]


async def test_queued_past_its_deadline(make: Make) -> None:
    go_on, reader = threading.Event(), FakeReader()
    tier = make(reader)
    reader.act = lambda: wait_for(go_on)
    first = asyncio.create_task(tier.analyse([frame()], COMPOSITED, soon()))
    await asyncio.sleep(0.05)
    with pytest.raises(DeadlineExceeded):
        await tier.analyse([frame()], COMPOSITED, soon(80))
    go_on.set()
    await first
    assert len(reader.shapes) == 1


async def test_each_session_has_one_place_beside_the_threads(make: Make) -> None:
    go_on, reader = threading.Event(), FakeReader()
    tier = make(reader, sessions=2)
    reader.act = lambda: wait_for(go_on)
    tasks = [asyncio.create_task(tier.analyse([frame()], COMPOSITED, soon())) for _ in range(3)]
    await asyncio.sleep(0.05)
    with pytest.raises(TierError, match="3 pictures wait"):
        await tier.analyse([frame()], COMPOSITED, soon())
    go_on.set()
    await asyncio.gather(*tasks)


async def test_closing_lets_go_of_the_reader(make: Make) -> None:
    reader = FakeReader()
    tier = make(reader)
    await tier.close()
    assert reader.closed
    with pytest.raises(TierError, match="closed"):
        await tier.analyse([frame()], COMPOSITED, soon())


# Start -------------------------------------------------------------------------------------------


def test_the_engine_is_warm_when_the_tier_is_there() -> None:
    reader = FakeReader()
    tier = FastTier(CONFIG, CLOCK, reader)
    assert reader.warm
    assert [model.name for model in tier.models_in_use()] == ["fake.onnx"]
    tier.close_now()
    assert reader.closed


def test_an_engine_that_does_not_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_self: FakeReader) -> None:
        msg = "illegal instruction"
        raise RuntimeError(msg)

    monkeypatch.setattr(FakeReader, "warm_up", broken)
    with pytest.raises(ModelError, match="engine fake does not run on this machine: illegal instruction"):
        FastTier(CONFIG, CLOCK, FakeReader())


def test_an_unknown_language_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError):
        FastTier(FastConfig(languages=("tlh",)), CLOCK, FakeReader())


def test_threads_do_not_exceed_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0, 1, 2})
    within = tier_module._within_cores
    assert within(FastConfig(threads=3)).threads == 3
    assert within(FastConfig(threads=16)).threads == 3


# With the real engine ----------------------------------------------------------------------------


def test_real_models_are_the_ones_the_doctor_names(real: FastTier) -> None:
    assert list(real.models_in_use()) == list(models_in_use(CONFIG))


def test_two_panels_that_contradict_are_found_in_a_picture(real: FastTier) -> None:
    picture = scene(
        1280,
        720,
        Drawn("Made in the\nNetherlands", 200, 120, 40),
        Drawn("Made in France", 760, 420, 40, ground=SKY),
    )
    findings = real.analyse_now(frame(picture), COMPOSITED)
    assert contradictions(findings) == [{"Made in the Netherlands", "Made in France"}]
    assert {finding.attribute for finding in findings.findings if finding.elements} == {"origin"}


def test_two_panels_that_agree_are_not(real: FastTier) -> None:
    picture = scene(
        1280, 720, Drawn("Made in France", 200, 120, 40), Drawn("Made in France", 760, 420, 40, ground=SKY)
    )
    findings = real.analyse_now(frame(picture), COMPOSITED)
    assert len(findings.elements) == 2
    assert contradictions(findings) == []


@pytest.mark.parametrize("value", [0, 127, 255])
def test_a_frame_without_content_contradicts_nothing(real: FastTier, value: int) -> None:
    findings = real.analyse_now(frame(np.full((720, 1280, 3), value, dtype=np.uint8)), COMPOSITED)
    assert findings.elements == ()
    assert contradictions(findings) == []


@pytest.mark.parametrize("shape", [(1, 1), (500, 3), (31, 2000)])
def test_odd_sizes_are_survived(real: FastTier, shape: tuple[int, int]) -> None:
    picture = np.random.default_rng(1).integers(0, 255, (*shape, 3), dtype=np.uint8)
    assert contradictions(real.analyse_now(frame(picture), COMPOSITED)) == []


async def test_the_event_loop_stays_free_while_pictures_are_read(real: FastTier) -> None:
    picture = frame(scene(1280, 720, Drawn("Door locked", 200, 120, 40), Drawn("Turn left", 700, 400, 40)))
    lags: list[float] = []

    async def tick() -> None:
        while True:
            due = time.perf_counter() + 0.005
            await asyncio.sleep(0.005)
            lags.append((time.perf_counter() - due) * 1000)

    ticking = asyncio.create_task(tick())
    begun = time.perf_counter()
    for _ in range(5):
        await real.analyse([picture], COMPOSITED, soon())
    spent_ms = (time.perf_counter() - begun) * 1000
    ticking.cancel()
    # Held by the interpreter lock, the loop would tick five times; free, it ticks every few milliseconds.
    assert len(lags) > spent_ms / 40
    assert quantiles(lags, n=20)[-1] < spent_ms / 5


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("indoor_navigation_contradictory", ["RESTROOM", "Wheelchair Not Accessible"]),
        ("indoor_navigation_consistent", ["Wheelchair Accessible"]),
        ("smart_retail_contradictory", ["Made in the Netherlands", "Origin"]),
        ("smart_retail_consistent", ["Made in France", "Origin"]),
    ],
)
def test_real_panels_are_whole(real: FastTier, name: str, texts: list[str]) -> None:
    picture = cv2.imread(str(shared_file(f"data/contrar/{name}.png")))
    assert picture is not None
    rgb = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), dtype=np.uint8)
    found = [element.text for element in real.analyse_now(frame(rgb), COMPOSITED).elements]
    for text in texts:
        assert any(one.startswith(text) for one in found), found

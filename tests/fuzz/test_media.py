"""Whatever the network or a client does to packets: whole frames in order, or none, and no exception."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.core.clock import VirtualClock
from arwarden.core.counters import Counters
from arwarden.ingest.assembler import CAPACITY_PACKETS, FrameAssembler, Packet
from arwarden.ingest.clock_channel import ClockChannel
from arwarden.ingest.clock_sync import SenderTimes
from arwarden.ingest.payloads import h264_role, vp8_role
from arwarden.ingest.staleness import Staleness

WAIT_MS = 300.0
STEP_MS = 7.0


@st.composite
def journeys(draw: st.DrawFn) -> tuple[list[bytes], list[Packet]]:
    """Frames, and their packets as they arrive: some lost, some doubled, some late."""
    counts = draw(st.lists(st.integers(1, 12), min_size=1, max_size=25))
    start = draw(st.integers(0, 65_535))
    marked = draw(st.booleans())
    frames: list[bytes] = []
    arrivals: list[tuple[float, Packet]] = []
    position = 0
    for number, count in enumerate(counts):
        pieces = [f"{number}.{index};".encode() for index in range(count)]
        frames.append(b"".join(pieces))
        for index, data in enumerate(pieces):
            packet = Packet(
                source=1,
                sequence=(start + position) & 0xFFFF,
                timestamp=(number * 3000) & 0xFFFFFFFF,
                marker=marked and index == count - 1,
                data=data,
                starts_frame=index == 0 and draw(st.booleans()),
                keyframe=number == 0,
                codec="VP8",
                arrival_ms=0.0,
            )
            copies = draw(st.sampled_from([1, 1, 1, 1, 1, 0, 2]))
            for _ in range(copies):
                delay = draw(st.sampled_from([0.0, 0.0, 0.0, 5.0, 40.0, 400.0]))
                arrivals.append((position + delay, packet))
            position += 1
    arrivals.sort(key=lambda arrival: arrival[0])
    return frames, [packet for _, packet in arrivals]


@settings(max_examples=100, deadline=None)
@given(journeys())
def test_only_whole_frames_leave_and_in_order(journey: tuple[list[bytes], list[Packet]]) -> None:
    frames, packets = journey
    assembler = FrameAssembler(WAIT_MS)
    out = []
    now_ms = 0.0
    for packet in packets:
        now_ms += STEP_MS
        out += assembler.expire(now_ms)
        out += assembler.add(packet._replace(arrival_ms=now_ms))
        assembler.to_ask_again(now_ms)
    out += assembler.expire(now_ms + 10 * WAIT_MS)
    numbers = [frames.index(frame.data) for frame in out]
    assert numbers == sorted(set(numbers))
    assert not assembler._waiting
    assert all(frame.arrival_ms <= now_ms for frame in out)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.integers(0, 65_535),
            st.integers(0, 2**32 - 1),
            st.booleans(),
            st.binary(max_size=3),
            st.booleans(),
        ),
        max_size=200,
    )
)
def test_random_packets(packets: list[tuple[int, int, int, bool, bytes, bool]]) -> None:
    assembler = FrameAssembler(WAIT_MS)
    for number, (source, sequence, timestamp, marker, data, starts) in enumerate(packets):
        now_ms = number * STEP_MS
        assembler.add(Packet(source, sequence, timestamp, marker, data, starts, starts, "VP8", now_ms))
        assembler.expire(now_ms)
        assembler.to_ask_again(now_ms)
        assert len(assembler._waiting) <= CAPACITY_PACKETS


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=64))
def test_random_payloads(payload: bytes) -> None:
    vp8_role(payload)
    h264_role(payload)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=200), st.binary(max_size=200)), max_size=20))
def test_random_clock_messages(messages: list[str | bytes]) -> None:
    sent: list[str] = []
    counters = Counters()

    def send(text: str) -> bool:
        sent.append(text)
        return True

    channel = ClockChannel(
        send=send,
        clock=VirtualClock(),
        counters=counters,
        on_view=lambda _view: None,
        on_offset=lambda _offset: None,
    )
    for message in messages:
        channel.on_message(message)
    assert sum(counters.snapshot().values()) + len(sent) == len(messages)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)), max_size=30))
def test_random_sender_reports(reports: list[tuple[int, int]]) -> None:
    times = SenderTimes()
    for rtp_timestamp, ntp in reports:
        times.add(rtp_timestamp, ntp)
        times.wall_ms(rtp_timestamp)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(0, 1e5)), min_size=1, max_size=60))
def test_steady_stream_after_anything_is_fresh_within_half_a_second(steps: list[tuple[float, float]]) -> None:
    staleness = Staleness(500.0)
    now_ms = media_ms = 0.0
    for media_step_ms, wall_step_ms in steps:
        now_ms += wall_step_ms
        media_ms += media_step_ms
        staleness.judge(media_ms, now_ms)
    stale = []
    for _ in range(60):
        now_ms += 33.3
        media_ms += 33.3
        stale.append(staleness.judge(media_ms, now_ms))
    assert not any(stale[15:]), stale

"""Frames leave whole, at once, in order, or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from arwarden.ingest.assembler import (
    ASK_AGAIN_MS,
    ASK_AT_ONCE,
    CAPACITY_PACKETS,
    LATE_LIMIT,
    EncodedFrame,
    FrameAssembler,
    Packet,
)

WAIT_MS = 300.0


def packet(
    sequence: int,
    timestamp: int,
    *,
    first: bool = False,
    last: bool = False,
    key: bool = False,
    data: bytes = b"x",
    source: int = 1,
    at_ms: float = 0.0,
) -> Packet:
    return Packet(
        source=source,
        sequence=sequence & 0xFFFF,
        timestamp=timestamp & 0xFFFFFFFF,
        marker=last,
        data=data,
        starts_frame=first,
        keyframe=key,
        codec="VP8",
        arrival_ms=at_ms,
    )


def frames_of(counts: list[int], *, start: int = 0, timestamp: int = 0) -> list[list[Packet]]:
    """Frames of so many packets each; the data names frame and packet."""
    made = []
    for number, count in enumerate(counts):
        made.append(
            [
                packet(
                    start + index,
                    timestamp + number * 3000,
                    first=index == 0,
                    last=index == count - 1,
                    key=number == 0 and index == 0,
                    data=f"{number}.{index};".encode(),
                )
                for index in range(count)
            ]
        )
        start += count
    return made


def whole(frame: list[Packet]) -> bytes:
    return b"".join(each.data for each in frame)


def feed(assembler: FrameAssembler, packets: list[Packet]) -> list[EncodedFrame]:
    return [frame for each in packets for frame in assembler.add(each)]


@pytest.mark.parametrize("count", [1, 2, 127, 128, 129, 400, 1500])
def test_frame_leaves_with_its_last_packet(count: int) -> None:
    (frame,) = frames_of([count])
    assembler = FrameAssembler(WAIT_MS)
    assert feed(assembler, frame[:-1]) == []
    (out,) = assembler.add(frame[-1])
    assert out.data == whole(frame)
    assert out.packets == count
    assert out.keyframe
    assert not out.after_loss


@pytest.mark.parametrize("start", [0, 65_533, 32_766])
def test_sequence_numbers_and_time_stamps_wrap(start: int) -> None:
    frames = frames_of([3] * 8, start=start, timestamp=2**32 - 7_000)
    out = feed(FrameAssembler(WAIT_MS), [each for frame in frames for each in frame])
    assert [frame.data for frame in out] == [whole(frame) for frame in frames]
    assert [frame.media_ticks for frame in out] == [number * 3000 for number in range(8)]


def test_many_wraps() -> None:
    assembler = FrameAssembler(WAIT_MS)
    for number in range(70_000):
        (out,) = assembler.add(packet(number, number * 3000, first=True, last=True))
        assert out.media_ticks == number * 3000
    assert assembler.lost_packets == 0


def test_repair_sets_every_waiting_frame_free_at_once() -> None:
    frames = frames_of([2, 2, 2, 2])
    assembler = FrameAssembler(WAIT_MS)
    missing = frames[1][0]
    rest = [each for frame in frames for each in frame if each is not missing]
    assert [out.data for out in feed(assembler, rest)] == [whole(frames[0])]
    out = assembler.add(missing)
    assert [each.data for each in out] == [whole(frame) for frame in frames[1:]]
    assert not any(each.after_loss for each in out)
    assert assembler.lost_packets == assembler.lost_frames == 0


def test_any_order_within_the_wait() -> None:
    frames = frames_of([5] * 20)
    first, rest = frames[0], [each for frame in frames[1:] for each in frame]
    mixed = [rest[index] for index in np.random.default_rng(5).permutation(len(rest))]
    out = feed(FrameAssembler(WAIT_MS), first + mixed)
    assert [each.data for each in out] == [whole(frame) for frame in frames]


@pytest.mark.parametrize("lost", [0, 1, 2], ids=["first", "middle", "last"])
def test_given_up_packet_costs_its_frame_and_no_other(lost: int) -> None:
    frames = frames_of([3, 3, 3, 3])
    assembler = FrameAssembler(WAIT_MS)
    kept = [each for frame in frames for each in frame if each is not frames[1][lost]]
    out = feed(assembler, kept)
    assert [each.data for each in out] == [whole(frames[0])]
    assert assembler.expire(WAIT_MS - 1) == []
    out = assembler.expire(WAIT_MS)
    assert [each.data for each in out] == [whole(frames[2]), whole(frames[3])]
    assert [each.after_loss for each in out] == [True, False]
    assert assembler.lost_packets == 1
    assert assembler.lost_frames == 1 or lost == 0
    assert assembler.expire(10 * WAIT_MS) == []


def test_whole_frame_lost() -> None:
    frames = frames_of([3, 3, 3])
    assembler = FrameAssembler(WAIT_MS)
    feed(assembler, frames[0] + frames[2])
    (out,) = assembler.expire(WAIT_MS)
    assert out.data == whole(frames[2])
    assert out.after_loss
    assert assembler.lost_packets == 3


def test_beginning_that_cannot_be_told_is_not_guessed() -> None:
    frames = frames_of([3, 3, 3])
    unsure = [each._replace(starts_frame=False) for each in frames[1]]
    assembler = FrameAssembler(WAIT_MS)
    feed(assembler, frames[0][:2] + unsure + frames[2])
    (out,) = assembler.expire(WAIT_MS)
    assert out.data == whole(frames[2])


def test_stream_joined_in_the_middle_of_a_frame() -> None:
    frames = frames_of([3, 3])
    out = feed(FrameAssembler(WAIT_MS), frames[0][1:] + frames[1])
    assert [each.data for each in out] == [whole(frames[1])]
    assert out[0].after_loss


def test_sender_without_markers() -> None:
    frames = frames_of([2, 2, 2])
    bare = [each._replace(marker=False) for frame in frames for each in frame]
    out = feed(FrameAssembler(WAIT_MS), bare)
    assert [each.data for each in out] == [whole(frames[0]), whole(frames[1])]


def test_padding_between_frames_is_skipped() -> None:
    assembler = FrameAssembler(WAIT_MS)
    packets = [
        packet(0, 0, first=True, last=True, data=b"a"),
        packet(1, 0, data=b""),
        packet(2, 0, data=b""),
        packet(3, 3000, first=True, last=True, data=b"b"),
    ]
    assert [each.data for each in feed(assembler, packets)] == [b"a", b"b"]
    assert assembler.lost_frames == 0


def test_doubled_and_late_packets_are_counted_and_ignored() -> None:
    frames = frames_of([2, 2])
    assembler = FrameAssembler(WAIT_MS)
    feed(assembler, frames[0] + frames[0])
    assert assembler.late_packets == 2
    (out,) = feed(assembler, frames[1])
    assert out.data == whole(frames[1])


def test_arrival_is_that_of_the_last_packet_of_the_frame() -> None:
    assembler = FrameAssembler(WAIT_MS)
    assembler.add(packet(0, 0, first=True, at_ms=1.0))
    assembler.add(packet(2, 3000, first=True, last=True, at_ms=3.0))
    first, second = assembler.add(packet(1, 0, last=True, at_ms=9.0))
    assert (first.arrival_ms, second.arrival_ms) == (9.0, 3.0)


def test_missing_packets_are_asked_for_again_and_again() -> None:
    assembler = FrameAssembler(WAIT_MS)
    feed(assembler, [packet(65_534, 0, first=True), packet(1, 0, last=True)])
    assert assembler.to_ask_again(ASK_AGAIN_MS - 1) == [], "aiortc has just asked"
    assert assembler.to_ask_again(ASK_AGAIN_MS) == [65_535, 0]
    assert assembler.to_ask_again(ASK_AGAIN_MS + 1) == []
    assembler.add(packet(65_535, 0))
    assert assembler.to_ask_again(2 * ASK_AGAIN_MS) == [0]
    assembler.expire(WAIT_MS)
    assert assembler.to_ask_again(1e6) == []


def test_not_all_is_asked_for_at_once() -> None:
    assembler = FrameAssembler(WAIT_MS)
    feed(assembler, [packet(0, 0, first=True), packet(1_000, 0, last=True)])
    first = assembler.to_ask_again(ASK_AGAIN_MS)
    assert first == list(range(1, 1 + ASK_AT_ONCE))
    assert assembler.to_ask_again(ASK_AGAIN_MS)[0] == 1 + ASK_AT_ONCE


def test_second_gap_has_its_own_time() -> None:
    frames = frames_of([1, 2, 1, 2, 1])
    assembler = FrameAssembler(WAIT_MS)
    assembler.add(frames[0][0])
    assembler.add(frames[1][1]._replace(arrival_ms=0.0))
    assembler.add(frames[2][0]._replace(arrival_ms=10.0))
    assembler.add(frames[3][1]._replace(arrival_ms=200.0))
    assembler.add(frames[4][0]._replace(arrival_ms=210.0))
    assert [out.data for out in assembler.expire(WAIT_MS)] == [whole(frames[2])]
    assert assembler.expire(WAIT_MS + 150) == []
    assert [out.data for out in assembler.expire(WAIT_MS + 200)] == [whole(frames[4])]


def test_memory_is_bounded_when_a_frame_never_ends() -> None:
    assembler = FrameAssembler(1e9)
    assembler.add(packet(0, 0, first=True))
    for number in range(2, 3 * CAPACITY_PACKETS):
        assembler.add(packet(number, 3000 * (number // 10), first=number % 10 == 0, last=number % 10 == 9))
        assert len(assembler._waiting) <= CAPACITY_PACKETS
    assert assembler.lost_packets > 0


def test_other_source_starts_anew() -> None:
    frames = frames_of([2, 2])
    assembler = FrameAssembler(WAIT_MS)
    feed(assembler, frames[0][:1])
    other = [each._replace(source=2, sequence=40_000 + each.sequence) for each in frames[1]]
    (out,) = feed(assembler, other)
    assert out.data == whole(frames[1])
    assert out.after_loss
    assert assembler.restarts == 1
    assert assembler.source == 2


def test_new_numbering_of_the_same_source() -> None:
    assembler = FrameAssembler(WAIT_MS)
    feed(assembler, frames_of([2] * 10, start=5_000)[0])
    (out,) = feed(assembler, frames_of([2], start=20_000)[0])
    assert out.after_loss
    assert assembler.restarts == 1


def test_new_numbering_close_by_is_found_out() -> None:
    assembler = FrameAssembler(WAIT_MS)
    frames = [each for frame in frames_of([1] * (LATE_LIMIT + 50), start=100) for each in frame]
    assembler.add(packet(600, 0, first=True, last=True))
    out = feed(assembler, frames)
    assert assembler.restarts == 1
    assert len(out) >= 49

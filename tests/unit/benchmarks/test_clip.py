from __future__ import annotations

from itertools import pairwise

import pytest

from arwarden.headset import timecode
from arwarden.headset.encoder import Codec
from arwarden.headset.feed import StreamFormat
from arwarden.headset.pictures import PictureSize
from arwarden.ingest.picture import AvPicture
from benchmarks.latency.clip import LONGEST_S, SITUATION_S, Clip


def small(codec: Codec = Codec.VP8) -> StreamFormat:
    return StreamFormat(size=PictureSize(320, 180), fps=10.0, codec=codec, bitrate_kbps=600)


@pytest.mark.parametrize("codec", list(Codec))
def test_every_frame_says_its_number_after_encoding(codec: Codec) -> None:
    clip = Clip.moving(4.0, small(codec))
    pictures = clip.pictures(every=1, limit=1000)
    assert [timecode.read(AvPicture(picture).luma()) for picture in pictures] == list(range(clip.frames))


def test_each_contradiction_follows_something_coherent() -> None:
    clip = Clip.moving(8.0, small())
    assert clip.frames == 80
    assert [(event.from_frame, event.to_frame) for event in clip.events] == [(20, 40), (60, 80)]
    assert all(event.attribute and len(event.texts) == 2 for event in clip.events)


def test_clip_is_never_longer_than_all_contradictions_once() -> None:
    clip = Clip.moving(10_000.0, small())
    assert clip.frames == LONGEST_S * 10
    assert len({event.attribute for event in clip.events}) == len(clip.events)
    assert all(
        later.from_frame - event.from_frame == 2 * SITUATION_S * 10 for event, later in pairwise(clip.events)
    )


def test_still_clip_has_neither_code_nor_event() -> None:
    clip = Clip.still(1.0, small())
    assert clip.events == ()
    first, last = (AvPicture(picture).luma().astype(int) for picture in clip.pictures(every=9, limit=2))
    assert timecode.read(first.astype("uint8")) is None
    assert abs(first - last).mean() < 1.5


def test_pictures_are_taken_at_distances_up_to_a_number() -> None:
    clip = Clip.moving(4.0, small())
    codes = [timecode.read(AvPicture(picture).luma()) for picture in clip.pictures(every=7, limit=3)]
    assert codes == [0, 7, 14]

"""What payloads say about their frame, against aiortc's own packers and bytes written by hand."""

from __future__ import annotations

import fractions

import pytest
from aiortc.codecs.h264 import H264Encoder
from aiortc.codecs.vpx import Vp8Encoder, VpxPayloadDescriptor

from arwarden.ingest.payloads import NO_ROLE, Role, h264_role, vp8_role
from tests.support.feeder import marked_picture

START, KEY = Role(starts_frame=True, keyframe=False), Role(starts_frame=True, keyframe=True)


@pytest.mark.parametrize(("encoder", "role"), [(Vp8Encoder, vp8_role), (H264Encoder, h264_role)])
def test_frames_as_aiortc_packs_them(encoder: type, role: object) -> None:
    assert callable(role)
    sender = encoder()
    for number, keyframe in enumerate((True, False, False, True)):
        picture = marked_picture(number, 320, 240, seed=number)
        picture.pts, picture.time_base = number * 3000, fractions.Fraction(1, 90_000)
        payloads, _ = sender.encode(picture, keyframe)
        roles = [role(payload) for payload in payloads]
        assert len(roles) > 1
        assert roles[0].starts_frame
        assert any(each.keyframe for each in roles) is keyframe
        if encoder is Vp8Encoder:
            assert not any(each.starts_frame for each in roles[1:])


@pytest.mark.parametrize(
    "descriptor",
    [
        VpxPayloadDescriptor(1, 0),
        VpxPayloadDescriptor(1, 0, picture_id=5),
        VpxPayloadDescriptor(1, 0, picture_id=0x7FFF, tl0picidx=3),
        VpxPayloadDescriptor(1, 0, picture_id=1, tl0picidx=3, tid=(1, 0), keyidx=4),
        VpxPayloadDescriptor(1, 0, tid=(1, 0)),
    ],
)
def test_vp8_descriptors_of_every_length(descriptor: VpxPayloadDescriptor) -> None:
    assert vp8_role(bytes(descriptor) + b"\x10\x00") == KEY
    assert vp8_role(bytes(descriptor) + b"\x11\x00") == START
    descriptor.partition_start = 0
    assert vp8_role(bytes(descriptor) + b"\x10\x00") == NO_ROLE


def test_vp8_short_picture_id_and_later_partition() -> None:
    assert vp8_role(b"\x90\x80\x05\x10") == KEY
    assert vp8_role(b"\x11\x10\x00") == NO_ROLE


@pytest.mark.parametrize("payload", [b"", b"\x90", b"\x90\x80", b"\x90\x80\x85", b"\x90\xf0\x85\x01\x02\x03"])
def test_vp8_cut_off(payload: bytes) -> None:
    assert vp8_role(payload) == NO_ROLE


@pytest.mark.parametrize(
    ("payload", "role"),
    [
        (b"\x67\x42\x00", KEY),
        (b"\x09\xf0", START),
        (b"\x41\x9a\x00", START),
        (b"\x41\x1a\x00", NO_ROLE),
        (b"\x65\x88\x00", Role(starts_frame=False, keyframe=True)),
        (b"\x7c\x85\x88", Role(starts_frame=False, keyframe=True)),
        (b"\x7c\x05\x88", Role(starts_frame=False, keyframe=True)),
        (b"\x5c\x81\x9a", START),
        (b"\x5c\x01\x9a", NO_ROLE),
        (b"\x18\x00\x03\x67\x42\x00\x00\x02\x68\xce", KEY),
        (b"\x06\x05", NO_ROLE),
        (b"", NO_ROLE),
        (b"\x65", NO_ROLE),
        (b"\x18\xff", NO_ROLE),
        (b"\x1c\x85", Role(starts_frame=False, keyframe=True)),
    ],
    ids=[
        "sps", "aud", "first-slice", "later-slice", "idr", "fu-a-idr-begins", "fu-a-idr-goes-on",
        "fu-a-slice-begins", "fu-a-slice-goes-on", "stap-a-sps-pps", "sei", "empty", "one-byte",
        "stap-a-cut-off", "fu-a-cut-off",
    ],
)  # fmt: skip
def test_h264(payload: bytes, role: Role) -> None:
    assert h264_role(payload) == role

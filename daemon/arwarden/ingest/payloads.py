"""What an RTP payload says about the frame it belongs to, read without decoding.

VP8 by RFC 7741, sections 4.2 and 4.3; H.264 by RFC 6184, sections 5.3 to 5.8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

_SPS, _AUD, _IDR, _SLICE = 7, 9, 5, 1
_STAP_A, _FU_A = 24, 28


class Role(NamedTuple):
    """A packet's place in its frame."""

    starts_frame: bool
    """The frame certainly begins here. False also where that cannot be told."""
    keyframe: bool
    """The packet holds the beginning of a keyframe (VP8), or a part of one (H.264)."""


NO_ROLE = Role(starts_frame=False, keyframe=False)


def vp8_role(payload: bytes) -> Role:
    """Read the payload descriptor and the first byte of the frame."""
    header = _vp8_descriptor_bytes(payload)
    if header is None or len(payload) <= header:
        return NO_ROLE
    starts = bool(payload[0] & 0x10) and payload[0] & 0x07 == 0
    return Role(starts_frame=starts, keyframe=starts and payload[header] & 0x01 == 0)


def _vp8_descriptor_bytes(payload: bytes) -> int | None:
    if len(payload) < 2:
        return None
    if not payload[0] & 0x80:
        return 1
    extended = payload[1]
    size = 2
    if extended & 0x80:
        if len(payload) <= size:
            return None
        size += 2 if payload[size] & 0x80 else 1
    if extended & 0x40:
        size += 1
    if extended & 0x30:
        size += 1
    return size


def h264_role(payload: bytes) -> Role:
    """Read the types of the NAL units in the packet.

    A slice of a keyframe does not count as a start: without the parameter sets before it, a picture of
    another size would be decoded as garbage.
    """
    starts = keyframe = False
    for kind, head in _nal_units(payload):
        starts = starts or kind in (_SPS, _AUD) or (kind == _SLICE and head & 0x80 != 0)
        keyframe = keyframe or kind in (_SPS, _IDR)
    return Role(starts_frame=starts, keyframe=keyframe)


def _nal_units(payload: bytes) -> Iterator[tuple[int, int]]:
    """The type of each NAL unit and the first byte of its body (0 where it does not begin here)."""
    if len(payload) < 2:
        return
    kind = payload[0] & 0x1F
    if kind == _FU_A:
        begins = bool(payload[1] & 0x80) and len(payload) > 2
        yield payload[1] & 0x1F, payload[2] if begins else 0
    elif kind == _STAP_A:
        position = 1
        while position + 3 < len(payload):
            size = int.from_bytes(payload[position : position + 2], "big")
            yield payload[position + 2] & 0x1F, payload[position + 3]
            position += 2 + size
    else:
        yield kind, payload[1]


ROLES: dict[str, Callable[[bytes], Role]] = {"VP8": vp8_role, "H264": h264_role}

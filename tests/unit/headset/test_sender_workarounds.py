"""A test named ``test_upstream_…`` fails when aiortc has repaired the cause: then delete the workaround."""

from __future__ import annotations

from collections.abc import AsyncIterator
from unittest.mock import Mock

import pytest
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpSender, VideoStreamTrack
from aiortc.rtp import RTCP_PSFB_PLI, RtcpPsfbPacket

from arwarden.headset.aiortc_sender_workarounds import (
    NTP_TO_UNIX_S,
    forward_keyframe_requests,
    stamp_capture_time,
)

REQUEST = RtcpPsfbPacket(fmt=RTCP_PSFB_PLI, ssrc=1, media_ssrc=2)
NTP_NAME = "_RTCRtpSender__ntp_timestamp"


class WatchedTrack(VideoStreamTrack):
    """Notes every attribute that is asked for."""

    asked: set[str]

    def __getattribute__(self, name: str) -> object:
        if name != "asked":
            self.asked.add(name)
        return super().__getattribute__(name)


WatchedTrack.asked = set()


@pytest.fixture
async def sender() -> AsyncIterator[RTCRtpSender]:
    connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    yield connection.addTrack(WatchedTrack())
    await connection.close()


async def test_upstream_a_track_hears_nothing_of_keyframe_requests(sender: RTCRtpSender) -> None:
    WatchedTrack.asked.clear()
    await sender._handle_rtcp_packet(REQUEST)
    assert WatchedTrack.asked == set()


async def test_keyframe_requests_are_forwarded(sender: RTCRtpSender) -> None:
    heard = Mock()
    forward_keyframe_requests(sender, heard)
    await sender._handle_rtcp_packet(REQUEST)
    heard.assert_called_once_with()


async def test_upstream_the_capture_time_of_reports_cannot_be_set(sender: RTCRtpSender) -> None:
    assert hasattr(sender, NTP_NAME), "the name has changed: the workaround does nothing"
    assert not [name for name in dir(sender) if "ntp" in name.lower() and not name.startswith("_")]


async def test_reports_carry_the_capture_time(sender: RTCRtpSender) -> None:
    stamp_capture_time(sender, 1_700_000_000_250.0)
    ntp = getattr(sender, NTP_NAME)
    assert ntp >> 32 == 1_700_000_000 + NTP_TO_UNIX_S
    assert (ntp & 0xFFFFFFFF) / 2**32 == pytest.approx(0.25, abs=1e-6)

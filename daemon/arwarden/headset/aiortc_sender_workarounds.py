"""What aiortc's sender does not offer and its private parts allow. Written against aiortc 1.14 to 1.16.

``tests/integration/test_headset.py`` notices when one of them stops working.
"""

from __future__ import annotations

from collections.abc import Callable

from aiortc import RTCRtpSender

NTP_TO_UNIX_S = 2_208_988_800


def forward_keyframe_requests(sender: RTCRtpSender, on_request: Callable[[], None]) -> None:
    """Hear of the receiver's keyframe requests (PLI, FIR).

    Cause: a request only sets a flag that is read where aiortc encodes frames itself; for packets it is
    lost. Effect without this: after a lost keyframe the receiver sees nothing until the next periodic
    one, up to 10 s later. Delete when aiortc tells tracks, or offers an event.
    """
    sender._send_keyframe = on_request  # type: ignore[method-assign]  # noqa: SLF001


def stamp_capture_time(sender: RTCRtpSender, capture_ms: float) -> None:
    """Make sender reports pair the last RTP time stamp with its capture time, as RFC 3550 means them.

    Cause: aiortc pairs it with the time of sending its last packet. Effect without this: the receiver
    takes frames for younger than they are by the time of drawing and encoding, 5 to 20 ms at 720p.
    ``capture_ms`` is in Unix epoch milliseconds. Delete when a track can set it.
    """
    seconds, fraction_ms = divmod(capture_ms, 1000.0)
    ntp = (int(seconds) + NTP_TO_UNIX_S) << 32 | int(fraction_ms / 1000.0 * 2**32)
    sender._RTCRtpSender__ntp_timestamp = ntp  # type: ignore[attr-defined]  # noqa: SLF001

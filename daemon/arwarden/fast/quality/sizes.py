"""When the size of the received picture makes it unfair to call it blurred, noisy or blocky."""

from __future__ import annotations


class SizeWatch:
    """Follows the received picture size of one session.

    WebRTC senders start small, grow within seconds, and scale down when the network is short of bits.
    The picture is then worse than what the headset shows, and that is no fault of the rendering. The
    size counts as settled when it has not changed for ``settle_ms`` and is no smaller than the largest
    size of this session. Turning a phone keeps the number of pixels and only restarts the wait.

    Limit: a sender that once had more bits and stays small for good is never judged for these faults.
    """

    def __init__(self, settle_ms: float = 3000.0) -> None:
        if not settle_ms >= 0:
            msg = f"settle_ms must be 0 or more, not {settle_ms}"
            raise ValueError(msg)
        self._settle_ms = settle_ms
        self._size: tuple[int, int] | None = None
        self._changed_ms = 0.0
        self._largest_px = 0

    def observe(self, width_px: int, height_px: int, now_ms: float) -> bool:
        """Take the size of a received frame; True while the size is settled."""
        size = (width_px, height_px)
        if size != self._size:
            self._size = size
            self._changed_ms = now_ms
            self._largest_px = max(self._largest_px, width_px * height_px)
        return width_px * height_px >= self._largest_px and now_ms - self._changed_ms >= self._settle_ms

"""What the network did to the picture lately, from counts of packets and frames.

A picture that follows a frame lost for good, or a decoder error, may be spoilt until the next keyframe:
neither VP8 nor H.264 repairs itself, and a decoder may conceal the loss without an error.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from arwarden.core.frame import TransportHealth

WINDOW_MS = 5_000.0
BUCKET_MS = 500.0
LOSS_WORTH_SAYING = 0.02
"""Above this share of packets lost for good a session is called degraded."""
MEDIA_JUMP_MS = 5_000.0

WAITING_FOR_KEYFRAME = "waiting_for_keyframe"
PACKETS_LOST = "packets_lost"
FRAMES_LOST = "frames_lost"
DECODER_ERROR = "decoder_error"
DECODER_OVERLOAD = "decoder_overload"


@dataclass(slots=True)
class _Bucket:
    since_ms: float
    received: int = 0
    lost: int = 0


class TransportMonitor:
    """The health of one stream. Times are on the daemon's clock, in milliseconds."""

    def __init__(self) -> None:
        self._buckets: deque[_Bucket] = deque(maxlen=int(WINDOW_MS / BUCKET_MS))
        self._damage: dict[str, int] = {WAITING_FOR_KEYFRAME: -1}
        self._keyframe_sequence = -1
        self._transit_ms: float | None = None
        self._jitter_ms = 0.0

    @property
    def damaged(self) -> bool:
        """Whether the picture may be spoilt now."""
        return bool(self._damage)

    def packets(self, *, received: int, lost: int, now_ms: float) -> None:
        """Count packets that came, and packets that were given up."""
        if not self._buckets or now_ms - self._buckets[-1].since_ms >= BUCKET_MS:
            self._buckets.append(_Bucket(now_ms))
        self._buckets[-1].received += received
        self._buckets[-1].lost += lost

    def frame(self, *, sequence: int, media_ms: float, arrival_ms: float, keyframe: bool) -> None:
        """A whole frame came in; a keyframe ends all damage before it."""
        transit_ms = arrival_ms - media_ms
        if self._transit_ms is not None:
            change_ms = abs(transit_ms - self._transit_ms)
            if change_ms < MEDIA_JUMP_MS:
                # RFC 3550, section 6.4.1, over frames instead of packets: a frame's packets share a time.
                self._jitter_ms += (change_ms - self._jitter_ms) / 16.0
        self._transit_ms = transit_ms
        if keyframe:
            self._keyframe_sequence = sequence
            self._damage.clear()

    def damage(self, reason: str, *, sequence: int) -> None:
        """The picture is spoilt from frame ``sequence`` on, unless a keyframe came after it."""
        if sequence >= self._keyframe_sequence:
            self._damage.setdefault(reason, sequence)

    def loss_ratio(self, now_ms: float) -> float:
        """Share of packets lost for good over the last five seconds, 0..1."""
        recent = [bucket for bucket in self._buckets if now_ms - bucket.since_ms < WINDOW_MS + BUCKET_MS]
        lost = sum(bucket.lost for bucket in recent)
        total = lost + sum(bucket.received for bucket in recent)
        return lost / total if total else 0.0

    def health(self, now_ms: float) -> TransportHealth:
        """A snapshot, attached to every frame and to the session's state."""
        loss_ratio = self.loss_ratio(now_ms)
        reasons = list(self._damage)
        if loss_ratio >= LOSS_WORTH_SAYING:
            reasons.append(PACKETS_LOST)
        return TransportHealth(
            damaged=self.damaged,
            reasons=tuple(reasons),
            loss_ratio=loss_ratio,
            jitter_ms=self._jitter_ms,
        )

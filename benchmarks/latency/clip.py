"""The video that is streamed: encoded once, with a time code in it and the truth about it beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import av

from arwarden.headset.clip import EncodedClip
from arwarden.headset.feed import StreamFormat
from arwarden.headset.scene import ArScene
from arwarden.headset.situations import COHERENT, CONTRADICTORY, Timeline
from arwarden.ingest.decoder import open_decoder

SITUATION_S = 2.0
"""Each situation's time in view: with it a contradiction appears every 4 s, 15 times in a minute."""
KEYFRAME_EVERY_S = 10.0
"""As the live simulated headset sends them; a browser sends one only when it is asked to."""
LONGEST_S = 2 * SITUATION_S * len(CONTRADICTORY)
"""By then every contradiction has been in view once."""


@dataclass(frozen=True, slots=True)
class ClipEvent:
    """A contradiction in the clip, visible from one frame until before another."""

    from_frame: int
    to_frame: int
    texts: tuple[str, ...]
    attribute: str


@dataclass(frozen=True, slots=True)
class Clip:
    """An encoded clip that is streamed in a loop, and what it shows."""

    encoded: EncodedClip
    events: tuple[ClipEvent, ...]

    @property
    def fps(self) -> float:
        """Frames a second."""
        return self.encoded.fps

    @property
    def frames(self) -> int:
        """Frames in one loop; frame ``n`` carries the time code ``n`` modulo this."""
        return len(self.encoded.packets)

    @classmethod
    def moving(cls, seconds: float, stream: StreamFormat) -> Self:
        """A moving scene in which contradictions come and go. Blocks for about a third of ``seconds``."""
        pairs = max(1, round(min(seconds, LONGEST_S) / (2 * SITUATION_S)))
        # Text alone: events are told apart by what alerts quote.
        timeline = Timeline(seconds_each=SITUATION_S, coherent=COHERENT, contradictory=CONTRADICTORY)
        scene = ArScene(stream.size, timeline=timeline, timecode_fps=stream.fps)
        length_s = 2 * SITUATION_S * pairs
        encoded = EncodedClip.render(
            scene, seconds=length_s, stream=stream, keyframe_every_s=KEYFRAME_EVERY_S
        )
        events = tuple(
            ClipEvent(
                round(truth.from_s * stream.fps),
                round(truth.to_s * stream.fps),
                truth.texts,
                truth.attribute,
            )
            for truth in scene.truth(length_s)
            if truth.contradictory
        )
        return cls(encoded, events)

    @classmethod
    def still(cls, seconds: float, stream: StreamFormat) -> Self:
        """A scene in which nothing moves or changes. No time code: that would be a change."""
        scene = ArScene(stream.size, static=True, timeline=Timeline.constant(COHERENT[0]))
        encoded = EncodedClip.render(scene, seconds=seconds, stream=stream, keyframe_every_s=KEYFRAME_EVERY_S)
        return cls(encoded, ())

    def pictures(self, *, every: int, limit: int) -> Iterator[av.VideoFrame]:
        """At most ``limit`` pictures of the clip, every ``every``-th, as the daemon decodes them."""
        context = open_decoder(self.encoded.codec.value.upper())
        taken = 0
        for index, data in enumerate(self.encoded.packets):
            pictures = context.decode(av.Packet(data))
            if index % every == 0 and pictures:
                yield pictures[-1]
                taken += 1
                if taken == limit:
                    return

"""What is known of each stream between its frames: motion, text, elements, what has vanished."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from arwarden.core.frame import Frame
from arwarden.fast.alternation import Alternation
from arwarden.fast.mirror import OrientationWatch
from arwarden.fast.tracking.follower import Follower, Step, Urgency, one_at_a_time
from arwarden.fast.tracking.novelty import BoxNorm
from arwarden.fast.tracking.patches import BoxPx
from arwarden.fast.tracking.reader import TrackedReader
from arwarden.fast.watch import ElementWatch


@dataclass(frozen=True, slots=True)
class Searches:
    """What to look for in one frame, and how the picture has moved since the one before."""

    step: Step
    text: bool
    elements: bool


@dataclass(slots=True)
class Stream:
    """One stream. Its frames are judged one after the other, under ``lock``."""

    text: TrackedReader | None
    """None where the engine reads every frame afresh."""
    elements: ElementWatch | None
    """None without element networks."""
    turns: Alternation | None = None
    """None where nothing is compared with what has vanished."""
    follower: Follower = field(default_factory=Follower)
    orientation: OrientationWatch = field(default_factory=OrientationWatch)
    lock: Lock = field(default_factory=Lock)

    def follow(self, frame: Frame, *, closely: bool) -> Searches:
        """Carry everything to a new frame, and decide what has to be looked for in it.

        After something new, or ``closely``, text and elements both are; else one of them at a time.
        """
        luma = frame.picture.luma()
        step = self.follower.step(luma, frame.arrival_ms)
        known = [] if self.text is None else self.text.follow(step, luma)
        same, every = ([], []) if self.elements is None else self.elements.follow(step, luma)
        motion = None if step.anew else step.motion
        if motion is not None:
            size = luma.shape[1], luma.shape[0]
            motion = motion.without(_shares([*known, *same], size), _shares([*known, *every], size))
        text = Urgency.NONE if self.text is None else self.text.urgency(motion, step.now_ms)
        elements = Urgency.NONE if self.elements is None else self.elements.urgency(motion, step.now_ms)
        first_longer = self.elements is None or (
            self.text is not None
            and self.text.overdue_ms(step.now_ms) >= self.elements.overdue_ms(step.now_ms)
        )
        for_text, for_elements = one_at_a_time(text, elements, first_longer=first_longer)
        return Searches(step, for_text or closely, for_elements or closely)


def _shares(boxes_px: Sequence[BoxPx], size_px: tuple[int, int]) -> list[BoxNorm]:
    width, height = size_px
    return [(x0 / width, y0 / height, x1 / width, y1 / height) for x0, y0, x1, y1 in boxes_px]


class Streams:
    """Up to ``most`` streams; the one not seen for longest gives way."""

    def __init__(self, opened: Callable[[], Stream], *, most: int) -> None:
        self._opened = opened
        self._most = most
        self._streams: OrderedDict[str, Stream] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def of(self, session_id: str) -> Iterator[Stream]:
        """The stream of a session, held while one of its frames is judged."""
        with self._lock:
            stream = self._streams.pop(session_id, None) or self._opened()
            self._streams[session_id] = stream
            if len(self._streams) > self._most:
                self._streams.popitem(last=False)
        with stream.lock:
            yield stream

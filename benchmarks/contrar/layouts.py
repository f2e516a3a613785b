"""Sets that are judged by yes and no: ContrAR's videos, AR-VIM's pairs, DiverseAR+'s views."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final

from benchmarks.datasets import arvim, contrar, diversear
from benchmarks.datasets.checks import Checked
from benchmarks.datasets.contrar import Video
from benchmarks.published.tables import Distribution

PROMPTS: Final = Path(__file__).parent / "prompts"


class Protocol(StrEnum):
    """How much of a video is shown."""

    SINGLE = "single"
    """The exact middle."""
    MULTI = "multi"
    """First, middle, last."""

    @property
    def frames(self) -> int:
        """How many frames."""
        return 1 if self is Protocol.SINGLE else 3


class Layout(StrEnum):
    """Which set, and with it what a yes says."""

    CONTRAR = "contrar"
    """Virtual content contradicts itself."""
    ARVIM = "arvim"
    """Virtual content manipulates what the real scene says; judges are shown both."""
    DIVERSEAR = "diversear"
    """There is virtual content."""

    @property
    def pairs(self) -> bool:
        """Whether the view without virtual content is shown first."""
        return self is Layout.ARVIM

    @property
    def fast(self) -> bool:
        """Whether the fast tier can be asked: it finds contradictions, also with what is real."""
        return self is not Layout.DIVERSEAR

    @property
    def text(self) -> bool:
        """Whether texts alone can tell."""
        return self is not Layout.DIVERSEAR

    @property
    def protocols(self) -> list[Protocol]:
        """All that can be told apart; of single pictures the one frame is all there is."""
        return [Protocol.SINGLE] if self is Layout.DIVERSEAR else list(Protocol)

    @property
    def question(self) -> str:
        """What a yes says, for reports."""
        questions = {
            Layout.CONTRAR: "virtual content contradicts itself",
            Layout.ARVIM: "virtual content manipulates what the real scene says (AR-VIM)",
            Layout.DIVERSEAR: "there is virtual content (DiverseAR+)",
        }
        return questions[self]

    def prompts(self, *, text_only: bool) -> Path | None:
        """The folder of the prompt that takes the place of the shipped one; None where that one is asked."""
        names = {
            (Layout.CONTRAR, True): "text_only",
            (Layout.ARVIM, False): "manipulation",
            (Layout.ARVIM, True): "manipulation_text",
            (Layout.DIVERSEAR, False): "perception",
        }
        name = names.get((self, text_only))
        return None if name is None else PROMPTS / name


def load(layout: Layout, folder: Path, published: Distribution | None = None) -> Checked[Video]:
    """The samples of a set.

    Raises:
        InputError: the folder or its table cannot be read.
    """
    if layout is Layout.ARVIM:
        return arvim.as_videos(arvim.load(folder))
    if layout is Layout.DIVERSEAR:
        return diversear.as_videos(diversear.load(folder))
    return contrar.load(folder, published)

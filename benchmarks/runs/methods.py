"""What ``--judge`` may name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from arwarden.core.errors import ConfigError
from benchmarks.protocols.pictures import ClassicalMeasure

_FORM: Final = re.compile(
    r"(?:(?P<label>[A-Za-z0-9][\w. -]{0,39})=)?(?P<text>ocr\+)?(?P<kind>\w+)(?::(?P<rest>.+))?"
)
HELP: Final = (
    "Whom to ask, repeatable: fast; fast_text (without element networks); openai:MODEL or openai:MODEL@URL; "
    "qwen_vl:MODEL; replay:FILE; configured (the judge of --config); ocr+ before a judge (texts only); in "
    "some suites classical measures such as sharpness, and scores:FILE. LABEL= before it names it in "
    "tables."
)


class Kind(StrEnum):
    """Kinds of methods. Which of them a suite takes is the suite's."""

    FAST = "fast"
    FAST_TEXT = "fast_text"
    """The fast tier without its element networks."""
    OPENAI = "openai"
    QWEN_VL = "qwen_vl"
    REPLAY = "replay"
    CONFIGURED = "configured"
    SCORES = "scores"
    """Numbers that another program computed, from a CSV file."""
    RMS_CONTRAST = "rms_contrast"
    LIGHTNESS_CONTRAST = "lightness_contrast"
    COLOURFULNESS = "colourfulness"
    SHARPNESS = "sharpness"
    LITTLE_NOISE = "little_noise"
    FEW_BLOCKS = "few_blocks"

    @property
    def judge(self) -> bool:
        """Whether it is a judge of the daemon, which questions are put to."""
        return self in (Kind.OPENAI, Kind.QWEN_VL, Kind.REPLAY, Kind.CONFIGURED)

    @property
    def measure(self) -> bool:
        """Whether it is a classical measure."""
        return self.value in tuple(ClassicalMeasure)

    @property
    def needs_argument(self) -> bool:
        """Whether something must follow the colon."""
        return self in (Kind.OPENAI, Kind.QWEN_VL, Kind.REPLAY, Kind.SCORES)


@dataclass(frozen=True, slots=True)
class Spec:
    """One method of the command line."""

    label: str
    kind: Kind
    argument: str = ""
    url: str = ""
    text_only: bool = False
    """Only what an OCR engine reads is told to the judge, no picture shown."""


def parse_method(text: str) -> Spec:
    """Read one ``--judge``.

    Raises:
        ConfigError: it is not in a form that ``HELP`` lists.
    """
    match = _FORM.fullmatch(text)
    kinds = [kind.value for kind in Kind]
    if match is None or match["kind"] not in kinds:
        raise ConfigError(
            "--judge", [f"{text!r} names no method; known are {', '.join(kinds)}, and ocr+ before a judge"]
        )
    kind, rest = Kind(match["kind"]), match["rest"] or ""
    if kind.needs_argument != bool(rest):
        form = f"{kind}:..." if kind.needs_argument else kind.value
        raise ConfigError("--judge", [f"{text!r}: write {form}"])
    text_only = bool(match["text"])
    if text_only and not kind.judge:
        raise ConfigError("--judge", [f"{text!r}: ocr+ goes before a judge, such as ocr+openai:gpt-4o"])
    argument, _, url = rest.partition("@") if kind is Kind.OPENAI else (rest, "", "")
    plain = f"{'ocr+' if text_only else ''}{kind}{f':{argument}' if argument else ''}"
    return Spec(match["label"] or plain, kind, argument, url, text_only)


def parse_methods(texts: tuple[str, ...]) -> list[Spec]:
    """Read all of them; each has a label of its own.

    Raises:
        ConfigError: one has no known form, or two have the same label.
    """
    specs = [parse_method(text) for text in texts]
    labels = [spec.label for spec in specs]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ConfigError("--judge", [f"{twice[0]!r} is named twice; write LABEL= before one of them"])
    return specs

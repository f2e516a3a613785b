"""Judges that lack something: what it is, what to do about it, and who stands in for them.

A second opinion is never a reason not to start: without it the fast tier does all that it does, and alerts
stay unverified. So a key, a package or a model that is missing switches its judge off, and is said.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arwarden.config import JudgeConfig, OpenAiJudgeConfig, QwenVlJudgeConfig
from arwarden.core.errors import SwitchedOff
from arwarden.escalate.answers import Answer
from arwarden.escalate.questions import Question

_EXTRAS: Final = {"openai": ("openai", "httpx2"), "qwen_vl": ("torch", "transformers")}
"""Kinds of judge, and the packages that the extra of that name (with a hyphen) installs for them."""
NO_KEY: Final = "no_key"
NO_PACKAGE: Final = "not_installed"
NO_MODEL: Final = "no_model"


@dataclass(frozen=True, slots=True)
class Lack:
    """What keeps a judge from being asked."""

    judge: str
    model: str
    reason: str
    """As a name: ``no_key``, ``not_installed``, ``no_model``."""
    detail: str
    """What it is and what to do about it. Never holds a key."""


def lack_of(config: JudgeConfig) -> Lack | None:
    """What a judge lacks, as far as that is seen without opening it; None where it lacks nothing."""
    if not isinstance(config, OpenAiJudgeConfig | QwenVlJudgeConfig):
        return None
    missing = [name for name in _EXTRAS[config.kind] if importlib.util.find_spec(name) is None]
    if missing:
        extra = config.kind.replace("_", "-")
        detail = f"not installed: {', '.join(missing)}; pip install 'arwarden[{extra}]'"
        return Lack(config.name, config.model, NO_PACKAGE, detail)
    if isinstance(config, OpenAiJudgeConfig) and config.api_key is not None and config.api_key.missing:
        return Lack(config.name, config.model, NO_KEY, config.api_key.missing)
    return None


class SwitchedOffJudge:
    """Stands in for a judge that lacks something: every question ends at once, and nothing is sent."""

    def __init__(self, lack: Lack) -> None:
        self._lack = lack

    @property
    def name(self) -> str:
        """The configured name of the judge that is missing."""
        return self._lack.judge

    @property
    def model(self) -> str:
        """The model that would answer."""
        return self._lack.model

    @property
    def uploads(self) -> bool:
        """Never."""
        return False

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        """Raises ``SwitchedOff``."""
        del question, deadline_ms
        raise SwitchedOff(self._lack.judge, self._lack.reason, self._lack.detail)

    async def close(self) -> None:
        """Nothing to let go of."""


def whole_reason(lacks: Sequence[Lack], judges: int) -> str:
    """Why nobody can be asked at all, where as many judges are switched off as there are; else empty."""
    return lacks[0].reason if lacks and len(lacks) >= judges else ""

"""Which dialect an endpoint understands: found out from what it refuses, then remembered. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from arwarden.escalate.rendering import AnswerForm


class AnswerMode(StrEnum):
    """How an answer is bound to a form, the strictest first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    JSON = "json"
    """By the prompt alone."""
    LINE = "line"

    @property
    def form(self) -> AnswerForm:
        """What the prompt asks for."""
        return AnswerForm.LINE if self is AnswerMode.LINE else AnswerForm.JSON


class Api(StrEnum):
    """Which interface of the endpoint is used."""

    CHAT = "chat"
    RESPONSES = "responses"


OLD_TOKEN_FIELD: Final = "max_tokens"  # noqa: S105  # the name of a limit, no secret
NEW_TOKEN_FIELD: Final = "max_completion_tokens"  # noqa: S105  # the same
_STEP_DOWN: Final = {AnswerMode.JSON_SCHEMA: AnswerMode.JSON_OBJECT, AnswerMode.JSON_OBJECT: AnswerMode.JSON}
_UNSUPPORTED: Final = (400, 404, 405, 415, 422, 500, 501)
"""Servers refuse an option with any of these; only the text tells."""
_FORMAT: Final = re.compile(
    r"response_?format|json[ _]?(?:schema|object|mode)|structured[ _]output|text\.format|grammar|guided",
    re.IGNORECASE,
)
_TOKENS: Final = re.compile(r"max_(?:completion_)?tokens|max_output_tokens", re.IGNORECASE)
_TEMPERATURE: Final = re.compile(r"temperature", re.IGNORECASE)
_SYSTEM: Final = re.compile(
    r"system (?:role|message|prompt)|role.{0,20}system|developer instruction", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What is sent to an endpoint."""

    api: Api = Api.CHAT
    mode: AnswerMode = AnswerMode.JSON_SCHEMA
    fixed_mode: bool = False
    """True where the operator chose the mode: then it is kept."""
    token_field: str = OLD_TOKEN_FIELD
    temperature: bool = True
    system: bool = True
    """False where the model takes no system message: it is said before the question then."""

    def after_refusal(self, status: int, said: str) -> Dialect | None:
        """What to try next after a refusal that blames an option, or None where it blames something else."""
        if status not in _UNSUPPORTED:
            return None
        if self.api is Api.RESPONSES and status in (404, 405, 501) and "model" not in said.casefold():
            return replace(self, api=Api.CHAT)
        if _FORMAT.search(said) and not self.fixed_mode and self.mode in _STEP_DOWN:
            return replace(self, mode=_STEP_DOWN[self.mode])
        return self._without_option(said) if status != 500 else None

    def _without_option(self, said: str) -> Dialect | None:
        if _TOKENS.search(said) and self.api is Api.CHAT and self.token_field == OLD_TOKEN_FIELD:
            return replace(self, token_field=NEW_TOKEN_FIELD)
        if _TEMPERATURE.search(said) and self.temperature:
            return replace(self, temperature=False)
        return replace(self, system=False) if _SYSTEM.search(said) and self.system else None

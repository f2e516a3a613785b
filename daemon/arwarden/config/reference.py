"""The configuration reference, written from the models' own descriptions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from arwarden.config import (
    AskConfig,
    BudgetConfig,
    Config,
    FallbackAttempt,
    FallbackJudgeConfig,
    JudgeLimits,
    MqttTls,
    OpenAiJudgeConfig,
    Price,
    QwenVlJudgeConfig,
    RecordJudgeConfig,
    ReplayJudgeConfig,
    Secret,
    Section,
    SendConfig,
)
from arwarden.config.file import section_type

_HEAD = """# Configuration reference

Generated from `daemon/arwarden/config/` by `make docs`; do not edit.
One YAML file; every field has a default, so an empty file is a valid configuration. Unknown keys are
errors. `arwarden check-config FILE` names every problem in a file at once.
"""


def reference_markdown() -> str:
    """The whole reference as Markdown."""
    parts = [_HEAD, *_sections()]
    return "\n".join(parts).rstrip() + "\n"


def _sections() -> Iterator[str]:
    for name, field in Config.model_fields.items():
        model = section_type(field.annotation)
        if model is not None:
            yield _table(f"`{name}`", model)
    yield _table("`mqtt.tls`", MqttTls)
    yield _table("`escalate.ask`", AskConfig)
    yield _table("`escalate.budget`", BudgetConfig)
    yield _table("`escalate.budget.prices`, by the model's name", Price)
    yield _table("`escalate.send`", SendConfig)
    yield "## Judges\n\nWhat `escalate.judge` may be, by its `kind`.\n"
    for kind in (
        OpenAiJudgeConfig,
        QwenVlJudgeConfig,
        FallbackJudgeConfig,
        ReplayJudgeConfig,
        RecordJudgeConfig,
    ):
        yield _table(f"`kind: {kind.model_fields['kind'].default}`", kind)
    yield _table("`attempts` of a fallback", FallbackAttempt)
    yield _table("`limits` of a judge", JudgeLimits)
    yield _table("A secret (`token`, `viewer_token`, `password`, `api_key`)", Secret)


def _table(title: str, model: type[BaseModel]) -> str:
    rows = [f"## {title}", "", (model.__doc__ or "").strip(), "", "| field | default | limits | meaning |"]
    rows.append("|---|---|---|---|")
    whole = model.model_json_schema()
    # A model that may hold itself, as a fallback may hold one, is described by a reference to itself.
    own = whole.get("properties") or whole["$defs"][model.__name__]["properties"]
    for name, field in model.model_fields.items():
        schema = own[name]
        default = "required" if field.default is PydanticUndefined else f"`{_show(field.default)}`"
        meaning = (field.description or "").replace("|", "\\|")
        rows.append(f"| `{name}` | {default} | {_limits(schema)} | {meaning} |")
    return "\n".join([*rows, ""])


def _show(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(_show(item) for item in value) + "]"
    if isinstance(value, Section | dict):
        return "{}" if value == {} else "…"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _limits(schema: dict[str, Any]) -> str:
    for option in schema.get("anyOf", [schema]):
        if "enum" in option:
            return "one of " + ", ".join(f"`{choice}`" for choice in option["enum"])
        low = option.get("minimum", option.get("exclusiveMinimum"))
        high = option.get("maximum", option.get("exclusiveMaximum"))
        if low is not None or high is not None:
            above = ">" if "exclusiveMinimum" in option else "≥"
            return " and ".join(
                text
                for text in (
                    f"{above} {low:g}" if low is not None else "",
                    f"≤ {high:g}" if high is not None else "",
                )
                if text
            )
        if "pattern" in option:
            return f"matches `{re.sub(r'[|]', '¦', option['pattern'])}`"
    return ""


if __name__ == "__main__":
    sys.stdout.write(reference_markdown())

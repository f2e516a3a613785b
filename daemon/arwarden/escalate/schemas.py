"""The JSON Schemas that answers are bound to, in the subset that strict modes of servers accept.

What a model is to think about stands before what it concludes, because it writes in this order.
"""

from __future__ import annotations

from typing import Any, Final

from arwarden.escalate.questions import Scale, Task

Schema = dict[str, Any]


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT: Final[Schema] = {"type": "string"}
_NUMBER: Final[Schema] = {"type": "number"}
_RATING: Final[Schema] = {"type": "integer", "enum": [1, 2, 3, 4, 5]}
_BOX: Final[Schema] = {"anyOf": [{"type": "array", "items": _NUMBER}, {"type": "null"}]}
_CHOICE: Final = _object(reason=_TEXT, selection={"type": "string", "enum": ["A", "B"]})
_CONTRADICTION: Final = _object(
    scene=_TEXT,
    virtual_content={"type": "array", "items": _object(content=_TEXT, box=_BOX)},
    contradiction=_TEXT,
    verdict={"type": "string", "enum": ["yes", "no"]},
)
_RATED: Final = _object(content=_TEXT, assessment=_TEXT, rating=_RATING)


def schema_for(task: Task) -> Schema:
    """The schema of an answer to a task."""
    if task is Task.CONTRADICTION:
        return _CONTRADICTION
    if task is Task.PAIRWISE:
        return _object(**{scale.value: _CHOICE for scale in Scale})
    if task is Task.PLACEMENT_ADJUSTMENT:
        return _object(content=_TEXT, assessment=_TEXT, rating=_RATING, num1=_NUMBER, num2=_NUMBER)
    if task is Task.SIZE_ADJUSTMENT:
        return _object(content=_TEXT, assessment=_TEXT, rating=_RATING, num1=_NUMBER)
    return _RATED

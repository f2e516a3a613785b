"""Names of the attributes that are read from sentence patterns, open to any word."""

from __future__ import annotations

PERMISSION = "permission"
INSTRUCTION = "instruction"
PRESENCE = "presence"
REQUIREMENT = "requirement"
PROPERTY = "property"
STATEMENT = "statement"
EXISTENCE = "existence"
NUMBER = "number"
FRAME = "value"
"""All of a sentence but one word, which is the value."""
OPEN_ATTRIBUTES = frozenset({STATEMENT, PROPERTY, INSTRUCTION, EXISTENCE, FRAME})
"""Read from any words: that two texts claim something on one of these does not make them comparable."""

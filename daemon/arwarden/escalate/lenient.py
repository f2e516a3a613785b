"""JSON as models write it: read as far as it makes sense, in time linear in its length.

Accepted beyond RFC 8259: single and typographic quotes, bare keys, Python's ``True`` and ``None``, trailing
commas, line comments, line breaks in strings, numbers with a decimal comma, and a text that ends too early. A
value that the end of the text cuts through is left out: of ``{"verdict": "no`` nobody knows how it goes on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

Json = None | bool | float | str | list["Json"] | dict[str, "Json"]
MAX_DEPTH: Final = 24
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "’": "’", "`": "`"}
_WORDS: Final[dict[str, Json]] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nan": None,
    "undefined": None,
}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_SPACE: Final = re.compile(r"(?:\s|//[^\n]*)*")
_BLANK: Final = re.compile(r"\s*")
_NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
_COMMA_FRACTION: Final = re.compile(r",(\d+)(?=\s*(?:[,}\]]|$))")
_WORD: Final = re.compile(r"[^\s,:{}\[\]\"']+")
_BARE_END: Final = re.compile(r"[,}\]\n]")


class _CutOff(Exception):
    """The text ends inside a value."""


class _NotJson(Exception):
    """No reading makes sense of this."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object in a text."""

    value: dict[str, Json]
    start: int
    end: int
    complete: bool
    """False where the text ended before the object did."""


def find_objects(text: str, limit: int = 16) -> list[Found]:
    """The outermost objects of a text, in their order; at most ``limit`` braces are tried."""
    found: list[Found] = []
    position = 0
    for _ in range(limit):
        start = text.find("{", position)
        if start < 0:
            break
        reader = _Reader(text, start)
        try:
            value = reader.value(depth=0)
        except (_NotJson, _CutOff):
            position = start + 1
            continue
        if isinstance(value, dict) and (value or reader.cut):
            found.append(Found(value, start, reader.position, complete=not reader.cut))
        position = max(reader.position, start + 1)
    return found


class _Reader:
    """Recursive descent over one text."""

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.cut = False

    def value(self, depth: int, *, member: bool = False) -> Json:
        if depth > MAX_DEPTH:
            raise _NotJson
        character = self._next()
        if character == "{":
            return self._object(depth)
        if character == "[":
            return self._array(depth)
        if character in _QUOTES:
            return self._string(_QUOTES[character])
        number = _NUMBER.match(self.text, self.position)
        if number is not None:
            return self._number(number, member=member)
        return self._word()

    def _object(self, depth: int) -> dict[str, Json]:
        members: dict[str, Json] = {}
        self.position += 1
        try:
            while (character := self._next()) != "}":
                if character == ",":
                    self.position += 1
                    continue
                key = self._string(_QUOTES[character]) if character in _QUOTES else self._key()
                if self._next() not in (":", "="):
                    raise _NotJson
                self.position += 1
                members[key] = self.value(depth + 1, member=True)
                if self.cut:
                    return members
                if self._next() not in ",}":
                    raise _NotJson
        except _CutOff:
            self.cut = True
            return members
        self.position += 1
        return members

    def _array(self, depth: int) -> list[Json]:
        items: list[Json] = []
        self.position += 1
        try:
            while (character := self._next()) != "]":
                if character == ",":
                    self.position += 1
                    continue
                items.append(self.value(depth + 1))
                if self.cut:
                    return items
                if self._next() not in ",]":
                    raise _NotJson
        except _CutOff:
            self.cut = True
            return items
        self.position += 1
        return items

    def _string(self, quote: str) -> str:
        """A quote that no comma, colon or bracket follows belongs to the string ("the "exit" sign")."""
        parts: list[str] = []
        self.position += 1
        while True:
            if self.position >= len(self.text):
                raise _CutOff
            character = self.text[self.position]
            self.position += 1
            if character == "\\":
                parts.append(self._escape())
            elif character == quote and self._ends_string():
                return "".join(parts)
            else:
                parts.append(character)

    def _ends_string(self) -> bool:
        after = _BLANK.match(self.text, self.position)
        end = after.end() if after is not None else self.position
        return end >= len(self.text) or self.text[end] in ",:}]=;" or self.text.startswith("//", end)

    def _escape(self) -> str:
        if self.position >= len(self.text):
            raise _CutOff
        character = self.text[self.position]
        self.position += 1
        if character != "u":
            return _ESCAPES.get(character, character)
        digits = self.text[self.position : self.position + 4]
        if len(digits) < 4:
            raise _CutOff
        try:
            code = int(digits, 16)
        except ValueError:
            return "u"
        self.position += 4
        return chr(code) if not 0xD800 <= code <= 0xDFFF else "�"

    def _number(self, number: re.Match[str], *, member: bool) -> float | str:
        """In ``[1,2]`` a comma separates; a member's value may have a decimal comma: no key is a number."""
        text, end = number.group(), number.end()
        fraction = _COMMA_FRACTION.match(self.text, end) if member and "." not in text else None
        if fraction is not None:
            text, end = f"{text}.{fraction.group(1)}", fraction.end()
        if end >= len(self.text):
            raise _CutOff
        after = _BLANK.match(self.text, end)
        following = after.end() if after is not None else end
        ends = following >= len(self.text) or self.text[following] in ",}]"
        if not ends and not self.text.startswith("//", following):
            return self._bare()
        self.position = end
        return float(text)

    def _bare(self) -> str:
        """An unquoted value such as ``4/5`` or ``0.3 m``, up to the next comma, bracket or line end."""
        end = _BARE_END.search(self.text, self.position)
        if end is None:
            raise _CutOff
        text = self.text[self.position : end.start()].strip()
        self.position = end.start()
        return text

    def _word(self) -> Json:
        word = _WORD.match(self.text, self.position)
        if word is None:
            raise _NotJson
        if word.end() >= len(self.text):
            raise _CutOff
        if word.group().casefold() in _WORDS:
            self.position = word.end()
            return _WORDS[word.group().casefold()]
        return self._bare()

    def _key(self) -> str:
        word = _WORD.match(self.text, self.position)
        if word is None:
            raise _NotJson
        self.position = word.end()
        return word.group()

    def _next(self) -> str:
        """Skip space and comments; the character that follows."""
        space = _SPACE.match(self.text, self.position)
        if space is not None:
            self.position = space.end()
        if self.position >= len(self.text):
            raise _CutOff
        return self.text[self.position]

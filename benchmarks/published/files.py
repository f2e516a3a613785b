"""Reading a published CSV file: every fault names the file, the line and the column."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arwarden.core.errors import InputError
from benchmarks.published.printed import Printed


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, by the names of its columns."""

    source: str
    number: int
    cells: dict[str, str]

    def text(self, column: str) -> str:
        """The cell, which must not be empty.

        Raises:
            InputError: it is.
        """
        if not self.cells[column]:
            raise self.fault(column, "is empty")
        return self.cells[column]

    def printed(self, column: str) -> Printed:
        """The cell as a printed number.

        Raises:
            InputError: it is none.
        """
        try:
            return Printed.parse(self.text(column))
        except ValueError as error:
            raise self.fault(column, str(error)) from None

    def count(self, column: str) -> int:
        """The cell as a count.

        Raises:
            InputError: it is no whole number above zero.
        """
        text = self.text(column)
        if not text.isdecimal() or int(text) == 0:
            raise self.fault(column, f"{text!r} is not a whole number above zero")
        return int(text)

    def one_of(self, column: str, names: Sequence[str]) -> str:
        """The cell, which must be one of these names.

        Raises:
            InputError: it is another.
        """
        text = self.text(column)
        if text not in names:
            raise self.fault(column, f"{text!r} is not one of {', '.join(names)}")
        return text

    def fault(self, column: str, problem: str) -> InputError:
        """The error for a cell of this line."""
        return InputError(self.source, f"line {self.number}, column {column}: {problem}")


def lines(path: Path, columns: Sequence[str], key: Sequence[str]) -> list[Line]:
    """All lines of a file that has at least these columns; no two agree in all columns of ``key``.

    A byte order mark, which spreadsheets write, is passed over.

    Raises:
        InputError: the file is missing, unreadable or empty, lacks a column, or a line is short or doubled.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                said = f"columns are missing: {', '.join(missing)}"
                raise InputError(str(path), said + _separated(reader.fieldnames or ()))
            found = [Line(str(path), reader.line_num, _cells(path, reader.line_num, row)) for row in reader]
    except FileNotFoundError:
        raise InputError(str(path), "not found; --published names the folder that holds it") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(str(path), f"cannot be read as CSV: {error}") from None
    if not found:
        raise InputError(str(path), "holds no lines below its heading")
    keys = Counter(tuple(line.cells[name] for name in key) for line in found)
    doubled = [name for name, count in keys.items() if count > 1]
    if key and doubled:
        raise InputError(str(path), f"holds more than one line for {', '.join(doubled[0])}")
    return found


def _separated(names: Sequence[str]) -> str:
    """What a heading that is one cell is likely to be separated by instead."""
    other = next((mark for mark in ";\t" if len(names) == 1 and mark in names[0]), None)
    what = {";": "semicolons", "\t": "tabs"}
    return "" if other is None else f"; it is separated by {what[other]}: save it separated by commas"


def _cells(path: Path, number: int, row: dict[str | None, str | None]) -> dict[str, str]:
    cells = {name: value.strip() for name, value in row.items() if name is not None and value is not None}
    if len(cells) != len(row):
        raise InputError(str(path), f"line {number} does not have one cell for each column")
    return cells

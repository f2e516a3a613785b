"""The file of rows: appended to as answers come in, read back when a run goes on."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from arwarden.core.errors import InputError
from benchmarks.runs.calls import Key, Row


class RowFile:
    """Rows of one run. A last line that was cut off when the run was killed is dropped, and asked for again.

    Raises:
        InputError: it cannot be written, it holds rows and ``resume`` is not said, a line of it is no row, or
            another run has it.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self._path = path
        self._rows: dict[Key, Row] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._out = path.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(
                str(path), f"cannot be written: {error.strerror}; choose another --out"
            ) from None
        try:
            self._read(resume=resume)
        except BaseException:
            self._out.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._out.close()

    def _read(self, *, resume: bool) -> None:
        try:
            fcntl.flock(self._out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                str(self._path), "another run is writing it; wait for its end or choose another --out"
            ) from None
        whole = _whole_lines(self._path)
        if whole and not resume:
            raise InputError(
                str(self._path),
                "holds the rows of an earlier run; go on with --resume or choose another --out",
            )
        for number, line in enumerate(whole, start=1):
            row = _row(self._path, number, line)
            self._rows[row.key] = row

    def answered(self, key: Key) -> bool:
        """Whether the question has had an answer. One that failed is asked again."""
        row = self._rows.get(key)
        return row is not None and row.given.answered

    def foreseen(self, keys: Iterable[Key]) -> set[Key]:
        """Those that are answered, as far as a dry run can tell: it knows no weights of what is not open.

        The version of such a question is only how that of its answer begins.
        """
        versions: dict[Key, list[str]] = {}
        for key in self._rows:
            if self.answered(key):
                versions.setdefault(replace(key, asked=""), []).append(key.asked)
        return {
            key
            for key in keys
            if any(version.startswith(key.asked) for version in versions.get(replace(key, asked=""), ()))
        }

    def add(self, row: Row) -> None:
        """Append a row; it is in the file when this returns."""
        self._out.write(json.dumps(row.as_json(), ensure_ascii=False) + "\n")
        self._out.flush()
        self._rows[row.key] = row

    def of(self, keys: Iterable[Key]) -> list[Row]:
        """The rows of these questions that are there, in their order."""
        return [self._rows[key] for key in keys if key in self._rows]


def _whole_lines(path: Path) -> list[str]:
    """The lines that were written to their end; what follows them is cut off the file."""
    if not path.exists():
        return []
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        with path.open("r+b") as file:
            file.truncate(end)
    try:
        # Not splitlines(): it ends lines at U+2028 and others too, which JSON leaves as they are.
        return content[:end].decode("utf-8").split("\n")[:-1]
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"is no file of rows: {error}") from None


def _row(path: Path, number: int, line: str) -> Row:
    try:
        return Row.from_json(json.loads(line))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(str(path), f"line {number} is no row ({type(error).__name__}: {error})") from None

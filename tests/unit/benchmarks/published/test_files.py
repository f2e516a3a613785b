from __future__ import annotations

from pathlib import Path

import pytest

from arwarden.core.errors import InputError
from benchmarks.published.files import Line, lines


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    return path


def one_line(tmp_path: Path, cells: str) -> Line:
    return lines(written(tmp_path, f"name,value\n{cells}\n"), ("name", "value"), ("name",))[0]


def test_lines_by_column_with_either_line_end(tmp_path: Path) -> None:
    found = lines(written(tmp_path, "name,value\r\na, 1\r\nb,2\r\n"), ("name",), ("name",))
    assert [(line.number, line.text("name"), line.text("value")) for line in found] == [
        (2, "a", "1"),
        (3, "b", "2"),
    ]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    (found,) = lines(written(tmp_path, "\ufeffname,value\na,1\n"), ("name", "value"), ("name",))
    assert found.text("name") == "a"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\na\n", r"table\.csv: columns are missing: value"),
        ("", "columns are missing: name, value"),
        ("name;value\na;1\n", "missing: name, value; it is separated by semicolons: save it"),
        ("name\tvalue\n", "separated by tabs"),
        ("name,value\n", "holds no lines below its heading"),
        ("name,value\na\n", "line 2 does not have one cell for each column"),
        ("name,value\na,1,2\n", "line 2 does not have one cell for each column"),
        ("name,value\na,1\na,2\n", "holds more than one line for a"),
    ],
)
def test_damaged_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lines(written(tmp_path, text), ("name", "value"), ("name",))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.csv: not found; --published names the folder"):
        lines(tmp_path / "missing.csv", ("name",), ("name",))
    with pytest.raises(InputError, match="cannot be read as CSV"):
        lines(tmp_path, ("name",), ("name",))
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"name\n\xff\xfe\n")
    with pytest.raises(InputError, match="cannot be read as CSV"):
        lines(binary, ("name",), ("name",))


@pytest.mark.parametrize(
    ("cells", "message"),
    [("a,", "line 2, column value: is empty"), ("a,nan", "column value: 'nan' is not a printed number")],
)
def test_cells_that_are_no_numbers(tmp_path: Path, cells: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        one_line(tmp_path, cells).printed("value")


def test_counts_and_names(tmp_path: Path) -> None:
    line = one_line(tmp_path, "a,12")
    assert line.count("value") == 12
    assert line.one_of("name", ("a", "b")) == "a"
    with pytest.raises(InputError, match="column name: 'a' is not one of b, c"):
        line.one_of("name", ("b", "c"))
    for bad in ("0", "-1", "1.5", "x"):
        with pytest.raises(InputError, match="is not a whole number above zero"):
            one_line(tmp_path, f"a,{bad}").count("value")

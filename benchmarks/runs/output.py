"""Summaries, tables and figures on disk."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from rich.console import Console

FIGURE_ENDINGS: Final = ("png", "svg")
DPI: Final = 150
mpl.rcParams["svg.hashsalt"] = "arwarden"  # the same figure gives the same file


def plain_console(file: IO[str] | None = None) -> Console:
    """A console that shows names as they are: ``openai:x:`` is no emoji, ``[b]`` in a path no markup.

    Lines are not broken, so that paths and commands can be copied and searched for.
    """
    return Console(file=file, markup=False, emoji=False, highlight=False, soft_wrap=True)


def seconds_axis(axes: Axes) -> None:
    """A logarithmic axis of seconds with plain numbers at 1, 2 and 5."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """A summary as JSON.

    Raises:
        ValueError: a number is NaN or infinite; what is not defined is None.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, all others to the right."""
    marks = [":---", *("---:" for _ in heading[1:])]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (heading, marks, *rows)]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def number(value: float | None, digits: int = 2) -> str:
    """A number with so many digits; a dash where there is none."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def p_value(p: float | None) -> str:
    """A p-value as the papers print it."""
    if p is None:
        return "–"
    return "<.001" if p < 0.001 else ">.999" if p > 0.999 else f"{p:.3f}".removeprefix("0")


def save_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """The figure as PNG and SVG; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{ending}" for ending in FIGURE_ENDINGS]
    for path in paths:
        figure.savefig(
            path, dpi=DPI, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None
        )
    return paths

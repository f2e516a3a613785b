"""Whether the tables are there in full: what lacks a line would be reproduced with one number less."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks.published.files import lines
from benchmarks.verify.outcome import Table, compared

LINES: Mapping[str, int] = {
    "contrar_distribution": 2,
    "contrar_detection": 24,
    "ratear_images": 18,
    "ratear_videos": 17,
    "ratear_prompt_ablation": 9,
    "ratear_images_ci95": 13,
    "ratear_videos_ci95": 15,
    "ratear_videos_pvalues": 45,
    "psychophysics_intra_model_vr": 18,
    "psychophysics_cross_model_vr": 45,
    "psychophysics_correlation": 13,
    "psychophysics_human_zscores": 231,
}
"""File → lines below its heading, as published."""


def table(folder: Path) -> Table:
    """The number of lines of every file.

    Raises:
        InputError: a file is missing or damaged.
    """
    counts = {name: len(lines(folder / f"{name}.csv", (), ())) for name in LINES}
    return Table(
        "lines of the files",
        "no line is missing or added",
        tuple(
            compared(name, "lines", str(wanted), str(counts[name]), same=counts[name] == wanted)
            for name, wanted in LINES.items()
        ),
    )

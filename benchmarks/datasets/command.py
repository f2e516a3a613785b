"""``python -m benchmarks data``: check a set, or generate one."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from arwarden.core.errors import ConfigError
from arwarden.headset.pictures import PictureSize
from benchmarks.datasets import arvim, contrar, diversear, psychophysics, ratear
from benchmarks.datasets.checks import Level, Problem
from benchmarks.datasets.generate_arvim import generate_arvim
from benchmarks.datasets.generate_contrar import SEED, VideoOrder, generate_contrar
from benchmarks.datasets.generate_diversear import generate_diversear
from benchmarks.datasets.generate_psychophysics import generate_psychophysics
from benchmarks.datasets.generate_ratear import generate_ratear
from benchmarks.datasets.origin import origin_of
from benchmarks.published.tables import contrar_distribution
from benchmarks.runs.output import plain_console
from models.assets.library import AssetsMissing

SETS = ("contrar", "ratear-images", "ratear-videos", "diversear", "arvim", "psychophysics")
GENERATED = ("contrar", "ratear", "diversear", "arvim", "psychophysics")
PAIRS = {"diversear": generate_diversear, "arvim": generate_arvim}
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.group("data")
def command() -> None:
    """Check a data set of a paper or of your own, or generate one in the same layout."""


@command.command("check")
@click.argument("layout", type=click.Choice(SETS))
@click.argument("folder", type=FOLDER)
@click.option("--published", type=FOLDER, help="Folder of the published tables; counts are compared with it.")
@click.option("--thoroughly", is_flag=True, help="Decode every file, not only its head.")
def check(*, layout: str, folder: Path, published: Path | None, thoroughly: bool) -> None:
    """Say what is missing or inconsistent; the exit status is 1 where a benchmark cannot run."""
    problems, count = _loaded(layout, folder, published, thoroughly=thoroughly)
    console = plain_console()
    console.print(f"{origin_of(folder).label}; {count} samples")
    for problem in problems:
        console.print(str(problem))
    bad = Counter(problem.level for problem in problems)
    console.print(f"{bad[Level.ERROR]} errors, {bad[Level.NOTE]} notes")
    if bad[Level.ERROR] or not count:
        sys.exit(1)


def _loaded(
    layout: str, folder: Path, published: Path | None, *, thoroughly: bool
) -> tuple[tuple[Problem, ...], int]:
    if layout == "contrar":
        counts = None if published is None else contrar_distribution(published)
        videos = contrar.load(folder, counts, thoroughly=thoroughly)
        return videos.problems, len(videos.samples)
    if layout.startswith("ratear"):
        rated = ratear.load(folder, layout.removeprefix("ratear-"), thoroughly=thoroughly)
        return rated.problems, len(rated.samples)
    if layout == "psychophysics":
        found = psychophysics.load(folder, thoroughly=thoroughly).checked
        return found.problems, len(found.samples)
    if layout == "arvim":
        attacked = arvim.load(folder, thoroughly=thoroughly)
        return attacked.problems, len(attacked.samples)
    pairs = diversear.load(folder, thoroughly=thoroughly)
    return pairs.problems, len(pairs.samples)


@command.command("generate")
@click.argument("layout", type=click.Choice(GENERATED))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--count", type=click.IntRange(1), default=20, show_default=True, help="Samples; scenes of pairs."
)
@click.option("--seed", type=int, default=SEED, show_default=True)
@click.option("--size", type=str, default="1280x720", show_default=True, help="WIDTHxHEIGHT of a picture.")
@click.option(
    "--seconds", nargs=2, type=float, default=(5.0, 15.0), show_default=True, help="Of a video: from, to."
)
@click.option("--backgrounds", type=FOLDER, help="Folder of photos; drawn rooms without it.")
@click.option(
    "--media", type=click.Choice(("images", "videos")), default="images", show_default=True, help="Of ratear."
)
def generate(
    *, layout: str, folder: Path, count: int, seed: int, size: str, seconds: tuple[float, float],
    backgrounds: Path | None, media: str,
) -> None:  # fmt: skip
    """Write a generated set. Results on it are labelled as such.

    Scenes for contrar need `python -m models.assets.fetch --out build/assets` once.
    """
    picture = PictureSize.parse(size)
    size_px = (picture.width_px, picture.height_px)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns) as progress:
        bar = progress.add_task(layout, total=count)
        try:
            if layout == "contrar":
                order = VideoOrder(count, seed, size_px, seconds, backgrounds)
                generate_contrar(folder, order, step=lambda: progress.advance(bar))
            elif layout in PAIRS:
                PAIRS[layout](folder, count, seed=seed, size_px=size_px, step=lambda: progress.advance(bar))
            elif layout == "ratear":
                generate_ratear(
                    folder, count, seed=seed, size_px=size_px, media=media, step=lambda: progress.advance(bar)
                )
            else:
                generate_psychophysics(
                    folder, count, seed=seed, size_px=size_px, backgrounds=backgrounds,
                    step=lambda: progress.advance(bar),
                )  # fmt: skip
        except (AssetsMissing, ValueError) as error:
            raise ConfigError(layout, [f"the set cannot be drawn: {error}"]) from error
    click.echo(f"written: {folder}")

"""The options that every suite takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import click

from arwarden.config import Config
from arwarden.config.file import load_config
from benchmarks.runs.methods import HELP, Spec, parse_methods

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "benchmarks"
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_OPTIONS = (
    click.option(
        "--data", type=FOLDER, required=True, help="The set; `python -m benchmarks data` checks one."
    ),
    click.option("--judge", "judges", multiple=True, required=True, help=HELP),
    click.option("--limit", type=click.IntRange(1), help="Only so many samples, spread over the set."),
    click.option("--runs", type=click.IntRange(1, 100), default=3, show_default=True, help="Repetitions."),
    click.option(
        "--resume", is_flag=True, help="Go on where an earlier run into the same --out was stopped."
    ),
    click.option(
        "--out", type=click.Path(path_type=Path), help="Where results go.  [default: build/benchmarks/SUITE]"
    ),
    click.option("--dry-run", is_flag=True, help="Say how many calls it takes and what they cost at most."),
    click.option(
        "--concurrency", type=click.IntRange(1, 64), default=2, show_default=True, help="Open questions."
    ),
    click.option(
        "--calls-per-minute", type=click.FloatRange(min=0.1), help="Questions to judges, spread evenly."
    ),
    click.option(
        "--engine",
        type=click.Choice(["process", "ray"]),
        default="process",
        show_default=True,
        help="Who asks: this process, or workers of a Ray cluster.",
    ),
    click.option(
        "--ray-address", help="auto or HOST:PORT of a cluster.  [default: one of its own on this machine]"
    ),
    click.option("--workers", type=click.IntRange(1, 1024), help="Of the cluster.  [default: one a machine]"),
    click.option(
        "--deadline-ms", type=click.FloatRange(min=1), default=60_000, show_default=True, help="Per question."
    ),
    click.option(
        "--config",
        "config_file",
        type=click.Path(path_type=Path),
        help="The daemon's, for prices, prompts...",
    ),
    click.option("--published", type=FOLDER, help="Folder of the published tables, to show beside."),
)


class Engine(StrEnum):
    """Who asks."""

    PROCESS = "process"
    """The run's own process."""
    RAY = "ray"
    """Workers of a Ray cluster."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What was asked for on the command line."""

    suite: str
    data: Path
    methods: tuple[Spec, ...]
    config: Config
    out: Path
    limit: int | None = None
    runs: int = 3
    resume: bool = False
    dry_run: bool = False
    concurrency: int = 2
    deadline_ms: float = 60_000
    published: Path | None = None
    engine: Engine = Engine.PROCESS
    ray_address: str | None = None
    workers: int | None = None
    calls_per_minute: float | None = None


def run_options(suite: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the command gets ``options``, a ``RunOptions``, and its own options by name."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def gathered(
            *,
            data: Path,
            judges: tuple[str, ...],
            out: Path | None,
            config_file: Path | None,
            limit: int | None,
            runs: int,
            resume: bool,
            dry_run: bool,
            concurrency: int,
            deadline_ms: float,
            published: Path | None,
            engine: str,
            ray_address: str | None,
            workers: int | None,
            calls_per_minute: float | None,
            **own: Any,  # noqa: ANN401 - options of the suite
        ) -> None:
            config = load_config(config_file) if config_file else Config()
            options = RunOptions(
                suite=suite,
                data=data,
                methods=tuple(parse_methods(judges)),
                config=config,
                out=out or BUILD / suite,
                limit=limit,
                runs=runs,
                resume=resume,
                dry_run=dry_run,
                concurrency=concurrency,
                deadline_ms=deadline_ms,
                published=published,
                engine=Engine(engine),
                ray_address=ray_address,
                workers=workers,
                calls_per_minute=calls_per_minute,
            )
            function(options=options, **own)

        gathered.__doc__ = function.__doc__
        gathered.__name__ = function.__name__
        wrapped: Callable[..., None] = gathered
        wrapped.__dict__.update(function.__dict__)
        for option in reversed(_OPTIONS):
            wrapped = option(wrapped)
        return wrapped

    return decorate


def spread(samples: int, limit: int | None) -> list[int]:
    """Which of so many samples are taken: all, or ``limit`` of them at even distances."""
    if limit is None or limit >= samples:
        return list(range(samples))
    return sorted({index * samples // limit for index in range(limit)})

"""``python -m benchmarks eval``."""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from arwarden.config import Config
from arwarden.config.file import load_config
from arwarden.core.clock import SystemClock
from arwarden.core.errors import ConfigError
from arwarden.fast.claims import Lexicon
from arwarden.fast.elements.detector import ElementDetector
from arwarden.fast.elements.weights import load_weights, shipped_folder
from arwarden.fast.pairs.model import open_shipped
from arwarden.fast.words.model import WordModel, open_words
from arwarden.offline import OfflineAnalyser
from benchmarks.eval.causes import Engine
from benchmarks.eval.judge import Judge, RecordingFinder
from benchmarks.eval.material import Material, Part
from benchmarks.eval.report import Setting, markdown
from benchmarks.eval.score import Evaluation
from benchmarks.eval.sheets import write_sheets
from benchmarks.eval.timed import TimedTier
from benchmarks.machine import Machine, load_average
from models.assets.library import AssetsMissing
from models.scenes.art.painter import default_library
from models.scenes.kinds import Split
from models.words.held_out import pattern as held_out_names

ROOT = Path(__file__).parents[2]
PHOTOS = ROOT.parent / "shared" / "data" / "backgrounds"
WIDTH = 120
COUNTS: Mapping[Part, int] = {
    Part.FRAMES: 312,
    Part.HELD_OUT: 156,
    Part.CLIPS: 40,
    Part.CROWDED: 300,
    Part.NEGATIVES: 288,
    Part.RECORDINGS: 12,
}
QUICK: Mapping[Part, int] = {
    Part.FRAMES: 32,
    Part.HELD_OUT: 16,
    Part.CLIPS: 3,
    Part.CROWDED: 16,
    Part.NEGATIVES: 20,
    Part.RECORDINGS: 1,
}
RECORDINGS_SHARE = 0.04
"""Of what shows no virtual content so much is moving."""
WITHOUT_NETWORKS = "none, text alone is judged"


class Words(Enum):
    """Which names there are for pictures of no class."""

    SHIPPED = "shipped"
    STRICT = "strict"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Tier:
    """The tier under test, and what its networks say on the way."""

    config: Config
    judge: Judge
    finder: RecordingFinder | None
    networks: str


@click.command("eval")
@click.option(
    "--frames", type=click.IntRange(0), help=f"Pictures of known kinds.  [default: {COUNTS[Part.FRAMES]}]"
)
@click.option(
    "--held-out", type=click.IntRange(0), help=f"Of held-out kinds.  [default: {COUNTS[Part.HELD_OUT]}]"
)
@click.option("--clips", type=click.IntRange(0), help=f"Videos.  [default: {COUNTS[Part.CLIPS]}]")
@click.option(
    "--negatives", type=click.IntRange(0), help="Without virtual content, some moving.  [default: 300]"
)
@click.option("--crowded", type=click.IntRange(0), help="Full of pictures, for elements.  [default: 300]")
@click.option("--minutes", type=click.FloatRange(min=0.1), default=math.inf, help="Stop after this time.")
@click.option("--quick", is_flag=True, help="A few of each, in about two minutes.")
@click.option(
    "--split",
    type=click.Choice([split.value for split in Split]),
    default=Split.TEST.value,
    show_default=True,
    help="Develop on validation; the test split is for reporting.",
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--backgrounds",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of photos; the shared ones where they are there, else drawn rooms.",
)
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path), help="Configuration of the daemon (YAML)."
)
@click.option(
    "--weights",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of element networks instead of the shipped ones.",
)
@click.option(
    "--words",
    type=click.Choice([one.value for one in Words]),
    default=Words.STRICT.value,
    show_default=True,
    help="Names for pictures of no class: all, those that speak of no held-out kind, or none.",
)
@click.option("--no-elements", is_flag=True, help="Judge text alone, as without element networks.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=ROOT / "build",
    help="Where results go.  [default: build]",
)
def command(
    *,
    frames: int | None,
    held_out: int | None,
    clips: int | None,
    negatives: int | None,
    crowded: int | None,
    minutes: float,
    quick: bool,
    split: str,
    seed: int,
    backgrounds: Path | None,
    config_file: Path | None,
    weights: Path | None,
    words: str,
    no_elements: bool,
    out: Path,
) -> None:
    """Verdicts of the fast tier on generated scenes that nothing was trained or tuned on.

    Writes eval.json, and into eval/ the report, and contact sheets of all wrong verdicts. What was drawn is
    kept there: a second run draws nothing anew. Ctrl-C reports what has been judged by then.
    """
    photos = backgrounds if backgrounds is not None else PHOTOS if PHOTOS.is_dir() else None
    asked = {Part.FRAMES: frames, Part.HELD_OUT: held_out, Part.CLIPS: clips, Part.CROWDED: crowded}
    counts = _counts(QUICK if quick else COUNTS, asked, negatives)
    material = open_material(out / "eval" / "material", Split(split), seed, photos)
    console = Console(width=WIDTH)
    machine = Machine.now()
    with _tier(config_file, weights, Words(words), no_elements=no_elements) as tier:
        result = evaluate(tier, material, counts, minutes)
        networks = tier.networks
    world = "drawn rooms, for want of photos" if photos is None else f"photos of {photos.name}"
    text = markdown(result, Setting(split, world, networks, machine, load_average()))
    folder = out / "eval" / split
    folder.mkdir(parents=True, exist_ok=True)
    name = "eval.json" if split == Split.TEST.value else f"eval-{split}.json"
    (out / name).write_text(json.dumps(result.as_json(), indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(text, encoding="utf-8")
    write_sheets(result.records, material.folder, folder)
    console.print(Markdown(text))
    console.print(f"{out / name}, {folder / 'report.md'}, wrong verdicts as pictures in {folder}")


def open_material(root: Path, split: Split, seed: int, photos: Path | None) -> Material:
    """What is judged. Raises ``ConfigError`` where what it is drawn with has to be fetched first."""
    try:
        default_library().require()
        return Material(root, split, seed=seed, backgrounds=photos)
    except AssetsMissing as error:
        raise ConfigError("eval", [str(error)]) from error
    except ValueError as error:
        raise ConfigError("--backgrounds", [str(error)]) from error


def evaluate(
    tier: Tier, material: Material, counts: Mapping[Part, int], minutes: float = math.inf
) -> Evaluation:
    """Judge so many items of each part, for so long; Ctrl-C ends it with what has been judged by then."""
    result = Evaluation()
    end_s = time.monotonic() + 60.0 * minutes
    columns = (
        TextColumn("{task.description:12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    items = interleaved(counts)
    with (
        Progress(*columns, console=Console(stderr=True)) as progress,
        contextlib.suppress(KeyboardInterrupt),
    ):
        bar = progress.add_task("", total=len(items))
        for part, index in items:
            if time.monotonic() > end_s:
                break
            progress.update(bar, description=part.value.replace("_", " "))
            _judge(tier, material, part, index, result)
            progress.advance(bar)
    result.not_reached = len(items) - len(result.records) - result.without_room - result.crowded
    return result


def interleaved(counts: Mapping[Part, int]) -> list[tuple[Part, int]]:
    """All items in an order in which a run that is ended early has a share of every part, of both labels."""
    # Labels alternate with the number, so numbers are taken by twos.
    items = [
        ((index // 2 + 0.5) / math.ceil(count / 2), part, index)
        for part, count in counts.items()
        for index in range(count)
    ]
    return [(part, index) for _, part, index in sorted(items)]


def _judge(tier: Tier, material: Material, part: Part, index: int, result: Evaluation) -> None:
    if part.moving:
        video = material.moving(part, index)
        if video is None:
            result.without_room += 1
        else:
            result.records.append(tier.judge.moving(part, video))
        return
    picture = material.still(part, index)
    if picture is None:
        result.without_room += 1
        return
    if part is Part.CROWDED:
        if tier.finder is not None:
            tier.finder.look(picture.rgb())
            result.elements.add(picture.truth, tier.finder)
        result.crowded += 1
        return
    result.records.append(tier.judge.still(part, picture))
    if tier.finder is not None:
        result.elements.add(picture.truth, tier.finder)


def _counts(
    usual: Mapping[Part, int], asked: Mapping[Part, int | None], negatives: int | None
) -> dict[Part, int]:
    """What was asked for, else the usual; labels alternate, so that even numbers are balanced."""
    if negatives is not None:
        moving = round(negatives * RECORDINGS_SHARE)
        asked = {**asked, Part.NEGATIVES: negatives - moving, Part.RECORDINGS: moving}
    return {part: given if (given := asked.get(part)) is not None else count for part, count in usual.items()}


@contextlib.contextmanager
def _tier(
    config_file: Path | None, weights: Path | None, words: Words, *, no_elements: bool
) -> Iterator[Tier]:
    config = load_config(config_file) if config_file is not None else Config()
    folder = None if no_elements else weights or shipped_folder()
    finder = None
    if folder is not None:
        networks = load_weights(folder)
        detector = ElementDetector(networks, threads=config.fast.threads)
        detector.warm_up()
        finder = RecordingFinder(detector, {name for name, share in networks.least.items() if share > 1.0})
    tier = TimedTier(
        config.fast.model_copy(update={"elements": folder is not None}),
        SystemClock(),
        finder=finder,
        words=None if finder is None else _words(words, config.fast.threads),
    )
    pairs = open_shipped(threads=config.fast.threads) if config.fast.pairs else None
    lexicon = Lexicon.load(config.fast.languages, config.fast.lexicons)
    engine = Engine(lexicon, config.alerts.min_confidence, pairs)
    judge = Judge(OfflineAnalyser(config, tier), engine, config.alerts.min_confidence, finder)
    try:
        yield Tier(config, judge, finder, WITHOUT_NETWORKS if folder is None else _name(folder))
    finally:
        tier.close_now()


def _words(words: Words, threads: int) -> WordModel | None:
    if words is Words.NONE:
        return None
    held_out = held_out_names()
    return open_words(
        threads=threads,
        unwanted=(lambda name: bool(held_out.search(name))) if words is Words.STRICT else None,
    )


def _name(folder: Path) -> str:
    files = load_weights(folder).files
    return f"{folder.name} ({', '.join(f'{one.name} {one.sha256[:8]}' for one in files)})"

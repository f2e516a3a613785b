"""``arwarden explain``: why a picture or video is or is not contradictory, as a picture and a graph."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import cv2
from rich.console import Console
from rich.progress import Progress

from arwarden.config import Config
from arwarden.config.file import load_config
from arwarden.core.clock import SystemClock
from arwarden.core.errors import InputError
from arwarden.core.findings import Findings
from arwarden.core.frame import ByteImage
from arwarden.explain import graph, reasoning
from arwarden.explain.picture import explained
from arwarden.explain.reasoning import Reasoning
from arwarden.explain.words import tree
from arwarden.fast.claims import Lexicon
from arwarden.fast.tier import FastTier
from arwarden.headset.pictures import load_rgb
from arwarden.offline import OfflineAnalyser, SampleReport, moving


@click.command("explain")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("explained"),
    show_default=True,
    help="Folder for the annotated picture (PNG), the page (HTML), the graph (dot) and the tree (txt).",
)
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Configuration file (YAML).")
def command(file: Path, out: Path, config_file: Path | None, *, show: bool) -> None:
    """Show what the fast tier sees in FILE, what it takes it to claim, and what it compared with what.

    Of a video the moment with the strongest finding is shown; without any, the one with most elements.
    """
    config = load_config(config_file) if config_file else Config()
    out = _folder(out)
    with _tier(config) as tier:
        rgb, findings, when = _judged(OfflineAnalyser(config, tier), file)
    lexicon = Lexicon.load(config.fast.languages, config.fast.lexicons)
    result = reasoning(findings.elements, findings.findings, lexicon, config.alerts.min_confidence)
    click.echo(f"{file}{when}: {tree(result)}")
    written = _write(result, rgb, f"{file.name}{when}", out / file.name)
    click.echo("\n" + "\n".join(str(path) for path in written))
    if show:
        webbrowser.open(written[1].resolve().as_uri())


@contextmanager
def _tier(config: Config) -> Iterator[FastTier]:
    tier = FastTier(config.fast, SystemClock())
    try:
        yield tier
    finally:
        tier.close_now()


def _folder(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(out), f"is no folder to write to: {error.strerror or error}") from error
    return out


def _judged(analyser: OfflineAnalyser, file: Path) -> tuple[ByteImage, Findings, str]:
    """The picture to show, what was found in it, and for videos when it was."""
    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(file.name, total=1.0)
        report = analyser.analyse(file, lambda share: bars.update(bar, completed=share))
    if not report.samples:
        return load_rgb(file), report.last, ""
    sample = strongest(report.samples)
    for at_s, _, picture in moving(file):
        if at_s >= sample.at_s - 1e-6:
            return picture.rgb(), sample.findings, f" at {sample.at_s:.2f} s"
    raise InputError(str(file), "the moment of the finding is not in the file any more")


def strongest(samples: Sequence[SampleReport]) -> SampleReport:
    """The sample with the surest contradiction; without any, the one with most elements."""
    return max(samples, key=lambda one: (_surest(one.findings), len(one.findings.elements)))


def _surest(findings: Findings) -> float:
    return max((one.confidence for one in findings.findings if one.kind == "contradiction"), default=0.0)


def _write(result: Reasoning, rgb: ByteImage, title: str, stem: Path) -> list[Path]:
    done, data = cv2.imencode(".png", explained(rgb, result)[:, :, ::-1])
    if not done:
        raise InputError(str(stem), "the annotated picture could not be encoded")
    picture = data.tobytes()
    contents = {
        ".png": picture,
        ".html": graph.page(result, title, picture).encode(),
        ".dot": graph.dot(result).encode(),
        ".txt": tree(result).encode(),
    }
    written = []
    for suffix, content in contents.items():
        path = stem.with_name(stem.name + suffix)
        try:
            path.write_bytes(content)
        except OSError as error:
            raise InputError(str(path), f"cannot be written: {error.strerror or error}") from error
        written.append(path)
    return written

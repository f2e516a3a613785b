"""``arwarden analyse``: the fast tier on files, and a second opinion where one is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from arwarden.cli import EXIT_BAD_INPUT, second_opinion
from arwarden.cli.second_opinion import FileJudge
from arwarden.config import Config
from arwarden.config.file import load_config
from arwarden.core.clock import SystemClock
from arwarden.core.errors import InputError
from arwarden.core.findings import Element, Finding, FindingKind, Findings
from arwarden.core.opinion import Opinion
from arwarden.fast.tier import FastTier
from arwarden.offline import OfflineAnalyser, Report, media_files

JsonObject = Mapping[str, object]


@click.command("analyse")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="JSON Lines on standard output, one object per input.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Configuration file (YAML).")
@click.option(
    "--judge",
    type=click.Choice(second_opinion.KINDS),
    help="Ask for a second opinion: openai is any OpenAI-compatible endpoint (key in OPENAI_API_KEY), "
    "configured the judge of --config.",
)
@click.option("--base-url", help="The endpoint of --judge openai, up to its version: https://HOST/v1.")
@click.option("--model", help="The judge's model: its name at the endpoint, or a folder for qwen_vl.")
@click.option("--replay", type=click.Path(path_type=Path), help="Recorded answers for --judge replay.")
@click.option(
    "--deadline-ms",
    type=click.FloatRange(min=1, max=3_600_000),
    help="Longest wait for the judge, everything included.  [default: escalate.deadline_ms, 8000]",
)
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    *,
    config_file: Path | None,
    as_json: bool,
    judge: str | None,
    base_url: str | None,
    model: str | None,
    replay: Path | None,
    deadline_ms: float | None,
) -> None:
    """Judge pictures, videos and folders of them with the daemon's fast tier.

    A video is judged as a whole, with evidence over time as a live stream would be, and its samples are
    reported too. An input that cannot be read is named on standard error; the others are still judged,
    and the exit code is 2.

    Without --judge nothing leaves this machine. With it, pictures go to the judge; one that fails leaves
    the fast tier's result as it is, with a warning.
    """
    config = load_config(config_file) if config_file else Config()
    asked = _open_judge(config, judge, base_url=base_url, model=model, replay=replay, deadline_ms=deadline_ms)
    tier = FastTier(config.fast, SystemClock())
    analyser = OfflineAnalyser(config, tier)
    failed = False
    try:
        for path in _inputs(paths):
            if isinstance(path, InputError):
                failed = True
                click.echo(f"arwarden: {path}", err=True)
                continue
            try:
                report = _analyse(analyser, path, show_progress=not as_json)
            except InputError as error:
                failed = True
                click.echo(f"arwarden: {error}", err=True)
                continue
            opinion = None if asked is None else asked.ask(path, report)
            if opinion is not None:
                second_opinion.warn(report.source, opinion)
            click.echo(_line(report, opinion) if as_json else _words(report, opinion))
    finally:
        tier.close_now()
        if asked is not None:
            asked.close()
    ctx.exit(EXIT_BAD_INPUT if failed else 0)


def _open_judge(
    config: Config,
    kind: str | None,
    *,
    base_url: str | None,
    model: str | None,
    replay: Path | None,
    deadline_ms: float | None,
) -> FileJudge | None:
    if kind is None:
        if base_url or model or replay or deadline_ms:
            raise click.UsageError("--base-url, --model, --replay and --deadline-ms go with --judge")
        return None
    chosen = None if kind == "configured" else second_opinion.judge_of(kind, base_url, model, replay)
    return FileJudge(second_opinion.escalation(config.escalate, chosen, deadline_ms))


def _line(report: Report, opinion: Opinion | None) -> str:
    content = to_json(report)
    if opinion is not None:
        content = {**content, "judge": second_opinion.to_json(opinion)}
    return json.dumps(content, ensure_ascii=False)


def _words(report: Report, opinion: Opinion | None) -> str:
    return _text(report) if opinion is None else f"{_text(report)}\n{second_opinion.to_text(opinion)}"


def _inputs(paths: tuple[Path, ...]) -> Iterator[Path | InputError]:
    for path in paths:
        try:
            yield from media_files(path)
        except InputError as error:
            yield error


def _analyse(analyser: OfflineAnalyser, path: Path, *, show_progress: bool) -> Report:
    if not show_progress:
        return analyser.analyse(path)
    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(path.name, total=1.0)
        return analyser.analyse(path, lambda share: bars.update(bar, completed=share))


def to_json(report: Report) -> JsonObject:
    """The report as the object that ``--json`` prints."""
    content: dict[str, object] = {
        "source": report.source,
        "contradictory": report.contradictory,
        "confidence": round(report.confidence, 4),
        "findings": _of_content(report.findings),
        "elements": [_element(element) for element in report.last.elements],
        "quality": {**_quality(report.last), "faults": _of_picture(report.findings)},
        "latency_ms": _latency(report.stages_ms),
    }
    if report.duration_s is not None:
        content["duration_s"] = round(report.duration_s, 3)
        content["samples"] = [
            {
                "at_s": round(sample.at_s, 3),
                "findings": _of_content(sample.findings.findings),
                "faults": _of_picture(sample.findings.findings),
                "elements": [_element(element) for element in sample.findings.elements],
                "latency_ms": _latency(sample.findings.stages_ms),
            }
            for sample in report.samples
        ]
    return content


def _of_content(findings: Sequence[Finding]) -> list[JsonObject]:
    """What is wrong with the content. A picture without any, a black one above all, has none of these."""
    return [_finding(finding) for finding in findings if finding.kind is not FindingKind.QUALITY]


def _of_picture(findings: Sequence[Finding]) -> list[JsonObject]:
    """Technical faults of the picture itself."""
    return [_finding(finding) for finding in findings if finding.kind is FindingKind.QUALITY]


def _finding(finding: Finding) -> JsonObject:
    return {
        "kind": finding.kind.value,
        "attribute": finding.attribute,
        "severity": finding.severity.value,
        "confidence": round(finding.confidence, 4),
        "message": finding.message,
        "elements": [_element(element, finding.attribute) for element in finding.elements],
    }


def _element(element: Element, attribute: str | None = None) -> JsonObject:
    """An element with the claim about the attribute; with its first one where none is asked for."""
    claims = [claim for claim in element.claims if attribute in (None, claim.attribute)]
    return {
        "type": element.type.value,
        "text": element.text,
        "box": [round(value, 4) for value in element.box],
        "claim": claims[0].describe() if claims else None,
    }


def _quality(findings: Findings) -> JsonObject:
    return {f"{measure.name}_{measure.unit}": round(measure.value, 4) for measure in findings.quality}


def _latency(stages_ms: Mapping[str, float]) -> JsonObject:
    rounded = {name: round(spent_ms, 2) for name, spent_ms in stages_ms.items()}
    return {**rounded, "total": round(sum(stages_ms.values()), 2)}


def _text(report: Report) -> str:
    verdict = "CONTRADICTORY" if report.contradictory else "no contradiction"
    lines = [f"{report.source}: {verdict}"]
    for finding in report.findings:
        lines.append(f"  {finding.severity.value}: {finding.message} (confidence {finding.confidence:.2f})")
        lines += [f"    “{element.text}” at {_place(element)}" for element in finding.elements]
    texts = ", ".join(f"“{element.text}”" for element in report.last.elements)
    lines.append(f"  read: {texts or 'no text'}; {sum(report.stages_ms.values()):.0f} ms a frame")
    return "\n".join(lines)


def _place(element: Element) -> str:
    return "x {:.2f}, y {:.2f}, {:.2f} wide, {:.2f} high".format(*element.box)

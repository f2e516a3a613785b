"""Every suite's plan can be made again in another process: it is pickled, and asks the same."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from arwarden.config import Config, EscalateConfig
from arwarden.config.file import load_config
from arwarden.core.errors import InputError
from arwarden.escalate.questions import Form
from benchmarks.contrar import layouts
from benchmarks.contrar.ask import plan as verdict_plan
from benchmarks.contrar.layouts import Layout, Protocol
from benchmarks.datasets import psychophysics, ratear
from benchmarks.datasets.generate_arvim import generate_arvim
from benchmarks.datasets.generate_psychophysics import generate_psychophysics
from benchmarks.datasets.generate_ratear import generate_ratear
from benchmarks.psychophysics.ask import Order as Shown
from benchmarks.psychophysics.ask import plan as choice_plan
from benchmarks.ratear.ask import Adjusted, Order, plan_after
from benchmarks.ratear.ask import plan as rating_plan
from benchmarks.runs.calls import Key
from benchmarks.runs.methods import parse_method
from benchmarks.runs.options import RunOptions
from benchmarks.runs.plan import Plan
from tests.unit.benchmarks.suites.made import bench, config_file, contrar_set


def made(suite: str, folder: Path, options: RunOptions) -> Plan:
    if suite == "contrar":
        if not folder.exists():
            generate_arvim(folder, 2, seed=1, size_px=(96, 64))
        videos = layouts.load(Layout.ARVIM, folder).usable()
        return verdict_plan(options, videos, list(Protocol), Layout.ARVIM)
    if suite == "psychophysics":
        generate_psychophysics(folder, 1, seed=1, size_px=(64, 48))
        data = psychophysics.load(folder)
        return choice_plan(options, data, data.scenes, list(Shown))
    generate_ratear(folder, 2, seed=1, size_px=(96, 64))
    samples = ratear.load(folder, "images").usable()
    order = Order((Form.CONTEXTUAL, Form.FEW_SHOT), tuple(ratear.examples(folder)), "images", adjust=True)
    if suite == "ratear":
        return rating_plan(options, samples, order)
    adjusted = [Adjusted("configured", one.id, "size", one.file, "0,0,2") for one in samples]
    return plan_after(options, adjusted, order)


@pytest.mark.parametrize("suite", ["contrar", "psychophysics", "ratear", "after"])
def test_a_plan_is_made_again_from_what_travels(tmp_path: Path, suite: str) -> None:
    path = config_file(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("tiny,", "tiny, pictures: 6,"), encoding="utf-8")
    options = RunOptions(
        suite, tmp_path / "data", (parse_method("configured"),), load_config(path),
        tmp_path / "out", runs=2, dry_run=True,
    )  # fmt: skip
    first = made(suite, tmp_path / "data", options)
    again = pickle.loads(pickle.dumps(first.again))(options)  # noqa: S301 - our own bytes
    keys = [call.key for call in first.calls]
    assert [call.key for call in again.calls] == keys
    assert len(set(keys)) == len(keys) > 0, "no two questions are the same"
    once = made(suite, tmp_path / "data", replace(options, runs=1))
    assert len(once.calls) < len(keys)


@pytest.mark.parametrize("suite", ["contrar", "psychophysics", "ratear"])
def test_another_model_under_the_same_label_is_asked_anew(tmp_path: Path, suite: str) -> None:
    def plan_of(method: str) -> list[Key]:
        methods = (parse_method(method),)
        options = RunOptions(suite, tmp_path / "data", methods, Config(), tmp_path / "out", dry_run=True)
        return [call.key for call in made(suite, tmp_path / "data", options).calls]

    first = plan_of("judge=openai:one@http://127.0.0.1:1/v1")
    assert plan_of("judge=openai:one@http://127.0.0.1:2/v1") == first, "it is served elsewhere"
    assert not set(plan_of("judge=openai:two@http://127.0.0.1:1/v1")) & set(first)


@pytest.mark.parametrize("setting", ["temperature: 0.7", "max_output_tokens: 99", "extra_body: {top_p: 0.5}"])
def test_a_judge_that_is_asked_in_another_way_is_asked_anew(tmp_path: Path, setting: str) -> None:
    def plan_of(more: str) -> set[Key]:
        path = config_file(tmp_path)
        content = path.read_text(encoding="utf-8").replace("tiny,", f"tiny, {more},")
        path.write_text(content, encoding="utf-8")
        methods = (parse_method("configured"),)
        options = RunOptions("ratear", tmp_path / "data", methods, load_config(path), tmp_path, dry_run=True)
        return {call.key for call in made("ratear", tmp_path / "data", options).calls}

    first = plan_of("name: other")
    assert plan_of("limits: {concurrent: 7}") == first, "answers do not depend on it"
    assert not plan_of(setting) & first


@pytest.mark.parametrize("suite", ["contrar", "psychophysics", "ratear", "after"])
def test_a_file_that_changed_is_asked_about_anew_though_it_is_as_large(tmp_path: Path, suite: str) -> None:
    data = tmp_path / "data"
    methods = (parse_method("configured"),)
    config = load_config(config_file(tmp_path))
    config = config.model_copy(update={"escalate": six_pictures(config)})
    options = RunOptions(suite, data, methods, config, tmp_path / "out", dry_run=True)
    plan = made(suite, data, options)
    assert plan.again is not None
    before = [call.key for call in plan.calls]
    file = next(path for path in sorted(data.rglob("*.*")) if path.suffix in (".mp4", ".png", ".jpg"))
    file.touch()
    assert [call.key for call in plan.again(options).calls] == before
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    after = [call.key for call in plan.again(options).calls]
    changed = sum(one != other for one, other in zip(before, after, strict=True))
    assert 0 < changed < len(before), "only what shows the file"


def six_pictures(config: Config) -> EscalateConfig:
    judge = config.escalate.judge
    assert judge is not None
    return config.escalate.model_copy(update={"judge": judge.model_copy(update={"pictures": 6})})


def test_an_example_that_changed_is_shown_anew(tmp_path: Path) -> None:
    data = tmp_path / "data"
    methods = (parse_method("configured"),)
    options = RunOptions("ratear", data, methods, load_config(config_file(tmp_path)), tmp_path, dry_run=True)
    before = {call.key for call in made("ratear", data, options).calls}
    table = data / "few_shot.csv"
    lines = table.read_text(encoding="utf-8")
    samples = ratear.load(data, "images").usable()
    table.write_text(
        lines.replace("example_size_5.jpg,a basketball,5", "example_size_5.jpg,a ball,5"), encoding="utf-8"
    )
    order = Order((Form.CONTEXTUAL, Form.FEW_SHOT), tuple(ratear.examples(data)), "images", adjust=True)
    after = {call.key for call in rating_plan(options, samples, order).calls}
    assert {one.protocol for one in after - before} == {"size.few_shot"}


def test_scores_that_changed_are_looked_up_anew(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"

    def plan_of(score: str) -> list[Key]:
        file.write_text(f"id,placement,size,shadow\nball_0000,{score},1,1\n", encoding="utf-8")
        methods = (parse_method(f"base=scores:{file}"),)
        options = RunOptions("ratear", tmp_path / "data", methods, Config(), tmp_path / "out")
        generate_ratear(tmp_path / "data", 1, seed=1, size_px=(96, 64))
        samples = ratear.load(tmp_path / "data", "images").usable()
        return [
            call.key for call in rating_plan(options, samples, Order((Form.CONTEXTUAL,), (), "images")).calls
        ]

    assert plan_of("1") == plan_of("1")
    assert not set(plan_of("1")) & set(plan_of("2"))


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (("contrar",), "contrar_detection"),
        (("psychophysics",), "psychophysics_correlation"),
        (("ratear",), "ratear_images"),
        (("tradeoff", "--layout", "ratear-images"), "ratear_images"),
    ],
)
def test_a_folder_without_the_published_tables_is_named_before_anybody_is_asked(
    tmp_path: Path, arguments: tuple[str, ...], file: str
) -> None:
    data = tmp_path / "data"
    if arguments[0] == "contrar":
        contrar_set(data)
    elif arguments[0] == "psychophysics":
        generate_psychophysics(data, 1, seed=1, size_px=(64, 48))
    else:
        generate_ratear(data, 8, seed=1, size_px=(96, 64))
    judge = "openai:none@http://127.0.0.1:9/v1"
    with pytest.raises(InputError, match=f"{file}.*not found"):
        bench(
            *arguments, "--data", data, "--judge", judge, "--out", tmp_path / "out", "--published", tmp_path
        )
    assert not (tmp_path / "out").exists()

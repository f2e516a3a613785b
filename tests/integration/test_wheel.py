"""The wheel is complete: built, installed outside the clone, and used from an empty folder."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.support.daemon import ROOT, run_command, write_config
from tests.support.panel_files import FRANCE, NETHERLANDS, picture, save

pytestmark = [pytest.mark.xdist_group("daemon"), pytest.mark.timeout(300)]

PACKAGE = ROOT / "daemon" / "arwarden"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by way of the source distribution, so that one is complete as well."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)]
    if importlib.util.find_spec("hatchling") is not None:
        command.append("--no-isolation")  # nothing needs to be fetched then
    built = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False, cwd=out)
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    (path,) = out.glob("arwarden-*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel, and borrows from this one what the wheel depends on."""
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True, timeout=60)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True, timeout=120)
    # A path that a .pth file adds comes last, and the .pth files in it (the clone's among them) do not count.
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    ask = [str(python), "-c", "import arwarden; print(arwarden.__file__)"]
    where = subprocess.run(ask, capture_output=True, text=True, check=True, cwd=environment, timeout=60)
    assert Path(where.stdout.strip()).is_relative_to(site), "what runs is the wheel, not the clone"
    return python


def test_wheel_holds_the_whole_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        metadata = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode()
    files = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.is_file()]
    leftovers = ("__pycache__", ".")  # of interpreters and of tools
    there = {
        f"arwarden/{path.as_posix()}"
        for path in files
        if not any(part.startswith(leftovers) for part in path.parts)
    }
    for room in ("elements", "pairs", "words"):
        weights = ROOT / "models" / room / "weights"
        there |= {f"arwarden/fast/{room}/weights/{path.name}" for path in weights.iterdir()}
    there |= {
        f"arwarden/escalate/prompt_files/{path.name}" for path in (ROOT / "configs" / "prompts").iterdir()
    }
    assert names == there
    for name in ("lexicon/en.yaml", "quality/thresholds.json", "ocr/rapid_models.json", "static/index.html"):
        assert any(inside.endswith(name) for inside in names), name
    required = [
        line for line in text.splitlines() if line.startswith("Requires-Dist:") and "extra" not in line
    ]
    assert required
    assert not [line for line in required if "torch" in line or "transformers" in line or "easyocr" in line]
    assert "License-Expression: Apache-2.0" in text


async def test_installed_program_judges_and_demonstrates(python: Path, tmp_path: Path) -> None:
    shop = save(tmp_path / "shop.png", picture(FRANCE, NETHERLANDS))
    empty = tmp_path / "empty"
    empty.mkdir()
    # More threads than cores: the tier complains, and not on standard output.
    config = write_config(tmp_path, {"fast": {"threads": 64}})
    arguments = ("analyse", "--json", "--config", str(config), str(shop))
    judged = await run_command(*arguments, cwd=empty, python=str(python))
    assert judged.returncode == 0, judged.output
    (line,) = judged.stdout
    assert json.loads(line)["contradictory"] is True
    assert "fast_threads_capped" in "".join(judged.stderr)
    shown = await run_command(
        "demo", "--source", str(shop), "--seconds", "5", "--json", str(tmp_path / "result.json"),
        cwd=empty, python=str(python),
    )  # fmt: skip
    assert shown.returncode == 0, shown.output
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert [alert["attribute"] for alert in result["alerts"]] == ["origin"]
    assert list(empty.iterdir()) == []

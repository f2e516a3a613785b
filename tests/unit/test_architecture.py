"""The rules that keep the rooms apart, checked on the code itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "daemon" / "arwarden"
MAX_MODULE_LINES = 600
MAX_FUNCTION_LINES = 80
WORKAROUNDS = "_workarounds.py"


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_rooms_import_only_what_lies_below_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(PACKAGE.parent))
    kept = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert kept == 0, capsys.readouterr().out


def test_insides_of_libraries_are_used_in_workarounds_only() -> None:
    reaching = [name_of(path) for path in modules() if "SLF001" in path.read_text(encoding="utf-8")]
    assert reaching, "the workarounds are where this looks for them"
    assert [name for name in reaching if not name.endswith(WORKAROUNDS)] == []


def test_every_workaround_is_tested() -> None:
    """Each has a test of what the plain library does wrong, so that it is dropped once that is cured."""
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    for path in modules():
        if path.name.endswith(WORKAROUNDS):
            package, _, name = name_of(path).removesuffix(".py").rpartition("/")
            imported = (f"from arwarden.{package}.{name} import", f"from arwarden.{package} import {name}")
            assert any(statement in tests for statement in imported), f"no test imports {name}"


def test_modules_and_functions_stay_small() -> None:
    long_modules = [
        name_of(p) for p in modules() if len(p.read_text("utf-8").splitlines()) > MAX_MODULE_LINES
    ]
    assert long_modules == []
    long_functions = [
        f"{name_of(path)}: {function.name}"
        for path in modules()
        for function in functions(path)
        if (function.end_lineno or 0) - function.lineno >= MAX_FUNCTION_LINES
    ]
    assert long_functions == []


def test_heavy_extras_are_never_needed_to_import() -> None:
    """Extras are imported where they are used, if at all, or in modules that only functions import."""
    extras = {"torch", "transformers", "easyocr", "pytesseract", "openai", "httpx2"}
    only_with_extras = {f"arwarden.escalate.{name}" for name in ("openai_judge", "qwen_model", "qwen_vl")}
    eager = []
    for path in modules():
        if f"arwarden.{name_of(path).removesuffix('.py').replace('/', '.')}" in only_with_extras:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            heavy = (name for name in names if name.split(".")[0] in extras or name in only_with_extras)
            eager += [f"{name_of(path)}: {name}" for name in heavy]
    assert eager == []


@pytest.mark.xdist_group("daemon")
def test_heavy_tests_stay_together(request: pytest.FixtureRequest) -> None:
    """pytest 9.2 and xdist 3.8 together drop the groups: every daemon would then compete with another."""
    if not request.config.getoption("loadgroup", default=False):
        pytest.skip("only with pytest -n N --dist loadgroup")
    assert request.node.nodeid.endswith("@daemon")

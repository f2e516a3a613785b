"""Compiles the package with mono as its asmdefs say, and runs its NUnit tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from tests.support.requirements import require_program, unavailable
from tests.unity.asmdefs import PACKAGE_OF, Asmdef, read_asmdefs
from tests.unity.metas import PACKAGE

GOLDEN = PACKAGE.parent / "tests" / "contract" / "golden"
CONSOLE = Path(__file__).resolve().parent / "console"
NUNIT_FOLDERS = Path("/usr/lib/cli")
STUBS = CONSOLE.with_name("stubs")
ENGINE_TESTS = CONSOLE.with_name("engine")
INSTALLED = {"com.unity.webrtc": "3.0.0", "com.meta.xr.mrutilitykit": "81.0.0"}
"""The oldest versions of what the package can use."""
PLAYER = ("UNITY_ANDROID", "UNITY_6000_0_OR_NEWER")
EDITOR = (*PLAYER, "UNITY_EDITOR")
COMPILE_TIMEOUT_S = 90
RUN_TIMEOUT_S = 110
_CLASS = re.compile(r"(?:public|internal) (?:sealed )?class (\w+)")
_TEST = re.compile(r"\[(?:Test|TestCase\(.*\))\]\s+(?:\[.*\]\s+)*public (?:async Task|[\w.]+) (\w+)\(")


class Case(NamedTuple):
    """What became of one NUnit case."""

    name: str
    outcome: str
    message: str


def compiler() -> str:
    return require_program("mcs", debian="mono-mcs")


def runtime() -> str:
    return require_program("mono", debian="mono-runtime")


def nunit_framework() -> Path:
    found = sorted(NUNIT_FOLDERS.glob("nunit.framework-2.*/nunit.framework.dll"))
    if not found:
        unavailable("NUnit is not installed: sudo apt-get install libnunit-cil-dev nunit-console")
    return found[-1]


def compile_assembly(
    out: Path,
    sources: Sequence[Path],
    references: Sequence[Path],
    kind: str = "library",
    defines: Sequence[str] = (),
) -> None:
    """Compile with every warning an error. Raises ``AssertionError`` with what the compiler says."""
    command = [compiler(), f"-target:{kind}", "-langversion:latest", "-warn:4", "-warnaserror", f"-out:{out}"]
    command += [f"-define:{name}" for name in defines]
    command += [f"-r:{path}" for path in references] + [str(path) for path in sources]
    done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def build_stubs(out: Path) -> dict[str, Path]:
    """Compile the stand-ins for the engine and for other packages: signatures from their documentation."""
    out.mkdir(parents=True, exist_ok=True)
    built: dict[str, Path] = {}
    for name in ("UnityEngine", "UnityEditor", *PACKAGE_OF):
        built[name] = out / f"{name}.dll"
        engine = [built["UnityEngine"]] if name != "UnityEngine" else []
        compile_assembly(built[name], sorted((STUBS / name).glob("*.cs")), engine)
    return built


def build_package(
    out: Path, installed: Mapping[str, str] = INSTALLED, defines: Sequence[str] = PLAYER
) -> dict[str, Path]:
    """Compile every assembly of the package that exists where these packages are installed.

    Each gets what its asmdef refers to and no more: those without engine references get no engine.
    """
    stubs = build_stubs(out)
    waiting = {asmdef.name: asmdef for asmdef in read_asmdefs() if asmdef.exists(installed)}
    built: dict[str, Path] = {}
    while waiting:
        ready = [asmdef for asmdef in waiting.values() if _own(asmdef) <= built.keys()]
        assert ready, f"these refer to each other or to nothing: {sorted(waiting)}"
        for asmdef in ready:
            del waiting[asmdef.name]
            references = [built[name] for name in sorted(_own(asmdef))]
            references += [stubs[name] for name in _foreign(asmdef, installed)]
            if asmdef.uses_nunit:
                references.append(Path(shutil.copy(nunit_framework(), out)))
            built[asmdef.name] = out / f"{asmdef.name}.dll"
            own = sorted(asmdef.defines(installed))
            compile_assembly(built[asmdef.name], asmdef.sources(), references, defines=[*defines, *own])
    return built


def build_app(out: Path, name: str, sources: Sequence[Path], package: Mapping[str, Path]) -> Path:
    """Compile an app's own scripts, which see what the package offers without other packages."""
    app = out / f"{name}.dll"
    seen = [package[f"Arwarden.{assembly}"] for assembly in ("Core", "Mqtt", "Unity")]
    compile_assembly(app, sources, [*seen, out / "UnityEngine.dll"], defines=PLAYER)
    return app


def build_engine_tests(out: Path, package: Mapping[str, Path]) -> Path:
    """Compile the tests that run the package's scripts on the stand-ins, beside everything they need."""
    tests = out / "Arwarden.EngineTests.dll"
    stubs = [out / f"{name}.dll" for name in ("UnityEngine", "UnityEditor", *PACKAGE_OF)]
    sample = build_app(out, "QuestDemo", sorted((PACKAGE / "Samples~" / "QuestDemo").glob("*.cs")), package)
    nunit = out / nunit_framework().name
    compile_assembly(tests, sorted(ENGINE_TESTS.glob("*.cs")), [*package.values(), *stubs, sample, nunit])
    return tests


def build_console(out: Path, name: str, package: dict[str, Path]) -> Path:
    """Compile one of the console programs beside the package's assemblies."""
    program = out / f"{name}.exe"
    shared = [CONSOLE / f"{name}.cs", CONSOLE / "Options.cs"]
    compile_assembly(program, shared, [package["Arwarden.Core"], package["Arwarden.Mqtt"]], "exe")
    return program


def run_nunit(tests: Path) -> list[Case]:
    """Run an assembly of NUnit tests and return every case."""
    console = require_program("nunit-console", debian="nunit-console")
    result = tests.with_suffix(".xml")
    command = [console, "-nologo", "-nodots", "-noshadow", f"-xml={result.name}", tests.name]
    done = subprocess.run(
        command,
        cwd=tests.parent,
        env={**os.environ, "ARWARDEN_GOLDEN": str(GOLDEN)},
        capture_output=True,
        text=True,
        timeout=RUN_TIMEOUT_S,
        check=False,
    )
    assert result.exists(), done.stdout + done.stderr
    return list(_cases(result))


def method_of(case: Case) -> str:
    """``Class.Method`` of ``Namespace.Class.Method(arguments)``."""
    return ".".join(case.name.partition("(")[0].split(".")[-2:])


def declared_tests(folder: Path = PACKAGE / "Tests") -> list[str]:
    """``Class.Method`` of every test in the sources, without compiling them."""
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.cs")):
        text = path.read_text(encoding="utf-8")
        names = [(match.start(), match[1]) for match in _CLASS.finditer(text)]
        for match in _TEST.finditer(text):
            owner = [name for start, name in names if start < match.start()][-1]
            found[f"{owner}.{match[1]}"] = None
    return list(found)


def _own(asmdef: Asmdef) -> set[str]:
    return {name for name in asmdef.references if name not in PACKAGE_OF}


def _foreign(asmdef: Asmdef, installed: Mapping[str, str]) -> list[str]:
    engine = ["UnityEngine"] if asmdef.knows_engine else []
    editor = ["UnityEditor"] if asmdef.is_editor_only and asmdef.knows_engine else []
    others = [name for name in asmdef.references if PACKAGE_OF.get(name) in installed]
    return engine + editor + others


def _cases(result: Path) -> Iterator[Case]:
    for node in ET.parse(result).iter("test-case"):  # noqa: S314 - written by our own run
        message = "\n".join(text.text or "" for text in [*node.iter("message"), *node.iter("stack-trace")])
        yield Case(node.attrib["name"], node.attrib["result"], message)

"""What ``--help`` teaches, and what is said about what cannot be done."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arwarden import __version__
from tests.unit.cli.conftest import Run

COMMANDS = ("run", "demo", "headset", "analyse", "schema", "check-config", "doctor")

# For each command: what its help has to tell somebody who reads nothing else.
TAUGHT = {
    "run": [
        "--config",
        "--embedded-broker",
        "POST /whip",
        "MQTT 5",
        "SIGTERM",
        "shutdown_grace_ms",
        "second signal",
        "0.0.0.0",  # noqa: S104 - a phrase of the help
    ],
    "demo": [
        "--source",
        "--seconds",
        "--json",
        "--overlay",
        "TEXT@x,y,from,to",
        "Made in France@0.55,0.2,2,-",
        "camera",
        "default: 30",
        "Ctrl-C",
    ],
    "headset": [
        "--whip",
        "--mqtt",
        "--source",
        "--overlay",
        "Made in France@0.55,0.2,2,-",
        "--fps",
        "--size",
        "--codec",
        "vp8|h264",
        "ARWARDEN_TOKEN",
        "composited|passthrough|unknown",
        "--once",
    ],
    "analyse": ["PATHS...", "--json", "JSON Lines", "exit code is 2", "evidence over time"],
    "schema": ["--out", "JSON Schemas", "AsyncAPI"],
    "check-config": ["FILE", "exit code 2", "Secrets are never shown"],
    "doctor": ["--config", "--json", "Exit code 1", "broker"],
}


def words(text: str) -> str:
    """Without the line breaks that the width of the terminal makes."""
    return " ".join(text.split())


def test_help_lists_every_command_and_the_first_steps(run: Run) -> None:
    result = run("--help")
    assert result.exit_code == 0
    listed = result.stdout.split("Commands:")[1]
    for name in COMMANDS:
        assert f"\n  {name} " in listed
    assert "..." not in listed, "what a command does is said in full"
    assert "arwarden demo " in result.stdout
    assert "arwarden run " in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_teaches(run: Run, name: str) -> None:
    for option in ("--help", "-h"):
        result = run(name, option)
        assert result.exit_code == 0
        for phrase in TAUGHT[name]:
            assert phrase in words(result.stdout)


def test_help_needs_no_video_stack() -> None:
    code = (
        "import sys, arwarden.cli, click\n"
        "try: arwarden.cli.main(['--help'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "heavy = {'av', 'cv2', 'onnxruntime', 'aiortc', 'aiohttp', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=30)


def test_version(run: Run) -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"arwarden, version {__version__}\n"


def test_unknown_command_and_missing_argument_are_said(run: Run) -> None:
    result = run("watch")
    assert result.exit_code == 2
    assert "No such command 'watch'" in result.stderr
    result = run("headset")
    assert result.exit_code == 2
    assert "Missing option '--whip'" in result.stderr

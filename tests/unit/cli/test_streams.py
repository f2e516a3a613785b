"""``demo`` and ``headset`` before anything starts, and the words they use."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arwarden.cli import demo, headset
from arwarden.cli.run import stop_on_signals
from arwarden.contract.messages import Alert, AlertState, Health
from arwarden.core.errors import InputError
from arwarden.core.processes import end_process
from arwarden.headset.headset import HeadsetState
from arwarden.headset.shown import Change, ShownAlert
from arwarden.headset.whip_client import StreamState
from tests.support.panel_files import save
from tests.unit.cli.conftest import Run

HEADSET = ("headset", "--whip", "http://127.0.0.1:9/whip")


def alert(**changes: Any) -> Alert:
    fields: dict[str, Any] = {
        "epoch": "e",
        "published_ms": 1200.0,
        "alert_id": "a1",
        "revision": 1,
        "state": AlertState.RAISED,
        "device_id": "quest",
        "session_id": "s",
        "kind": "contradiction",
        "attribute": "origin",
        "severity": "warning",
        "message": "“Made in France” against “Made in Italy”",
        "confidence": 0.9,
        "tier": "fast",
        "first_captured_ms": 1000.0,
        "captured_ms": 1000.0,
        "capture_clock": "synced",
        "expires_ms": 4000.0,
        "budget_ms": 500.0,
        "age_ms": 200.0,
        "late": False,
    }
    return Alert.model_validate({**fields, **changes})


# Before anything starts -------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("demo",), HEADSET])
@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        ("Made in France", "an @ and four values"),
        ("Made in France@0.5,0.2,2", "four values"),
        ("Made in France@left,0.2,2,-", "x is 'left', not a number"),
        ("Made in France@1.5,0.2,2,-", "x is 1.5, it must be 0 to 1"),
        ("Made in France@0.5,0.2,5,3", "must be later than from"),
        ("@0.5,0.2,2,-", "text before the last @"),
    ],
)
def test_unusable_overlay_is_said_at_once(
    run: Run, command: tuple[str, ...], overlay: str, words: str
) -> None:
    result = run(*command, "--overlay", "Fine@0.1,0.1,0,-", "--overlay", overlay)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "TEXT@x,y,from,to" in result.stderr
    assert result.stdout == "", "nothing has been started"


@pytest.mark.parametrize("command", [("demo",), HEADSET])
def test_missing_source_is_said_at_once(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    result = run(*command, "--source", tmp_path / "nowhere.mp4")
    assert result.exit_code == 2
    assert "nowhere.mp4: there is no such file" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("command", [("demo",), HEADSET])
def test_folder_without_pictures_is_said_at_once(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    result = run(*command, "--source", tmp_path)
    assert result.exit_code == 2
    assert str(tmp_path) in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--size", "huge"], "WIDTHxHEIGHT"),
        (["--size", "641x480"], "even sides"),
        (["--fps", "0"], "0.0 is not in the range"),
        (["--codec", "vp9"], "'vp9' is not one of 'vp8', 'h264'"),
        (["--view", "nice"], "'nice' is not one of"),
        (["--mqtt", "http://broker"], "mqtt://"),
    ],
)
def test_unusable_option_of_the_headset_is_said(run: Run, options: list[str], words: str) -> None:
    result = run(*HEADSET, *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output


def test_address_that_is_none_is_said(run: Run) -> None:
    result = run("headset", "--whip", "broker.lan:8080/whip")
    assert result.exit_code == 2
    assert "broker.lan:8080/whip" in result.stderr


def test_file_that_cannot_be_written_is_said_before_the_run(run: Run, tmp_path: Path) -> None:
    for target, words in ((tmp_path / "no" / "result.json", "does not exist"), (tmp_path, "is a folder")):
        result = run("demo", "--json", target)
        assert result.exit_code == 2
        assert words in result.stderr
        assert result.stdout == ""


def test_file_that_cannot_be_written_after_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"result\.json: cannot be written"):
        demo._write(tmp_path / "gone" / "result.json", "{}")


# Words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "mark"),
    [
        (Change.SHOWN, "▲ shown"),
        (Change.UPDATED, "· updated"),
        (Change.ENDED, "▽ ended"),
        (Change.EXPIRED, "▽ expired"),
        (Change.REFUSED, "x refused"),
    ],
)
def test_line_about_an_alert(change: Change, mark: str) -> None:
    line = headset.alert_line(ShownAlert(alert(late=True), change, 0.0, 0.0, capture_to_shown_ms=231.4))
    assert line.startswith(mark)
    assert "[warning]" in line
    assert "231 ms after capture, late" in line
    without_clock = headset.alert_line(ShownAlert(alert(), change, 0.0, 0.0, reason="the scene changed"))
    assert "after capture" not in without_clock
    assert without_clock.endswith("— the scene changed")


@pytest.mark.parametrize(
    ("confirmation", "judge", "words"),
    [
        ("none", None, ""),
        ("pending", None, "second opinion asked for"),
        ("confirmed", {"verdict": "yes", "reason": "Both are cheese."}, "cloud confirms: Both are cheese."),
        ("rejected", {"verdict": "no", "reason": "Other goods."}, "cloud disagrees: Other goods."),
        ("unverified", {"verdict": "unknown", "problem": "deadline"}, "cloud gives no verdict: deadline"),
    ],
)
def test_line_tells_of_second_opinions(confirmation: str, judge: dict[str, Any] | None, words: str) -> None:
    opinion = None if judge is None else {"name": "cloud", "model": "m", **judge}
    told = alert(confirmation=confirmation, judge=opinion)
    line = headset.alert_line(ShownAlert(told, Change.UPDATED, 0.0, 0.0))
    assert line.endswith(words or told.message)


def health(**changes: Any) -> Health:
    fields: dict[str, Any] = {
        "epoch": "e",
        "published_ms": 1.0,
        "device_id": "quest",
        "session_id": "s",
        "state": "ok",
        "view": "composited",
        "capture_clock": "synced",
        "received_fps": 30.0,
        "analysed_fps": 4.0,
        "frames_received": 300,
        "frames_analysed": 40,
        "frames_dropped": 260,
        "width_px": 1280,
        "height_px": 720,
        "loss_ratio": 0.0,
    }
    return Health.model_validate({**fields, **changes})


def test_health_is_told_when_it_changes(capsys: pytest.CaptureFixture[str]) -> None:
    lines = headset._HealthLines()
    for each in (health(), health(frames_received=330), health(state="stalled", reasons=("no_packets",))):
        lines.show(each)
    assert capsys.readouterr().err == "  monitor: ok\n  monitor: stalled, no_packets\n"


def test_links_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    headset._say_state(HeadsetState())
    headset._say_state(HeadsetState(StreamState.LOST, "no answer", True, "", "online"))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "  stream connecting; broker not connected; daemon not heard of"
    assert second == "  stream lost (no answer); broker connected; daemon online"


# The demo's record ------------------------------------------------------------------------------------


def test_result_of_a_demo_that_saw_nothing() -> None:
    assert demo._Demo().result() == {
        "alerts": [],
        "latency_ms": {"p50": None, "p95": None},
        "frames": {"received": 0, "analysed": 0, "dropped": 0},
    }


def test_result_counts_what_health_said_last() -> None:
    record = demo._Demo()
    record.on_health(health())
    assert record.result()["frames"] == {"received": 300, "analysed": 40, "dropped": 260}


def seen(kind: str, text: str = "", label: str = "", direction_deg: float | None = None) -> dict[str, Any]:
    box = [0.1, 0.2, 0.3, 0.05]
    return {"type": kind, "text": text, "label": label, "direction_deg": direction_deg, "box": box}


def test_elements_are_told_when_they_appear(capsys: pytest.CaptureFixture[str]) -> None:
    record = demo._Demo()
    panel = seen("panel", "Made in\nFrance")
    for elements in ([panel], [panel], [], [panel]):
        record._show_elements({"type": "sample", "elements": elements})
    record._show_elements({"type": "sessions"})
    said = capsys.readouterr().out.splitlines()
    assert said == ["  sees panel “Made in France” at x 0.10, y 0.20, 0.30 × 0.05"] * 2


@pytest.mark.parametrize(
    ("element", "name"),
    [
        (seen("arrow", "Exit", "", 178.0), "arrow left “Exit”"),
        (seen("flag", label="flag:FR"), "flag FR"),
        (seen("sign", label="no_smoking"), "sign no smoking"),
    ],
)
def test_pictures_and_directions_are_told_in_words(
    element: dict[str, Any], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    demo._Demo()._show_elements({"type": "sample", "elements": [element]})
    assert capsys.readouterr().out.startswith(f"  sees {name} at x 0.10")


def test_alerts_are_told_but_not_every_refresh(capsys: pytest.CaptureFixture[str]) -> None:
    record = demo._Demo()
    for change in (Change.SHOWN, Change.UPDATED, Change.UPDATED, Change.ENDED):
        record.on_alert(ShownAlert(alert(), change, 0.0, 0.0))
    assert [line[:1] for line in capsys.readouterr().out.splitlines()] == ["▲", "▽"]


async def test_daemon_that_says_nothing_useful_is_quoted() -> None:
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", "echo 'port 1883 is taken' >&2", stderr=asyncio.subprocess.PIPE
    )
    with pytest.raises(demo.DemoFailed, match="port 1883 is taken"):
        await demo._address_unless_stopped(process, asyncio.Event())
    await process.wait()


async def test_daemon_that_does_not_get_ready_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "START_TIMEOUT_S", 0.2)
    process = await asyncio.create_subprocess_exec("sleep", "60", stderr=asyncio.subprocess.PIPE)
    with pytest.raises(demo.DemoFailed, match="was not ready after"):
        await demo._address_unless_stopped(process, asyncio.Event())
    await end_process(process, 10.0)
    assert process.returncode is not None


async def test_daemon_that_ignores_the_request_to_end_is_killed() -> None:
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", "trap '' TERM; echo up >&2; while :; do sleep 0.1; done", stderr=asyncio.subprocess.PIPE
    )
    assert await demo._line(process) == "up"
    await end_process(process, 0.3)
    assert process.returncode == -9
    await end_process(process, 0.3)


# Signals ----------------------------------------------------------------------------------------------


async def test_first_signal_asks_and_gives_the_signals_back() -> None:
    stop = stop_on_signals()
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(5):
        await stop.wait()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_pictures_of_a_folder_can_be_a_source(tmp_path: Path) -> None:
    save(tmp_path / "a.png", np.zeros((64, 64, 3), np.uint8))
    demo._check_target(tmp_path / "result.json")
    assert not (tmp_path / "result.json").exists(), "asking does not write"

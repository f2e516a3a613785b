"""HTTPS on the command line: what the options do, and what is said about the certificate."""

from __future__ import annotations

import datetime as dt
import io
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from arwarden.cli import secure
from arwarden.cli.secure import page_code, page_lines, show_code, with_tls
from arwarden.config import Config, ServerConfig
from arwarden.web.certificates import ServerCertificate
from tests.support.certificates import make_authority
from tests.unit.cli.conftest import Run

EVERYWHERE = "0.0.0.0"  # noqa: S104 - not bound to
NOW = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
MADE = ServerCertificate(
    Path("server.pem"), Path("server.key"), "AB:CD", "pin=", ("desk", "desk.local", "localhost"), NOW, NOW
)


@pytest.fixture(autouse=True)
def lan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secure, "lan_addresses", lambda: ["192.0.2.7"])


def server(**fields: object) -> ServerConfig:
    return ServerConfig.model_validate({"tls": "auto", "host": EVERYWHERE, **fields})


def test_options_go_over_the_configuration(tmp_path: Path) -> None:
    pair = make_authority(tmp_path).server
    plain, auto = Config(), Config(server=server(viewer_token={"value": "look"}))
    assert with_tls(plain, None, None, None) is plain
    assert with_tls(plain, "auto", None, None).server.tls == "auto"
    assert not with_tls(auto, "off", None, None).server.secure
    own = with_tls(auto, None, pair.certificate, pair.key).server
    assert (own.tls, own.tls_certificate, own.tls_key) == (None, pair.certificate, pair.key)
    assert own.viewer_token is not None
    assert own.viewer_token.reveal() == "look"
    assert own.host == EVERYWHERE


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--tls-cert", __file__], "tls_certificate and tls_key go together"),
        (["--tls-cert", "/nowhere.pem", "--tls-key", __file__], "--tls-cert: the file /nowhere.pem does not"),
        (["--tls", "auto", "--tls-cert", __file__, "--tls-key", __file__], "leave out either"),
        (["--tls", "off", "--tls-cert", __file__], "--tls off: leave out --tls-cert"),
    ],
)
def test_options_that_do_not_go_together_are_refused_in_words(
    run: Run, arguments: list[str], words: str
) -> None:
    result = run("run", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output


def test_what_a_person_is_told() -> None:
    lines = page_lines(server(), 8443, MADE)
    assert lines[0] == "page: https://192.0.2.7:8443/"
    assert "page: https://desk.local:8443/" in lines
    text = "\n".join(lines)
    for words in ("SHA-256 AB:CD", "until 2026-06-01", "pin of its key: pin=", "compare the fingerprint"):
        assert words in text
    own = ServerConfig.model_construct(**(server().model_dump() | {"tls": None}))
    assert "compare the fingerprint" not in "\n".join(page_lines(own, 8443, MADE))
    assert page_lines(server(), 8443, None) == []


def test_the_code_is_for_other_machines_only() -> None:
    assert page_code(server(), 8443, MADE) == "https://192.0.2.7:8443/"
    assert page_code(server(host="2001:db8::7"), 8443, MADE) == "https://[2001:db8::7]:8443/"
    assert page_code(server(host="127.0.0.1"), 8443, MADE) is None
    assert page_code(server(), 8080, None) is None


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_code_is_drawn_on_a_terminal_and_not_into_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, drawn in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        show_code("https://192.0.2.7:8443/")
        assert bool(stream.getvalue()) is drawn
        assert not drawn or read_code(stream.getvalue()) == "https://192.0.2.7:8443/"


def read_code(drawn: str) -> str:
    """What a camera reads off the terminal: a character is two modules, one above the other."""
    light = {"█": (255, 255), "▀": (255, 0), "▄": (0, 255), " ": (0, 0)}
    lines = [line for line in drawn.splitlines() if set(line) <= set(light) and line]
    rows = [[light[sign][half] for sign in line] for line in lines for half in (0, 1)]
    picture = np.kron(np.array(rows), np.ones((8, 8))).astype(np.uint8)
    text, _, _ = cv2.QRCodeDetector().detectAndDecode(picture)
    return text

from __future__ import annotations

import hmac
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from arwarden.config import Config
from arwarden.core.errors import SignallingError, Unauthorized
from arwarden.ingest.auth import Authenticator, Caller, caller_of

LAN = "192.0.2.7"
HERE = "127.0.0.1"
DEVICES = [
    {"id": "red", "token": {"value": "red-secret"}},
    {"id": "blue", "token": {"value": "blue-secret"}},
    {"id": "green", "token": {"value": "grün"}},
]


def authenticator(anonymous: str = "loopback", viewer: str | None = None) -> Authenticator:
    config = Config.model_validate(
        {
            "ingest": {"devices": DEVICES, "anonymous": anonymous},
            "server": {"viewer_token": None if viewer is None else {"value": viewer}},
        }
    )
    return Authenticator(config.ingest, config.server.viewer_token)


def caller(token: str | None = None, remote: str | None = LAN, **more: Any) -> Caller:
    return Caller(None if token is None else f"Bearer {token}", remote, **more)


@pytest.mark.parametrize(
    ("token", "device"), [("red-secret", "red"), ("blue-secret", "blue"), ("grün", "green")]
)
@pytest.mark.parametrize("anonymous", ["never", "loopback", "always"])
@pytest.mark.parametrize("query", [None, "blue", "somebody", "not an id"])
def test_the_token_decides_the_device(token: str, device: str, anonymous: str, query: str | None) -> None:
    assert authenticator(anonymous).device_for(caller(token), query) == device


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer  ", " Bearer"])
def test_the_scheme_is_read_as_http_does(scheme: str) -> None:
    assert authenticator().device_for(Caller(f"{scheme} red-secret", LAN), None) == "red"


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer red",
        "Bearer red-secret2",
        "Basic red-secret",
        "red-secret",
        "Bearer \udcff",
    ],
)
@pytest.mark.parametrize("anonymous", ["never", "loopback", "always"])
def test_a_wrong_token_never_falls_back_to_none(authorization: str, anonymous: str) -> None:
    with pytest.raises(Unauthorized, match="no device has this token"):
        authenticator(anonymous).device_for(Caller(authorization, HERE), None)


def test_every_token_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """An early exit would tell by its time which device a guess belongs to."""
    compared: list[bytes] = []

    compare_digest = hmac.compare_digest

    def compare(left: bytes, right: bytes) -> bool:
        compared.append(left)
        return compare_digest(left, right)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    checked = authenticator()
    assert checked.device_for(caller("red-secret"), None) == "red"
    assert len(compared) == len(set(compared)) == len(DEVICES)
    assert len({len(digest) for digest in compared}) == 1


def test_no_token_is_kept_in_the_clear() -> None:
    assert "secret" not in repr(vars(authenticator(viewer="viewer-secret")))


def test_without_a_token_the_query_names_the_device() -> None:
    checked = authenticator("always")
    assert checked.device_for(caller(), "kitchen-1") == "kitchen-1"
    assert checked.device_for(caller(), None) == "headset"


@pytest.mark.parametrize("query", ["", "a/b", "+", "#", "a b", "x" * 65, "-a", "a\n", "ä", "a\x00"])
def test_a_name_that_cannot_be_a_device_is_refused(query: str) -> None:
    with pytest.raises(SignallingError, match="device id") as caught:
        authenticator("always").device_for(caller(), query)
    assert caught.value.status == 400


def test_a_device_with_a_token_cannot_be_taken_by_its_name() -> None:
    with pytest.raises(Unauthorized, match="red has a token"):
        authenticator("always").device_for(caller(remote=HERE), "red")


def test_nobody_streams_without_a_token_where_that_is_switched_off() -> None:
    with pytest.raises(Unauthorized, match="Bearer TOKEN"):
        authenticator("never").device_for(caller(remote=HERE), None)


@pytest.mark.parametrize("remote", ["127.0.0.1", "127.0.1.1", "::1", "::ffff:127.0.0.1"])
def test_clients_on_this_machine_need_no_token(remote: str) -> None:
    assert authenticator().device_for(caller(remote=remote), None) == "headset"


@pytest.mark.parametrize("remote", [LAN, "::ffff:192.0.2.7", "2001:db8::1", "::", "", None, "localhost"])
def test_clients_elsewhere_do(remote: str | None) -> None:
    with pytest.raises(Unauthorized, match=r"ingest\.devices"):
        authenticator().device_for(caller(remote=remote), None)


@pytest.mark.parametrize(
    "host",
    [None, "", "localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "laptop:80", "a.localhost"],
)
def test_names_of_this_machine_are_local(host: str | None) -> None:
    assert caller(remote=HERE, host=host).is_local()


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "evil.example.", "127.0.0.1.evil.example"]
)
def test_a_foreign_name_for_this_machine_is_not_local(host: str) -> None:
    assert not caller(remote=HERE, host=host).is_local()


def test_what_a_proxy_passes_on_is_not_local() -> None:
    assert not caller(remote=HERE, forwarded=True).is_local()


@pytest.mark.parametrize("name", ["Forwarded", "x-forwarded-for", "X-Real-IP", "Via"])
def test_a_header_takes_trust_away_and_never_gives_it(name: str) -> None:
    request = make_mocked_request("GET", "/", headers={name: "127.0.0.1", "Host": "localhost"})
    found = caller_of(request)
    assert found.forwarded
    assert found.remote != "127.0.0.1"
    assert not found.is_local()


ELSEWHERE = ["https://evil.example", "http://127.0.0.1.evil.example:8080", "null", "", "file://", "localhost"]


@pytest.mark.parametrize("origin", ELSEWHERE)
def test_a_page_from_elsewhere_is_not_local_though_its_browser_is(origin: str) -> None:
    page = caller(remote=HERE, host="127.0.0.1:8080", origin=origin)
    assert not page.is_local()
    with pytest.raises(Unauthorized, match=r"server\.cors_origins"):
        authenticator().device_for(page, None)
    assert authenticator().device_for(caller("red-secret", HERE, origin=origin), None) == "red"


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8080", "http://localhost:3000", "https://[::1]"])
def test_a_page_of_this_machine_is_local(origin: str) -> None:
    assert caller(remote=HERE, origin=origin).is_local()


def test_a_page_from_elsewhere_that_is_named_may_stream_without_a_token() -> None:
    ingest = Config().ingest
    page = caller(remote=HERE, origin="https://page.example")
    assert Authenticator(ingest, None, ["https://page.example"]).device_for(page, None) == "headset"
    for others in (["*"], ["https://other.example"]):
        with pytest.raises(Unauthorized):
            Authenticator(ingest, None, others).device_for(page, None)


def test_the_caller_is_read_from_the_request() -> None:
    headers = {"Authorization": "Bearer x", "Host": "laptop:8080", "Origin": "https://page.example"}
    found = caller_of(make_mocked_request("GET", "/", headers=headers).clone(remote=HERE))
    assert found == Caller("Bearer x", HERE, "laptop:8080", forwarded=False, origin="https://page.example")


def test_without_a_viewer_token_only_this_machine_may_look() -> None:
    checked = authenticator()
    assert checked.may_view(None, HERE)
    assert checked.may_view("Bearer anything", HERE)
    assert not checked.may_view(None, LAN)
    assert not checked.may_view("Bearer red-secret", LAN)
    assert not checked.may_view(None, HERE, host="evil.example")
    assert not checked.may_view(None, HERE, forwarded=True)


def test_with_a_viewer_token_whoever_has_it_may_look() -> None:
    checked = authenticator(viewer="viewer-secret")
    assert checked.may_view("Bearer viewer-secret", LAN)
    assert checked.may_view("bearer viewer-secret", HERE, forwarded=True)
    for wrong in (None, "", "Bearer", "Bearer viewer", "Basic viewer-secret", "Bearer red-secret"):
        assert not checked.may_view(wrong, HERE)


def test_an_empty_viewer_token_opens_to_nobody() -> None:
    checked = authenticator(viewer="")
    assert not checked.may_view("Bearer ", HERE)
    assert not checked.may_view(None, HERE)

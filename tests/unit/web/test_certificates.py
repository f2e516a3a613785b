"""The certificate that is made here: names, files, renewal under one key, and whether TLS believes it."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from arwarden.config import ServerConfig
from arwarden.core.errors import ConfigError
from arwarden.web.addresses import in_url, is_address, lan_addresses, own_names
from arwarden.web.certificates import (
    MAX_NAMES,
    RENEW_BEFORE,
    VALID,
    ServerCertificate,
    ensure_certificate,
    read_certificate,
)
from arwarden.web.tls import ServerTls, page_hosts, state_folder, wanted_names
from tests.support.certificates import Authority, make_authority

NOW = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
NAMES = ["quest-host", "quest-host.local", "localhost", "192.0.2.7", "127.0.0.1"]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate, to be copied: keys take time to make."""
    folder = tmp_path_factory.mktemp("kept")
    ensure_certificate(folder, NAMES, NOW)
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    for file in kept.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


# Made and kept ------------------------------------------------------------------------------------


def test_it_is_an_rsa_certificate_of_this_server_only_and_for_every_name(folder: Path) -> None:
    made = ensure_certificate(folder, NAMES, NOW)
    found = x509.load_pem_x509_certificate(made.certificate.read_bytes())
    public = found.public_key()
    assert isinstance(public, rsa.RSAPublicKey)
    assert public.key_size == 2048
    assert set(made.names) == set(NAMES)
    assert found.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False
    usage = found.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert [use.dotted_string for use in usage] == ["1.3.6.1.5.5.7.3.1"]
    assert made.not_before <= NOW - DAY
    assert made.not_after == NOW + VALID


def test_its_files_are_for_this_user_only(tmp_path: Path) -> None:
    state = tmp_path / "state" / "tls"
    made = ensure_certificate(state, NAMES, NOW)
    assert {path.stat().st_mode & 0o777 for path in (made.certificate, made.key)} == {0o600}
    assert state.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in state.iterdir()) == ["server.key", "server.pem"], "no drafts are left"
    made.key.chmod(0o644)
    ensure_certificate(state, NAMES, NOW)
    assert made.key.stat().st_mode & 0o777 == 0o600


def test_its_fingerprint_and_pin_are_those_that_openssl_shows(folder: Path) -> None:
    made = ensure_certificate(folder, NAMES, NOW)
    der = ssl.PEM_cert_to_DER_cert(made.certificate.read_text(encoding="ascii"))
    assert made.sha256.replace(":", "").lower() == hashlib.sha256(der).hexdigest()
    key = x509.load_der_x509_certificate(der).public_key()
    spki = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert base64.b64decode(made.key_pin) == hashlib.sha256(spki).digest()


@pytest.mark.parametrize(
    ("names", "later", "renewed"),
    [
        (NAMES, dt.timedelta(0), False),
        (NAMES[:2], DAY, False),
        ([name.upper() + "." for name in NAMES[:2]], DAY, False),
        (NAMES, VALID - RENEW_BEFORE - DAY, False),
        (NAMES, VALID - RENEW_BEFORE + DAY, True),
        (NAMES, 2 * VALID, True),
        (NAMES, -3 * DAY, True),
        ([*NAMES, "198.51.100.9"], DAY, True),
    ],
)
def test_it_is_renewed_in_time_and_for_new_addresses_under_the_same_key(
    folder: Path, names: list[str], later: dt.timedelta, renewed: bool
) -> None:
    before = ensure_certificate(folder, NAMES, NOW)
    after = ensure_certificate(folder, names, NOW + later)
    assert (after.sha256 != before.sha256) is renewed
    assert after.key_pin == before.key_pin
    assert set(after.names) >= set(NAMES), "the network of yesterday may be that of tomorrow"
    assert after.not_before <= NOW + later < after.not_after


def test_names_are_bounded_and_those_of_now_come_first(folder: Path) -> None:
    many = [f"10.0.{net}.7" for net in range(100)]
    made = ensure_certificate(folder, many, NOW)
    assert len(made.names) == MAX_NAMES
    assert set(made.names) == set(many[:MAX_NAMES])


def test_damaged_certificate_is_made_again_but_a_damaged_key_is_the_users_to_decide(folder: Path) -> None:
    before = ensure_certificate(folder, NAMES, NOW)
    before.certificate.write_text("nothing", encoding="ascii")
    assert ensure_certificate(folder, NAMES, NOW).key_pin == before.key_pin
    before.key.write_text("nothing", encoding="ascii")
    with pytest.raises(ConfigError, match=r"server\.key holds no PEM private key; delete"):
        ensure_certificate(folder, NAMES, NOW)


def test_certificate_of_another_key_is_made_again(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = ensure_certificate(tmp_path_factory.mktemp("other"), NAMES, NOW)
    (folder / "server.pem").write_bytes(other.certificate.read_bytes())
    assert ensure_certificate(folder, NAMES, NOW).key_pin != other.key_pin


def test_kept_key_of_another_kind_is_not_used(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.key").write_bytes(pem)
    with pytest.raises(ConfigError, match="not RSA"):
        ensure_certificate(folder, NAMES, NOW)


def test_folder_that_cannot_be_used_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"file/tls.*server\.state_folder"):
        ensure_certificate(tmp_path / "file" / "tls", NAMES, NOW)


def test_failed_write_leaves_no_draft(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_draft: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("arwarden.web.certificates.Path.replace", full)
    with pytest.raises(ConfigError, match="No space left"):
        ensure_certificate(folder, ["new.example"], NOW)
    assert sorted(path.name for path in folder.iterdir()) == ["server.key", "server.pem"]


# What clients make of it --------------------------------------------------------------------------


def handshake(made: ServerCertificate, host: str) -> str:
    """The TLS version that a client which trusts only this certificate agrees on."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(made.certificate, made.key)
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def serve() -> None:
            try:
                context.wrap_socket(ours, server_side=True).close()
            except OSError:
                ours.close()

        server = threading.Thread(target=serve)
        server.start()
        trusting = ssl.create_default_context(cafile=str(made.certificate))
        trusting.verify_flags |= ssl.VERIFY_X509_STRICT
        try:
            with trusting.wrap_socket(theirs, server_hostname=host) as connection:
                return connection.version() or ""
        finally:
            theirs.close()
            server.join(5)


@pytest.mark.parametrize("host", ["localhost", "192.0.2.7", "quest-host.local"])
def test_client_that_is_given_it_trusts_it_for_its_names(tmp_path: Path, host: str) -> None:
    made = ensure_certificate(tmp_path, NAMES, dt.datetime.now(dt.UTC))
    assert handshake(made, host) == "TLSv1.3"
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(made, "elsewhere.example")


def test_openssl_finds_no_fault_in_it(tmp_path: Path) -> None:
    made = ensure_certificate(tmp_path, NAMES, dt.datetime.now(dt.UTC))
    command = ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", str(made.certificate)]
    done = subprocess.run([*command, str(made.certificate)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_which_names_are_covered() -> None:
    made = ServerCertificate(Path("c"), Path("k"), "", "", ("a.example", "*.b.example", "10.0.0.1"), NOW, NOW)
    for name in ("A.example.", "x.b.example", "10.0.0.1"):
        assert made.covers(name), name
    for name in ("b.example", "x.y.b.example", "10.0.0.2", "example", ""):
        assert not made.covers(name), name


# The user's own files -----------------------------------------------------------------------------


def test_own_files_are_taken(authority: Authority) -> None:
    found = read_certificate(authority.server.certificate, authority.server.key, dt.datetime.now(dt.UTC))
    assert found.names == ("broker.test", "127.0.0.1")


@pytest.mark.parametrize(("later", "words"), [(2 * DAY, "expired on"), (-2 * DAY, "machine's clock")])
def test_own_certificate_out_of_date_is_refused(
    authority: Authority, later: dt.timedelta, words: str
) -> None:
    with pytest.raises(ConfigError, match=rf"server\.tls_certificate: .*server\.pem .*{words}"):
        read_certificate(authority.server.certificate, authority.server.key, dt.datetime.now(dt.UTC) + later)


def test_unusable_own_files_are_named_with_the_reason(authority: Authority, tmp_path: Path) -> None:
    now = dt.datetime.now(dt.UTC)
    pem, key = authority.server.certificate, authority.server.key
    junk, locked = tmp_path / "junk.pem", tmp_path / "locked.key"
    junk.write_bytes(b"\x00junk")
    secret = serialization.load_pem_private_key(key.read_bytes(), password=None)
    locked.write_bytes(
        secret.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"x"),
        )
    )
    for certificate, other, words in (
        (pem, authority.client.key, "are not a pair"),
        (junk, key, "junk.pem holds no PEM certificate"),
        (pem, junk, "junk.pem holds no PEM private key"),
        (pem, locked, "locked.key is protected by a password"),
        (tmp_path, key, "cannot be read"),
        (pem, tmp_path / "gone.key", "gone.key cannot be read: No such file"),
    ):
        with pytest.raises(ConfigError) as caught:
            read_certificate(certificate, other, now)
        assert words in str(caught.value)


def test_certificate_without_names_has_none(authority: Authority) -> None:
    pair = authority.client
    assert read_certificate(pair.certificate, pair.key, dt.datetime.now(dt.UTC)).names == ()


# Over the life of the server ----------------------------------------------------------------------


def server(folder: Path, **fields: object) -> ServerConfig:
    return ServerConfig.model_validate({"tls": "auto", "state_folder": str(folder), **fields})


def test_plain_http_needs_none() -> None:
    tls = ServerTls(ServerConfig.model_validate({}))
    assert tls.open() is None
    assert tls.certificate is None
    assert not tls.refresh()


def test_running_server_takes_up_a_renewed_certificate(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = [NOW]
    monkeypatch.setattr("arwarden.web.tls.own_names", lambda: NAMES)
    tls = ServerTls(server(folder), lambda: times[-1])
    assert tls.open() is not None
    first = tls.certificate
    assert not tls.refresh()
    times.append(NOW + VALID)
    assert tls.refresh()
    assert first is not None
    assert tls.certificate is not None
    assert tls.certificate.key_pin == first.key_pin
    assert tls.certificate.not_after > first.not_after


def test_what_the_certificate_is_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("arwarden.web.tls.own_names", lambda: ["me", "localhost"])
    everywhere = "0.0.0.0"  # noqa: S104 - not bound to
    assert wanted_names(server(tmp_path, host=everywhere)) == ["me", "localhost"]
    assert wanted_names(server(tmp_path, host="10.0.0.9", tls_names=["ar.example"]))[:2] == [
        "ar.example",
        "10.0.0.9",
    ]


def test_where_it_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert state_folder(server(tmp_path)) == tmp_path
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    assert state_folder(ServerConfig.model_validate({})) == tmp_path / "xdg" / "arwarden"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_folder(ServerConfig.model_validate({})) == tmp_path / ".local" / "state" / "arwarden"


def test_where_other_machines_open_the_page(folder: Path) -> None:
    made = ensure_certificate(folder, NAMES, NOW)
    everywhere = server(folder, host="0.0.0.0")  # noqa: S104 - not bound to
    assert page_hosts(everywhere, ["192.0.2.7"], made) == ["192.0.2.7", "quest-host", "quest-host.local"]
    assert page_hosts(everywhere, ["192.0.2.7"], None) == ["192.0.2.7"]
    assert page_hosts(server(folder, host="10.1.1.1"), ["192.0.2.7"], made) == ["10.1.1.1"]


# Names and addresses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("Desk.lan", ["desk.lan", "desk.local", "localhost"]),
        ("desk", ["desk", "desk.local", "localhost"]),
        ("localhost", ["localhost"]),
        ("", ["localhost"]),
    ],
)
def test_own_names_begin_with_the_host_name(
    monkeypatch: pytest.MonkeyPatch, host: str, expected: list[str]
) -> None:
    monkeypatch.setattr("arwarden.web.addresses.socket.gethostname", lambda: host)
    names = own_names()
    assert [name for name in names if not is_address(name)] == expected
    assert {"127.0.0.1", "::1", *lan_addresses()} <= set(names)
    assert len(set(names)) == len(names)
    assert not any(name.startswith("fe80") for name in names)


def test_address_of_the_default_route_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def interfaces(*addresses: str) -> Callable[[], dict[str, list[object]]]:
        kind = type("Address", (), {})
        found = []
        for address in addresses:
            entry = kind()
            entry.family, entry.address = socket.AF_INET, address
            found.append(entry)
        return lambda: {"eth0": found}

    stats = type("Stats", (), {"isup": True})
    monkeypatch.setattr("arwarden.web.addresses.psutil.net_if_stats", lambda: {"eth0": stats})
    monkeypatch.setattr(
        "arwarden.web.addresses.psutil.net_if_addrs", interfaces("127.0.0.1", "10.0.0.1", "192.0.2.7")
    )
    monkeypatch.setattr("arwarden.web.addresses._default_route_address", lambda: "192.0.2.7")
    assert lan_addresses() == ["192.0.2.7", "10.0.0.1"]
    monkeypatch.setattr("arwarden.web.addresses._default_route_address", lambda: None)
    assert lan_addresses() == ["10.0.0.1", "192.0.2.7"]


def test_hosts_in_urls() -> None:
    assert [in_url(host) for host in ("::1", "10.0.0.1", "desk")] == ["[::1]", "10.0.0.1", "desk"]

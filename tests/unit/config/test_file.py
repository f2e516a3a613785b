from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arwarden.config import Config
from arwarden.config.file import load_config, parse_config
from arwarden.core.errors import ConfigError


def problems_of(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "a.yaml")
    return caught.value.problems


def test_an_empty_file_is_the_default_configuration() -> None:
    assert parse_config("", "a.yaml") == Config()
    assert parse_config("# nothing but a comment\n", "a.yaml") == Config()


def test_every_problem_is_named_at_once_with_its_field() -> None:
    problems = problems_of(
        """
        ingest: {max_session: 3, stall_ms: -1, release_ms: 10}
        mqtts: {}
        mqtt: {host: [1], tls: {ca_fil: x}}
        sampling: {max_rate_hz: fast}
        """
    )
    text = "\n".join(problems)
    assert "ingest.max_session: unknown key; did you mean max_sessions?" in text
    assert "ingest.stall_ms: input should be greater than 0 (it is -1)" in text
    assert "mqtts: unknown key; did you mean mqtt?" in text
    assert "mqtt.host:" in text
    assert "mqtt.tls.ca_fil: unknown key; did you mean ca_file?" in text
    assert "sampling.max_rate_hz:" in text


def test_an_unknown_key_like_nothing_known_lists_what_is_known() -> None:
    (problem,) = problems_of("logging: {zzz: 1}")
    assert problem == "logging.zzz: unknown key; known here: level, format"


def test_secrets_are_not_echoed() -> None:
    text = "\n".join(
        problems_of(
            """
            ingest:
              devices:
                - {id: "no good", token: {value: hush-hush, env: ALSO}}
                - {id: fine, token: hush-hush}
            mqtt: {password: {value: hush-hush, file: /hush-hush}}
            server: {viewer_token: {valu: hush-hush}}
            """
        )
    )
    text += "\n".join(problems_of("mqtt: {host: 'mqtt://user:hush-hush@broker'}"))
    judges = "escalate: {judge: {kind: openai, model: m, base_url: 'http://h/v1?key=hush-hush'}}"
    text += "\n".join(problems_of(judges))
    assert "hush-hush" not in text
    assert "base_url" in text
    assert "ingest.devices.0.token: give exactly one of value, env, file" in text


@pytest.mark.parametrize(
    "text",
    ["a: {value: hush-hush: x}", 'a: {value: "hush-hush"\nb: 1', "a: {value: hush-hush", "a: hush-hush: x"],
)
def test_broken_yaml_is_located_and_not_quoted(text: str) -> None:
    (problem,) = problems_of(text)
    assert "is not YAML: line " in problem
    assert "hush-hush" not in problem


@pytest.mark.parametrize(
    "host", ["::1", "192.0.2.7", "fe80::1%eth0", "broker.local", "broker-1", "localhost"]
)
def test_names_and_addresses_are_hosts(host: str) -> None:
    config = Config.model_validate({"server": {"host": host}, "mqtt": {"host": host}})
    assert (config.server.host, config.mqtt.host) == (host, host)


def test_a_secret_from_an_unset_variable_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_TOKEN", raising=False)
    (problem,) = problems_of("server: {viewer_token: {env: NO_SUCH_TOKEN}}")
    assert "NO_SUCH_TOKEN is not set; export it" in problem


def test_secrets_come_from_value_variable_or_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("A_TOKEN", "from-env")
    secret = tmp_path / "secret"
    secret.write_text("from-file\nsecond line\n")
    config = parse_config(
        f"""
        ingest:
          devices:
            - {{id: a, token: {{value: from-value}}}}
            - {{id: b, token: {{env: A_TOKEN}}}}
            - {{id: c, token: {{file: {secret}}}}}
        """,
        "a.yaml",
    )
    assert [device.token.reveal() for device in config.ingest.devices] == [
        "from-value",
        "from-env",
        "from-file",
    ]
    assert "from-value" not in repr(config)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("ingest: {min_bitrate_kbps: 9000}", "min <= start <= max"),
        ("ingest: {stall_ms: 3000, release_ms: 2000}", "release_ms must not be shorter"),
        (
            "ingest: {devices: [{id: a, token: {value: x}}, {id: a, token: {value: y}}]}",
            "two devices share an id",
        ),
        (
            "ingest: {devices: [{id: a, token: {value: x}}, {id: b, token: {value: x}}]}",
            "two devices share a token",
        ),
        (f"server: {{tls_certificate: {__file__}}}", "go together"),
        ("server: {tls_certificate: /nowhere.pem, tls_key: /nowhere.key}", "server.tls_key: the file"),
        (f"mqtt: {{tls: {{certificate: {__file__}}}}}", "go together"),
        ("mqtt: {tls: {ca_file: /nowhere.pem}}", "mqtt.tls.ca_file: the file /nowhere.pem does not exist"),
        ("fast: {lexicons: [/nowhere.yaml]}", "fast.lexicons.0: the file /nowhere.yaml does not exist"),
        ("server: {host: ''}", "server.host: must be a host name or an address"),
        ("mqtt: {host: 'mqtt://b:1883'}", "mqtt.host: must be a host name or an address"),
        ("mqtt: {host: b, port: 0}", "mqtt.port: "),
        ("sampling: 3", "sampling: must be a section with keys of its own, such as "),
        ("mqtt: {password: plain}", "mqtt.password: must be a section with keys of its own, such as value"),
        (
            "server: {port: 1}\nmqtt: {}\nserver: {port: 2}",
            "line 3, column 1: the key 'server' is there twice",
        ),
        ("[1, 2]", "must be a mapping of sections, not list"),
        ("a: [", "is not YAML"),
    ],
)
def test_inconsistent_values_are_refused_with_a_reason(text: str, part: str) -> None:
    assert part in "\n".join(problems_of(text))


def test_unreadable_files_are_config_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "absent.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"\xff\xfe\x00bad")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_config(tmp_path / "latin.yaml")
    (tmp_path / "huge.yaml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(ConfigError, match="larger than"):
        load_config(tmp_path / "huge.yaml")


@given(st.text(max_size=200))
def test_any_text_is_a_configuration_or_a_config_error(text: str) -> None:
    with contextlib.suppress(ConfigError):
        assert isinstance(parse_config(text, "a.yaml"), Config)


def test_ports_follow_tls() -> None:
    assert parse_config("mqtt: {host: b}", "a").mqtt.effective_port == 1883
    assert parse_config("mqtt: {host: b, tls: {}}", "a").mqtt.effective_port == 8883
    assert parse_config("mqtt: {host: b, port: 7}", "a").mqtt.effective_port == 7

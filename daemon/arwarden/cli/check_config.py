"""``arwarden check-config``: every problem of a configuration at once."""

from __future__ import annotations

from pathlib import Path

import click

from arwarden.cli.adjustments import adjustment_summary, adjustment_warnings
from arwarden.cli.judges import is_loopback, judge_lines, judge_warnings
from arwarden.config import AlertsConfig, Config
from arwarden.config.file import load_config, load_fast
from arwarden.core.errors import ConfigError
from arwarden.escalate.prompts import load_prompts
from arwarden.fast.claims import Lexicon

SAMPLE_MS = 150.0
"""What one look costs on two cores, measured from the change of the picture to the answer."""


@click.command("check-config")
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Check a configuration FILE and say what a daemon with it would do.

    Names every problem with its field and the fix; exit code 2 if there is any. Secrets are never shown.
    """
    config = _sound(file)
    click.echo(f"{file}: no problems")
    for line in summary(config):
        click.echo(f"  {line}")
    for line in warnings(config):
        click.echo(f"  warning: {line}", err=True)


def _sound(file: Path) -> Config:
    """The configuration. Raises ConfigError with its problems and those of the files that it names."""
    problems: list[str] = []
    config = None
    try:
        config = load_config(file)
    except ConfigError as error:
        problems += error.problems
    fast = load_fast(file) if config is None else config.fast
    if fast is not None:
        try:
            Lexicon.load(fast.languages, fast.lexicons)
        except ConfigError as error:
            problems += error.problems
    if config is not None and config.escalate.judge is not None:
        try:
            load_prompts(config.escalate.prompts)
        except ConfigError as error:
            problems += [f"escalate.prompts: {problem}" for problem in error.problems]
    if config is None or problems:
        raise ConfigError(str(file), problems)
    return config


def summary(config: Config) -> list[str]:
    """What a daemon with this configuration does, line by line."""
    scheme = "https" if config.server.secure else "http"
    devices = ", ".join(device.id for device in config.ingest.devices) or "none with a token"
    broker = (
        f"{config.mqtt.host}:{config.mqtt.effective_port}{' with TLS' if config.mqtt.tls else ''}"
        if config.mqtt.host
        else "none configured: run starts one of its own (MQTT 5)"
    )
    return [
        f"listens on {scheme}://{config.server.host}:{config.server.port}, "
        f"{config.ingest.max_sessions} session(s) at most",
        f"devices: {devices}; without a token: {config.ingest.anonymous}",
        f"broker: {broker}, topics below {config.mqtt.topic_prefix}",
        _fast_tier(config),
        f"alerts after {config.alerts.evidence_samples} agreeing sample(s), "
        f"budget {config.alerts.budget_ms:g} ms, late ones: {config.alerts.late}",
        *adjustment_summary(config),
        *judge_lines(config.escalate),
    ]


def _fast_tier(config: Config) -> str:
    """What the tier that speaks first does."""
    if config.escalate.replaces_fast:
        return (
            f"the judge takes the fast tier's place, {config.sampling.max_rate_hz:g} samples a second at most"
        )
    fast = config.fast
    also = [
        words
        for on, words in (
            (fast.elements, "finds arrows, pictograms and flags"),
            (fast.quality, "measures picture quality"),
        )
        if on
    ]
    parts = [f"fast tier: reads text with {fast.ocr_engine}", *also]
    return f"{', '.join(parts)}; on this machine, {config.sampling.max_rate_hz:g} samples a second at most"


def warnings(config: Config) -> list[str]:
    """What is allowed but deserves a second thought."""
    found = []
    if config.ingest.anonymous == "always" and not is_loopback(config.server.host):
        found.append("ingest.anonymous: always lets anybody on the network stream; give devices tokens")
    if not is_loopback(config.server.host):
        if config.server.viewer_token is None:
            found.append("server.viewer_token is absent: the live page can be opened on this machine only")
        if not config.server.secure:
            found.append(
                "without server.tls: auto (or server.tls_certificate) a browser on another machine has no "
                "camera access"
            )
        if config.ingest.anonymous == "loopback" and not config.ingest.devices:
            found.append("ingest.devices is empty: no headset from the network can connect")
    if config.mqtt.host and not is_loopback(config.mqtt.host) and config.mqtt.tls is None:
        found.append("mqtt.tls is absent: alerts cross the network in clear text")
    return [*found, *judge_warnings(config.escalate), *adjustment_warnings(config), *_silent(config.alerts)]


def _silent(alerts: AlertsConfig) -> list[str]:
    """Settings with which the daemon would watch and hardly ever say anything."""
    found = []
    if alerts.late == "drop" and alerts.budget_ms < SAMPLE_MS:
        found.append(
            f"alerts.budget_ms: a look takes some {SAMPLE_MS:g} ms, so that with late: drop no alert is "
            "ever published; allow more, or publish late ones"
        )
    least_ms = (alerts.evidence_samples - 1) * SAMPLE_MS
    if least_ms > alerts.evidence_window_ms:
        found.append(
            f"alerts.evidence_samples: {alerts.evidence_samples} samples take some {least_ms:g} ms and do "
            f"not fit into evidence_window_ms ({alerts.evidence_window_ms:g}): only findings of "
            "instant_confidence are raised; ask for fewer, or allow more time"
        )
    return found

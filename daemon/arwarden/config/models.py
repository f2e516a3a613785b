"""The daemon's configuration: one YAML file, every field described, every problem said at once.

``docs/configuration.md`` is generated from the descriptions here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from arwarden.config.adjust import AdjustConfig
from arwarden.config.base import ExistingFile, Host, IceUrl, ListenPort, Port, PositiveMs, Secret, Section
from arwarden.config.escalate import EscalateConfig
from arwarden.contract.topics import DEFAULT_PREFIX, DEVICE_ID_PATTERN


class Device(Section):
    """A headset that may connect. The token decides which device a stream belongs to."""

    id: str = Field(pattern=DEVICE_ID_PATTERN, description="Becomes the device level of its MQTT topics.")
    token: Secret = Field(description="The bearer token that the headset sends.")


class ServerConfig(Section):
    """The HTTP server: WHIP endpoint, web page, metrics and health."""

    host: Host = Field("127.0.0.1", description="Address to listen on; 0.0.0.0 lets headsets reach it.")
    port: ListenPort = Field(8080, description="TCP port; 0 picks a free one.")
    tls: Literal["auto"] | None = Field(
        None,
        description="auto serves HTTPS with a certificate for this machine that is made at the first start "
        "and renewed under the same key. Browsers warn of it once; a camera they give to HTTPS pages only.",
    )
    tls_names: tuple[Host, ...] = Field(
        (), description="Further names or addresses that the certificate of tls: auto is for."
    )
    tls_certificate: ExistingFile | None = Field(
        None, description="PEM certificate chain of your own; with tls_key serves HTTPS."
    )
    tls_key: ExistingFile | None = Field(None, description="PEM private key of the certificate.")
    state_folder: Path | None = Field(
        None,
        description="Where the certificate of tls: auto is kept; $XDG_STATE_HOME/arwarden, or "
        "~/.local/state/arwarden, when absent.",
    )
    max_connections: int = Field(
        256, ge=8, le=65_536, description="HTTP connections at a time; further ones are closed at once."
    )
    cors_origins: tuple[str, ...] = Field(
        ("*",),
        description="Origins of web pages that may stream to the WHIP endpoint. Pages from elsewhere always "
        "need a token, unless their origin is named here.",
    )
    viewer_token: Secret | None = Field(
        None,
        description="Token that opens the web page's live view and the metrics. Needed to see them from "
        "other machines: alerts hold text out of the wearer's view.",
    )
    shutdown_grace_ms: PositiveMs = Field(5000, description="Time that SIGTERM leaves for draining.")

    @model_validator(mode="after")
    def _key_with_certificate(self) -> Self:
        if (self.tls_certificate is None) != (self.tls_key is None):
            msg = "tls_certificate and tls_key go together; give both or neither"
            raise ValueError(msg)
        if self.tls == "auto" and self.tls_certificate is not None:
            msg = "tls: auto makes a certificate; leave out either it or tls_certificate and tls_key"
            raise ValueError(msg)
        return self

    @property
    def secure(self) -> bool:
        """Whether HTTPS is served."""
        return self.tls == "auto" or self.tls_certificate is not None


class IngestConfig(Section):
    """Taking the headsets' streams."""

    devices: tuple[Device, ...] = Field((), description="Headsets that may connect, each with its token.")
    anonymous: Literal["loopback", "never", "always"] = Field(
        "loopback",
        description="Who may stream without a token: clients on this machine, nobody, or anybody. The "
        "device id is then taken from the query parameter device of the WHIP address.",
    )
    max_sessions: int = Field(4, ge=1, le=64, description="Streams at a time; a further one gets 503.")
    max_offer_bytes: int = Field(65_536, ge=1024, le=1_048_576, description="Longer offers get 413.")
    request_timeout_ms: PositiveMs = Field(
        5000, description="Longest wait for the body of a WHIP request; slower clients get 408."
    )
    ice_servers: tuple[IceUrl, ...] = Field(
        (), description="STUN or TURN URLs. Empty stays on the local network and asks nobody outside."
    )
    ice_gather_timeout_ms: PositiveMs = Field(
        2000, description="Longest wait for ICE gathering in an answer."
    )
    start_bitrate_kbps: int = Field(2500, ge=100, description="Bitrate a libwebrtc sender starts with.")
    min_bitrate_kbps: int = Field(1250, ge=50, description="Bitrate a libwebrtc sender does not go below.")
    max_bitrate_kbps: int = Field(5000, ge=100, description="Bitrate a libwebrtc sender does not exceed.")
    stall_ms: PositiveMs = Field(2000, description="Silence after which a session is reported as stalled.")
    release_ms: PositiveMs = Field(5000, description="Silence after which its slot is free for another.")
    connect_timeout_ms: PositiveMs = Field(10_000, description="Time from the answer to the first packet.")
    keyframe_after_ms: PositiveMs = Field(
        500, description="Packets without a decoded frame for this long: ask for a keyframe."
    )
    repair_wait_ms: PositiveMs = Field(
        300, description="Longest wait for a lost packet to be sent again; then its frame is given up."
    )
    stale_after_ms: PositiveMs = Field(
        500, description="A frame this much later than its neighbours is a leftover and is not analysed."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.min_bitrate_kbps <= self.start_bitrate_kbps <= self.max_bitrate_kbps:
            msg = "bitrates must be in the order min <= start <= max"
            raise ValueError(msg)
        if self.release_ms < self.stall_ms:
            msg = "release_ms must not be shorter than stall_ms"
            raise ValueError(msg)
        ids = [device.id for device in self.devices]
        if len(set(ids)) != len(ids):
            msg = "two devices share an id; give each its own"
            raise ValueError(msg)
        tokens = [device.token.reveal() for device in self.devices]
        if len(set(tokens)) != len(tokens) or "" in tokens:
            msg = "two devices share a token, or a token is empty; the token decides the device"
            raise ValueError(msg)
        return self


class SamplingConfig(Section):
    """Which frames are worth looking at."""

    max_rate_hz: float = Field(4.0, gt=0, le=60, description="Samples per second and session at most.")
    change_threshold: float = Field(
        4.0,
        ge=0,
        le=255,
        description="Root-mean-square grey-level difference of a tile (16 px at 720p) that counts as a "
        "change.",
    )
    window_ms: PositiveMs = Field(
        100, description="Longest wait for a sharper frame once a changed one is there."
    )
    refresh_ms: PositiveMs = Field(60_000, description="A scene that never changes is looked at this often.")
    max_wait_ms: PositiveMs = Field(
        2000, description="A frame that has waited this long for its turn is dropped; a newer one is awaited."
    )


class FastConfig(Section):
    """The fast tier: reading, claims, contradictions, picture quality."""

    ocr_engine: Literal["rapidocr", "easyocr", "tesseract"] = Field(
        "rapidocr", description="Which engine reads text. All but rapidocr need an extra."
    )
    ocr_side_px: int = Field(
        640,
        ge=160,
        le=1920,
        description="Longer side of the picture that text is looked for in. At 640 text of 20 px in a 720p "
        "picture is found; 960 finds 12 px and costs twice as much.",
    )
    min_text_confidence: float = Field(0.8, ge=0, le=1, description="Readings below this are ignored.")
    threads: int = Field(
        1, ge=1, le=64, description="Threads per inference. More than one spins beside the video decoder."
    )
    workers: int = Field(1, ge=1, le=16, description="Frames analysed at the same time over all sessions.")
    languages: tuple[str, ...] = Field(
        ("en", "de", "fr", "es", "zh"),
        description="Languages whose claims are read; each text's own is detected. English always is.",
    )
    ocr_languages: tuple[str, ...] = Field(
        ("en",),
        description="Languages that easyocr or tesseract load; rapidocr needs none.",
    )
    lexicons: tuple[ExistingFile, ...] = Field((), description="Further lexicon files of your own.")
    elements: bool = Field(
        True,
        description="Find arrows, pictograms and flags with the trained networks; without them only texts "
        "are read. What they know and where they fail is in models/elements/weights/MODEL_CARD.md.",
    )
    injection: bool = Field(
        True, description="Warn of text that gives orders to whatever judges the picture."
    )
    pairs: bool = Field(
        True,
        description="Ask the pair network about pairs of elements that no rule judges. It finds some of what "
        "the rules have no words for, at some 10 ms for new pairs.",
    )
    quality: bool = Field(True, description="Measure the technical quality of the picture.")


class AlertsConfig(Section):
    """When a finding becomes an alert, and when it ends."""

    budget_ms: PositiveMs = Field(500, description="Capture to publish. Later alerts are marked late.")
    late: Literal["publish", "drop"] = Field(
        "publish", description="What happens to an alert past its budget."
    )
    min_confidence: float = Field(0.6, ge=0, le=1, description="Findings below this never raise.")
    evidence_samples: int = Field(2, ge=1, le=20, description="Agreeing samples before an alert is raised.")
    evidence_window_ms: PositiveMs = Field(2000, description="The samples must lie within this time.")
    instant_confidence: float = Field(
        0.98, ge=0, le=1.01, description="A single sample this sure raises at once; above 1 never."
    )
    clear_after_ms: PositiveMs = Field(
        1500, description="Unseen this long, while the transport is healthy, clears the alert."
    )
    usefulness_ms: PositiveMs = Field(
        3000,
        description="An alert expires this long after it was last seen. While it lasts it is told again "
        "after half of it, which is when a headset that comes later learns of it.",
    )
    max_open: int = Field(
        32, ge=1, le=1000, description="Open alerts per session; the least severe give way."
    )


class MqttTls(Section):
    """TLS towards the broker."""

    ca_file: ExistingFile | None = Field(
        None, description="PEM file of the authority; the system's when absent."
    )
    certificate: ExistingFile | None = Field(None, description="PEM client certificate.")
    key: ExistingFile | None = Field(None, description="PEM key of the client certificate.")
    check_hostname: bool = Field(True, description="Refuse a broker whose certificate names another host.")

    @model_validator(mode="after")
    def _key_with_certificate(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            msg = "certificate and key go together; give both or neither"
            raise ValueError(msg)
        return self


class MqttConfig(Section):
    """The broker, and what is kept for it while it is away."""

    host: Host | None = Field(
        None,
        description="The broker's host name. Absent: run starts one of its own (MQTT 5), which username and "
        "password below protect; without them one for the network lets devices in by id and token.",
    )
    port: Port | None = Field(None, description="The broker's port; 1883, or 8883 with tls, when absent.")
    client_id: str = Field(
        "arwarden", min_length=1, max_length=64, description="Every daemon at a broker needs its own."
    )
    username: str | None = Field(None, description="User name at the broker.")
    password: Secret | None = Field(None, description="Password at the broker.")
    tls: MqttTls | None = Field(None, description="Present: connect with TLS.")
    topic_prefix: str = Field(
        DEFAULT_PREFIX,
        pattern=r"^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$",
        description="First levels of every topic.",
    )
    keepalive_s: int = Field(15, ge=5, le=3600, description="MQTT keep-alive.")
    publish_timeout_ms: PositiveMs = Field(2000, description="Longest wait for the broker's acknowledgement.")
    reconnect_min_ms: PositiveMs = Field(200, description="First pause before connecting again.")
    reconnect_max_ms: PositiveMs = Field(5000, description="Longest pause before connecting again.")
    outbox_messages: int = Field(256, ge=8, le=65_536, description="Messages kept while the broker is away.")
    max_payload_bytes: int = Field(
        16_384, ge=1024, le=61_440, description="Longer payloads are shortened before they are sent."
    )

    @property
    def effective_port(self) -> int:
        """The port to connect to."""
        return self.port if self.port is not None else (8883 if self.tls else 1883)


class LoggingConfig(Section):
    """Logs go to standard error. They never hold frames, text from frames, or tokens at info level."""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level logged.")
    format: Literal["console", "json"] = Field("console", description="For people, or for a log collector.")


class Config(Section):
    """Everything the daemon can be told."""

    server: ServerConfig = Field(ServerConfig(), description=ServerConfig.__doc__)
    ingest: IngestConfig = Field(IngestConfig(), description=IngestConfig.__doc__)
    sampling: SamplingConfig = Field(SamplingConfig(), description=SamplingConfig.__doc__)
    fast: FastConfig = Field(FastConfig(), description=FastConfig.__doc__)
    alerts: AlertsConfig = Field(AlertsConfig(), description=AlertsConfig.__doc__)
    escalate: EscalateConfig = Field(EscalateConfig(), description=EscalateConfig.__doc__)
    adjust: AdjustConfig = Field(AdjustConfig(), description=AdjustConfig.__doc__)
    mqtt: MqttConfig = Field(MqttConfig(), description=MqttConfig.__doc__)
    logging: LoggingConfig = Field(LoggingConfig(), description=LoggingConfig.__doc__)

    @model_validator(mode="after")
    def _somebody_to_ask(self) -> Self:
        if self.adjust.enabled and (self.escalate.judge is None or self.escalate.replaces_fast):
            msg = (
                "adjust.enabled needs a judge beside the fast tier; give escalate.judge without replaces_fast"
            )
            raise ValueError(msg)
        return self

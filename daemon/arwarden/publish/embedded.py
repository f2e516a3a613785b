"""A broker of our own, for a demo or a machine that has none: rumqttd, from the ``iotcore`` wheel.

It speaks MQTT 5 over TCP, and with users it lets nobody else in. TLS is put in front of it (``tls_front``).
``docs/decisions/broker.md`` says why this one, and what it does not do.
"""

from __future__ import annotations

import asyncio
import errno
import json
import secrets
import socket
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from arwarden.config import Config
from arwarden.core.errors import BrokerError
from arwarden.core.processes import end_process
from arwarden.publish.mqtt_packets import MQTT_5, Connect, MalformedPacket, PacketReader, connack_code

log = structlog.get_logger(__name__)

DEFAULT_PORT = 1883
START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 3.0
POLL_S = 0.02
FREE_PORT_TRIES = 3
MAX_CONNECTIONS = 100
MAX_PAYLOAD_BYTES = 262_144
"""rumqttd closes the connection above this, so it is far above our own largest payload of 61440."""
SEGMENT_BYTES = 1_048_576
SEGMENTS = 4
"""Per topic filter, kept in memory for subscribers that lag behind."""
ERROR_CHARS = 2000
RESTART_PAUSE_S = 1.0
CHILD = Path(__file__).with_name("broker_child.py")

_PROBE_BYTES = 1024
_GOODBYE = bytes([0xE0, 0])


@dataclass(frozen=True, slots=True)
class Login:
    """A user name and a password."""

    username: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may connect: the daemon by its own login, headsets by theirs. Without a login anybody may."""

    daemon: Login | None = None
    devices: tuple[Login, ...] = ()

    @classmethod
    def of(cls, config: Config, host: str) -> Access:
        """What a configuration asks for, for a broker that listens on ``host``.

        With ``mqtt.username`` and ``mqtt.password`` whoever connects needs them, or the id and the token of a
        device. Without them a broker that other machines can reach lets devices in by id and token, where any
        are configured; one for this machine only is open to it.
        """
        mqtt = config.mqtt
        devices = tuple(Login(device.id, device.token.reveal()) for device in config.ingest.devices)
        if mqtt.username is not None and mqtt.password is not None:
            return cls(Login(mqtt.username, mqtt.password.reveal()), devices)
        if devices and not _loopback(host):
            return cls(Login(f"daemon-{secrets.token_hex(4)}", secrets.token_hex(16)), devices)
        return cls()

    @property
    def users(self) -> Mapping[str, str]:
        """Name to password; empty where anybody may connect."""
        logins = self.devices if self.daemon is None else (*self.devices, self.daemon)
        return {login.username: login.password for login in logins}


class EmbeddedBroker:
    """A broker in a child process. ``start`` once, ``stop`` once or more."""

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        *,
        access: Access | None = None,
    ) -> None:
        """Bind to ``host`` (``0.0.0.0`` lets headsets reach it) and ``port`` (0 picks a free one)."""
        self._host = host
        self._access = access or Access()
        self._wanted_port = port
        self._port = port
        self._changing = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if self._process is not None and running else None

    async def start(self) -> tuple[str, int]:
        """Start it. Returns the address to connect to from this machine. Raises ``BrokerError``."""
        async with self._changing:
            await self._launch_on_a_port()
        users = len(self._access.users)
        log.info("embedded_broker_started", host=self._host, port=self._port, users=users)
        if not _loopback(self._host) and not users:
            log.warning("embedded_broker_is_open", reason="no passwords: for trusted networks only")
        return _reachable_host(self._host), self._port

    async def supervise(self) -> None:
        """Start it again on the same port whenever it ends by itself. Returns after ``stop``."""
        while (process := self._process) is not None:
            code = await process.wait()
            await asyncio.sleep(RESTART_PAUSE_S)
            async with self._changing:
                if self._process is not process:
                    return
                log.error("embedded_broker_died", exit_code=code)
                try:
                    await self._launch(self._port)
                except BrokerError as error:
                    log.error("embedded_broker_not_restarted", reason=str(error))  # noqa: TRY400 - no bug of ours

    async def stop(self) -> None:
        """End it and wait until its port is free."""
        async with self._changing:
            process, self._process = self._process, None
            if process is not None and process.returncode is None:
                await end_process(process, STOP_TIMEOUT_S)
                log.info("embedded_broker_stopped")

    async def _launch_on_a_port(self) -> None:
        # A free port may be taken by somebody else before the child binds it: then another one is tried.
        tries_left = FREE_PORT_TRIES if self._wanted_port == 0 else 1
        while True:
            self._port = _claim_port(self._host, self._wanted_port)
            tries_left -= 1
            try:
                await self._launch(self._port)
            except BrokerError:
                if tries_left == 0:
                    raise
            else:
                return

    async def _launch(self, port: int) -> None:
        # The files are gone as soon as it serves: nothing is left behind, however this process ends.
        with tempfile.TemporaryDirectory(prefix="arwarden-broker-") as folder:
            settings, errors = Path(folder) / "rumqttd.toml", Path(folder) / "errors.txt"
            settings.write_text(_settings(self._host, port, self._access.users), encoding="utf-8")
            # Errors go to a file, because a pipe that nobody reads would stop the child once full. A session
            # of its own, because Ctrl-C is for the daemon, which says goodbye through the broker first.
            with errors.open("wb") as stderr:
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-P",
                    str(CHILD),
                    str(settings),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=stderr,
                    start_new_session=True,
                )
            try:
                await self._wait_until_it_serves(process, port, errors)
            except BaseException:
                await end_process(process, STOP_TIMEOUT_S)
                raise
        self._process = process

    async def _wait_until_it_serves(
        self, process: asyncio.subprocess.Process, port: int, errors: Path
    ) -> None:
        host = _reachable_host(self._host)
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                while not await _answers(host, port, self._access.daemon):
                    if process.returncode is not None:
                        raise BrokerError(f"the embedded broker ended while starting: {_last_words(errors)}")
                    await asyncio.sleep(POLL_S)
        except TimeoutError as error:
            raise BrokerError(f"the embedded broker did not answer within {START_TIMEOUT_S:.0f} s") from error


def _last_words(errors: Path) -> str:
    return errors.read_text(errors="replace").strip()[-ERROR_CHARS:] or "it gave no reason"


def _claim_port(host: str, port: int) -> int:
    """Check that the port is free, or find a free one. rumqttd itself goes on without its listener."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise BrokerError(_bind_problem(host, port, error)) from error
        return int(probe.getsockname()[1])


def _bind_problem(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} at {host} is taken, perhaps by another broker; to use that one set mqtt.host to "
            f"{_reachable_host(host)} and mqtt.port to {port}; otherwise give the embedded broker another "
            "port (0 picks a free one)"
        )
    if error.errno == errno.EACCES:
        return f"port {port} at {host} needs privileges; choose one from 1024 up, or 0 for a free one"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is no address of this machine; use 127.0.0.1, or 0.0.0.0 for all of its addresses"
    return f"the embedded broker cannot listen on {host}:{port}: {error}"


def _loopback(host: str) -> bool:
    return host in {"localhost", "::1"} or host.startswith("127.")


def _reachable_host(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104 - compared


def _settings(host: str, port: int, users: Mapping[str, str]) -> str:
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    logins = ", ".join(f"{_toml(name)} = {_toml(password)}" for name, password in users.items())
    auth = f"auth = {{ {logins} }}\n" if users else ""
    return f"""id = 0
[router]
id = 0
max_connections = {MAX_CONNECTIONS}
max_outgoing_packet_count = 200
max_segment_size = {SEGMENT_BYTES}
max_segment_count = {SEGMENTS}
[v5.1]
name = "mqtt5"
listen = "{address}"
next_connection_delay_ms = 1
[v5.1.connections]
connection_timeout_ms = 5000
max_payload_size = {MAX_PAYLOAD_BYTES}
max_inflight_count = 100
dynamic_filters = true
{auth}"""


def _toml(text: str) -> str:
    """A TOML string. JSON's escapes are TOML's, but for DEL, which only TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


async def _answers(host: str, port: int, login: Login | None) -> bool:
    """Whether a broker there accepts an MQTT 5 connection."""
    username, password = (None, None) if login is None else (login.username, login.password.encode())
    probe = Connect(MQTT_5, 5, "probe", has_will=False, username=username, password=password)
    try:
        async with asyncio.timeout(1.0):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(probe.packet(_PROBE_BYTES).raw)
                packets = PacketReader(_PROBE_BYTES).feed(await reader.read(_PROBE_BYTES))
                writer.write(_GOODBYE)
                await writer.drain()
            finally:
                writer.close()
                await writer.wait_closed()
        return bool(packets) and connack_code(packets[0]) == 0
    except (OSError, TimeoutError, MalformedPacket):
        return False

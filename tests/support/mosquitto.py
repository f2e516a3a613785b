"""A real Mosquitto for tests: its own port and folder, and every way in which a broker can fail."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

from arwarden.config import MqttConfig
from tests.support.certificates import Authority
from tests.support.requirements import require_program

START_TIMEOUT_S = 10.0


def free_port() -> int:
    """A TCP port at 127.0.0.1 that nobody uses right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """One broker. ``stop`` and ``start`` keep the port; retained messages are lost, as without a disk.

    ``options`` are lines of mosquitto.conf, for example ``{"max_packet_size": 2000}``. With ``users``
    (name to password; changes count from the next start) anonymous clients are refused. With ``tls`` the
    listener speaks TLS; ``client_certificates`` makes it insist on one.
    """

    def __init__(
        self,
        folder: Path,
        *,
        options: Mapping[str, str | int] | None = None,
        users: Mapping[str, str] | None = None,
        tls: Authority | None = None,
        client_certificates: bool = False,
    ) -> None:
        self.host = "127.0.0.1"
        self.port = free_port()
        self._program = require_program("mosquitto", debian="mosquitto")
        self._folder = folder
        self._options = dict(options or {})
        self.users = dict(users or {})
        self._tls = tls
        self._client_certificates = client_certificates
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        """What the broker has logged so far."""
        path = self._folder / "mosquitto.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def config(self, **fields: object) -> MqttConfig:
        """A configuration for this broker with short times, so that tests are quick."""
        quick = {"publish_timeout_ms": 1000, "reconnect_min_ms": 50, "reconnect_max_ms": 400}
        return MqttConfig.model_validate({"host": self.host, "port": self.port, **quick, **fields})

    async def start(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        settings = self._folder / "mosquitto.conf"
        settings.write_text("\n".join(self._settings()) + "\n", encoding="utf-8")
        self._process = self._launch(settings)
        async with asyncio.timeout(START_TIMEOUT_S):
            while not await self._listens():
                if self._process.poll() is not None:
                    msg = f"mosquitto ended with {self._process.returncode}: {self.log[-2000:]}"
                    raise RuntimeError(msg)
                await asyncio.sleep(0.01)

    async def stop(self) -> None:
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        await self._end(signal.SIGKILL)

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    def pause(self) -> None:
        """Freeze it: connections stay open and are accepted by the kernel, nothing is answered."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _launch(self, settings: Path) -> subprocess.Popen[bytes]:
        with (self._folder / "mosquitto.log").open("ab") as output:
            return subprocess.Popen(
                [self._program, "-c", str(settings)], stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    def _signal(self, number: signal.Signals) -> None:
        if self._process is None:
            msg = "the broker is not running"
            raise RuntimeError(msg)
        self._process.send_signal(number)

    async def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(number)
            process.send_signal(signal.SIGCONT)
            try:
                await asyncio.to_thread(process.wait, 5.0)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait(5.0)

    def _settings(self) -> list[str]:
        lines = [f"listener {self.port} 127.0.0.1", "persistence false", "log_dest stderr", "log_type all"]
        if os.geteuid() == 0:
            lines.append("user root")  # it would give up root and then could not read its own folder
        if self.users:
            lines += ["allow_anonymous false", f"password_file {self._passwords()}"]
        else:
            lines.append("allow_anonymous true")
        if self._tls is not None:
            lines += [
                f"cafile {self._tls.ca_file}",
                f"certfile {self._tls.server.certificate}",
                f"keyfile {self._tls.server.key}",
                f"require_certificate {'true' if self._client_certificates else 'false'}",
            ]
        return lines + [f"{name} {value}" for name, value in self._options.items()]

    def _passwords(self) -> Path:
        path = self._folder / "passwords"
        path.write_text("", encoding="utf-8")
        path.chmod(0o600)
        program = require_program("mosquitto_passwd", debian="mosquitto")
        for name, password in self.users.items():
            subprocess.run([program, "-b", str(path), name, password], check=True, capture_output=True)
        return path

    async def _listens(self) -> bool:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(self.host, self.port)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
            return True
        return False

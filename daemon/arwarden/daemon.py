"""The daemon: start → serve → drain → stop, each with a deadline."""

from __future__ import annotations

import asyncio
import secrets
import ssl
from collections.abc import Mapping
from typing import Self

import structlog
from aiohttp import web

from arwarden import __version__
from arwarden.config import Config
from arwarden.contract.messages import Ack
from arwarden.contract.topics import Topics
from arwarden.core.clock import Clock, SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError
from arwarden.core.frame import View
from arwarden.core.tier import Tier
from arwarden.fast.tier import FastTier
from arwarden.ingest.auth import Authenticator, caller_of
from arwarden.ingest.problems import problem_middleware
from arwarden.ingest.runner import http_runner
from arwarden.ingest.sessions import SessionManager
from arwarden.ingest.whip import whip_routes
from arwarden.observe.events import Event, EventStream, JsonValue
from arwarden.observe.latency import LoopLag
from arwarden.observe.metrics import Metrics
from arwarden.publish.embedded import DEFAULT_PORT, EmbeddedBroker
from arwarden.publish.publisher import Publisher, PublisherState
from arwarden.session import Probe, Session, Surroundings
from arwarden.web.routes import WebRoutes

log = structlog.get_logger(__name__)

OVERVIEW_INTERVAL_S = 1.0
HTTP_DRAIN_S = 1.0
TASKS_END_S = 2.0


class Daemon:
    """Everything that runs, from the listening socket to the broker connection.

    Used as an asynchronous context manager: entering starts it, leaving drains and stops it.
    """

    def __init__(
        self,
        config: Config,
        *,
        embedded_broker: bool = False,
        broker_host: str = "127.0.0.1",
        broker_port: int = DEFAULT_PORT,
        tier: Tier | None = None,
        clock: Clock | None = None,
        probe: Probe | None = None,
    ) -> None:
        if config.mqtt.host is None and not embedded_broker:
            problem = "mqtt.host: no broker is configured; name one, or start with --embedded-broker"
            raise ConfigError("configuration", [problem])
        self.config = config
        self.epoch = secrets.token_hex(8)
        self.counters = Counters()
        self.clock = clock or SystemClock()
        self.events = EventStream(self.counters)
        self.metrics = Metrics(self.counters)
        self._probe = probe
        self._broker = EmbeddedBroker(broker_host, broker_port) if embedded_broker else None
        self._given_tier = tier
        self._tier: Tier | None = None
        self._publisher: Publisher | None = None
        self._manager: SessionManager | None = None
        self._runner: web.AppRunner | None = None
        self._loop_lag = LoopLag()
        self._sessions: dict[str, Session] = {}
        self._current: dict[str, str] = {}
        self._background: list[asyncio.Task[None]] = []
        self._http_port = config.server.port
        self._mqtt_address = (config.mqtt.host or broker_host, config.mqtt.effective_port)

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *_exc_info: object) -> None:
        await self._stop()

    @property
    def http_port(self) -> int:
        """The port that is listened on, also where the configuration left the choice to the system."""
        return self._http_port

    @property
    def mqtt_address(self) -> tuple[str, int]:
        """Host and port of the broker in use."""
        return self._mqtt_address

    @property
    def publisher_state(self) -> PublisherState:
        """How the connection to the broker is doing."""
        return self._publisher.state if self._publisher else PublisherState.DISCONNECTED

    async def failed(self) -> BaseException:
        """Wait until a part that must not end has ended, and return what ended it."""
        done, _ = await asyncio.wait(self._background, return_when=asyncio.FIRST_COMPLETED)
        return next(iter(done)).exception() or RuntimeError("a background task ended")

    # Start ----------------------------------------------------------------------------------------

    async def _start(self) -> None:
        if self._broker is not None:
            self._mqtt_address = await self._broker.start()
        host, port = self._mqtt_address
        mqtt = self.config.mqtt.model_copy(update={"host": host, "port": port})
        self._publisher = Publisher(
            mqtt,
            self.clock,
            epoch=self.epoch,
            version=__version__,
            on_ack=self._on_ack,
            counters=self.counters,
        )
        tier = self._given_tier
        if tier is None:
            tier = await asyncio.to_thread(self._open_tier)
        self._tier = tier
        around = self._surroundings(tier, self._publisher)
        self._manager = SessionManager(
            self.config.ingest,
            self.clock,
            lambda session_id, device_id, view: self._open_session(session_id, device_id, view, around),
            self.counters,
        )
        self._background = [
            asyncio.create_task(self._publisher.run(), name="publisher"),
            asyncio.create_task(self._loop_lag.run(), name="loop-lag"),
            asyncio.create_task(self._report(), name="overview"),
        ]
        if self._broker is not None:
            self._background.append(asyncio.create_task(self._broker.supervise(), name="broker"))
        await self._listen(self._manager)
        self._register_gauges()
        log.info(
            "daemon_started",
            version=__version__,
            epoch=self.epoch,
            http=f"{self.config.server.host}:{self._http_port}",
            mqtt=f"{host}:{port}",
        )

    def _open_tier(self) -> Tier:
        """Load the models: seconds of work, so it is called in a thread."""
        sessions = self.config.ingest.max_sessions
        return FastTier(self.config.fast, self.clock, sessions=sessions, counters=self.counters)

    def _surroundings(self, tier: Tier, publisher: Publisher) -> Surroundings:
        return Surroundings(
            config=self.config,
            clock=self.clock,
            epoch=self.epoch,
            topics=Topics(self.config.mqtt.topic_prefix),
            tier=tier,
            turns=asyncio.Semaphore(self.config.fast.workers),
            publisher=publisher,
            events=self.events,
            metrics=self.metrics,
            counters=self.counters,
            current=self._current,
            probe=self._probe,
        )

    def _open_session(self, session_id: str, device_id: str, view: View, around: Surroundings) -> Session:
        session = Session(session_id, device_id, view, lambda: secrets.token_hex(8), around)
        self._sessions[session_id] = session
        self._current[device_id] = session_id
        session.on_closed = lambda: self._forget_session(session)
        return session

    def _forget_session(self, session: Session) -> None:
        self._sessions.pop(session.session_id, None)
        if self._current.get(session.device_id) == session.session_id:
            del self._current[session.device_id]

    async def _listen(self, manager: SessionManager) -> None:
        server = self.config.server
        authenticator = Authenticator(self.config.ingest, server.viewer_token, server.cors_origins)

        def may_view(request: web.Request) -> bool:
            caller = caller_of(request)
            return authenticator.may_view(caller.authorization, caller.remote, caller.host, caller.forwarded)

        page = WebRoutes(
            self.events, self.metrics, may_view, self._overview, self._not_ready, epoch=self.epoch
        )
        application = web.Application(middlewares=[problem_middleware])
        application.add_routes(whip_routes(manager, authenticator, self.config, self.counters))
        application.add_routes(page.routes())
        application.on_shutdown.append(page.end_live_views)
        self._runner = http_runner(application, self.counters, HTTP_DRAIN_S)
        await self._runner.setup()
        site = web.TCPSite(self._runner, server.host, server.port, ssl_context=_tls_context(self.config))
        try:
            await site.start()
        except OSError as error:
            problem = (
                f"server.port: cannot listen on {server.host}:{server.port} ({error.strerror or error}); "
                "stop what uses it or choose another port"
            )
            raise ConfigError("configuration", [problem]) from error
        self._http_port = self._runner.addresses[0][1]

    def _register_gauges(self) -> None:
        gauge = self.metrics.gauge
        gauge("sessions", "Sessions that are open.", lambda: float(len(self._sessions)))
        gauge("loop_lag_p95_seconds", "Lag of the event loop.", lambda: self._loop_lag.p95_ms() / 1000.0)
        gauge("loop_lag_worst_seconds", "Worst lag since start.", lambda: self._loop_lag.worst_ms / 1000.0)
        gauge(
            "mqtt_connected",
            "1 while the broker is connected.",
            lambda: float(self.publisher_state is PublisherState.CONNECTED),
        )

    # While it runs --------------------------------------------------------------------------------

    def _on_ack(self, device_id: str, ack: Ack) -> None:
        sessions = [session for session in self._sessions.values() if session.device_id == device_id]
        if not sessions:
            self.counters.add("acks.without_session")
        for session in sessions:
            if session.acknowledged(ack):
                return

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(OVERVIEW_INTERVAL_S)
            if self.events.watched:
                self.events.emit(self._overview())

    def _overview(self) -> Event:
        now_ms = self.clock.now_ms()
        sessions: list[JsonValue] = [
            session.health(now_ms).model_dump(mode="json") for session in self._sessions.values()
        ]
        return {
            "type": "sessions",
            "sessions": sessions,
            "daemon": {
                "mqtt": self.publisher_state.value,
                "loop_lag_p95_ms": self._loop_lag.p95_ms(),
                "version": __version__,
                "epoch": self.epoch,
                "now_ms": now_ms,
            },
        }

    def _not_ready(self) -> Mapping[str, str]:
        if self.publisher_state is PublisherState.CONNECTED:
            return {}
        return {"mqtt": f"the broker is {self.publisher_state.value}"}

    # Stop -----------------------------------------------------------------------------------------

    async def _stop(self) -> None:
        """Let nobody new in, end the sessions and their alerts, deliver what is left, say goodbye."""
        grace_s = self.config.server.shutdown_grace_ms / 1000.0
        try:
            async with asyncio.timeout(grace_s):
                if self._runner is not None:
                    await self._runner.cleanup()
                if self._manager is not None:
                    await self._manager.close_all(grace_s / 2)
                if self._publisher is not None:
                    await self._publisher.stop(grace_s * 500.0)
        except TimeoutError:
            log.warning("stop_took_too_long", grace_s=grace_s, sessions=len(self._sessions))
        for task in self._background:
            task.cancel()
        if self._background:
            _, left = await asyncio.wait(self._background, timeout=TASKS_END_S)
            if left:
                log.error("tasks_left_behind", tasks=sorted(task.get_name() for task in left))
        if self._tier is not None:
            await self._tier.close()
        if self._broker is not None:
            await self._broker.stop()
        log.info("daemon_stopped")


def _tls_context(config: Config) -> ssl.SSLContext | None:
    certificate, key = config.server.tls_certificate, config.server.tls_key
    if certificate is None or key is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except (ssl.SSLError, OSError) as error:
        problem = f"server.tls_certificate: {certificate} and {key} are not a usable pair: {error}"
        raise ConfigError("configuration", [problem]) from error
    return context

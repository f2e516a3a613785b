"""The daemon: start → serve → drain → stop, each with a deadline."""

from __future__ import annotations

import asyncio
import secrets
import ssl
from collections.abc import Mapping
from functools import partial
from typing import Self

import structlog
from aiohttp import web

from arwarden import __version__
from arwarden.adjust.scene import SceneBook
from arwarden.config import Config, MqttConfig, Secret
from arwarden.contract.messages import Ack
from arwarden.contract.topics import Topics
from arwarden.core.clock import Clock, SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError
from arwarden.core.frame import View
from arwarden.core.tier import Tier
from arwarden.corrections import Corrections, SceneNames
from arwarden.escalate.budget import Budget
from arwarden.escalate.faces import open_faces
from arwarden.escalate.judge import Judge
from arwarden.escalate.switched_off import Lack
from arwarden.escalate.tier import JudgeTier, SecondOpinions, open_configured
from arwarden.fast.tier import FastTier
from arwarden.ingest.auth import Authenticator, caller_of
from arwarden.ingest.listening import BoundedSite
from arwarden.ingest.problems import problem_middleware
from arwarden.ingest.runner import http_runner
from arwarden.ingest.sessions import SessionManager
from arwarden.ingest.whip import whip_routes
from arwarden.observe.events import Event, EventStream, JsonValue
from arwarden.observe.latency import LoopLag
from arwarden.observe.metrics import Metrics
from arwarden.publish.embedded import DEFAULT_PORT, Access, EmbeddedBroker
from arwarden.publish.publisher import Publisher, PublisherState
from arwarden.publish.scenes import DeviceScene
from arwarden.publish.tls_front import TlsFront
from arwarden.session import Probe, Session, Surroundings
from arwarden.web.relay import MqttRelay
from arwarden.web.routes import WebRoutes
from arwarden.web.tls import ServerTls

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
        broker_tls_port: int | None = None,
        tier: Tier | None = None,
        judge: Judge | None = None,
        clock: Clock | None = None,
        probe: Probe | None = None,
    ) -> None:
        if config.mqtt.host is None and not embedded_broker:
            problem = "mqtt.host: no broker is configured; name one, or start without --no-embedded-broker"
            raise ConfigError("configuration", [problem])
        self.config = config
        self.epoch = secrets.token_hex(8)
        self.counters = Counters()
        self.clock = clock or SystemClock()
        self.events = EventStream(self.counters)
        self.metrics = Metrics(self.counters)
        self._probe = probe
        self._embedded = embedded_broker
        self._broker_at = (broker_host, broker_port, broker_tls_port)
        self._broker: EmbeddedBroker | None = None
        self._tls_front: TlsFront | None = None
        self._given_tier = tier
        self._tier: Tier | None = None
        self._given_judge = judge
        self._opinions: SecondOpinions | None = None
        self.switched_off: list[Lack] = []
        """Judges that lack a key, a package or a model, once it has started."""
        self.scenes = SceneBook(self.counters)
        self._publisher: Publisher | None = None
        self._manager: SessionManager | None = None
        self._runner: web.AppRunner | None = None
        self._loop_lag = LoopLag()
        self._sessions: dict[str, Session] = {}
        self._current: dict[str, str] = {}
        self._background: list[asyncio.Task[None]] = []
        self.tls = ServerTls(config.server)
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
    def mqtt_tls_port(self) -> int | None:
        """Where the embedded broker speaks TLS, if it does."""
        return None if self._tls_front is None else self._tls_front.port

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
        # First, because keys take time to make and faulty files are to be said at once.
        context = await asyncio.to_thread(self.tls.open)
        login = await self._start_broker(context) if self._embedded else {}
        host, port = self._mqtt_address
        mqtt = self.config.mqtt.model_copy(update={"host": host, "port": port, **login})
        self._publisher = Publisher(
            mqtt,
            self.clock,
            epoch=self.epoch,
            version=__version__,
            on_ack=self._on_ack,
            counters=self.counters,
            on_scene=self._on_scene if _wants_scenes(self.config) else None,
        )
        if self.config.escalate.judge is not None and not self.config.escalate.replaces_fast:
            # Before the fast tier, whose models take seconds: a missing extra or model is said at once.
            self._opinions = await asyncio.to_thread(self._open_opinions)
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
            asyncio.create_task(self.tls.keep_good(), name="certificate"),
        ]
        if self._broker is not None:
            self._background.append(asyncio.create_task(self._broker.supervise(), name="broker"))
        await self._listen(self._manager, mqtt, context)
        self._register_gauges()
        log.info(
            "daemon_started",
            version=__version__,
            epoch=self.epoch,
            http=f"{self.config.server.host}:{self._http_port}",
            mqtt=f"{host}:{port}",
        )

    async def _start_broker(self, context: ssl.SSLContext | None) -> dict[str, object]:
        """Start the embedded broker; returns what the daemon logs in with, as fields of ``mqtt``."""
        host, port, tls_port = self._broker_at
        access = Access.of(self.config, host)
        self._broker = EmbeddedBroker(host, port, access=access)
        self._mqtt_address = await self._broker.start()
        if context is not None and tls_port is not None:
            self._tls_front = TlsFront(host, tls_port, context, self.counters)
            await self._tls_front.start(self._mqtt_address)
        if access.daemon is None:
            return {}
        password = Secret.model_validate({"value": access.daemon.password})
        return {"username": access.daemon.username, "password": password}

    def _open_tier(self) -> Tier:
        """Load the models: seconds of work, so it is called in a thread."""
        if self.config.escalate.replaces_fast:
            return JudgeTier(self.config.escalate, self._open_judge())
        sessions = self.config.ingest.max_sessions
        return FastTier(self.config.fast, self.clock, sessions=sessions, counters=self.counters)

    def _open_judge(self) -> Judge:
        """Raises what ``open_configured`` raises; what a judge lacks only where it is the only tier."""
        if self._given_judge is not None:
            return self._given_judge
        escalate = self.config.escalate
        lacking = None if escalate.replaces_fast else self.switched_off
        judge = open_configured(escalate, self.clock, self.counters, lacking)
        for lack in self.switched_off:
            log.warning("judge_switched_off", judge=lack.judge, reason=lack.reason, detail=lack.detail)
        return judge

    def _open_opinions(self) -> SecondOpinions:
        """Load the judge's model, if it is one of this process; called in a thread like ``_open_tier``."""
        escalate = self.config.escalate
        faces = open_faces() if escalate.send.blur_faces else None
        judge = self._open_judge()
        lacks = self.switched_off
        return SecondOpinions(escalate, judge, self.clock, self.counters, faces=faces, switched_off=lacks)

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
            opinions=self._opinions,
            names=SceneNames(self.scenes, self.config.adjust) if self.config.adjust.name_objects else None,
            corrections=self._corrections(publisher),
        )

    def _corrections(self, publisher: Publisher) -> Corrections | None:
        if not self.config.adjust.enabled or self._opinions is None:
            return None
        return Corrections(
            self.config.adjust,
            self.scenes,
            self._opinions,
            self.epoch,
            Topics(self.config.mqtt.topic_prefix),
            self.clock,
            publisher.submit,
            self.events,
            self.metrics,
            self.counters,
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

    async def _listen(
        self, manager: SessionManager, mqtt: MqttConfig, context: ssl.SSLContext | None
    ) -> None:
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
        relay = MqttRelay(mqtt, authenticator, self.counters)
        application.add_routes(page.routes())
        application.add_routes(relay.routes())
        application.on_shutdown.extend([page.end_live_views, relay.end_relays])
        self._runner = http_runner(application, self.counters, HTTP_DRAIN_S)
        await self._runner.setup()
        site = BoundedSite(
            self._runner,
            server.host,
            server.port,
            limit=server.max_connections,
            counters=self.counters,
            ssl_context=context,
        )
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
        if self._opinions is not None:
            budget = self._opinions.budget
            off = self._opinions.switched_off
            gauge("judges_switched_off", "Judges without key, package or model.", lambda: float(len(off)))
            gauge("judge_calls", "Questions to judges since start.", lambda: float(budget.ledger.calls))
            gauge("judge_cost", "Money spent on judges since start.", lambda: budget.ledger.cost)
            gauge("judge_saved_calls", "Questions spared.", lambda: float(budget.ledger.saved_calls))
            gauge("judge_saved_cost", "Money not spent on them.", lambda: budget.ledger.saved_cost)
            for name in ("tokens_in", "tokens_out"):
                read = partial(_tokens, budget, name)
                gauge(f"judge_{name}", "Tokens sent to or answered by judges since start.", read)
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

    def _on_scene(self, scene: DeviceScene) -> None:
        self.scenes.take(scene.device_id, scene.report, self.clock.now_ms(), retained=scene.retained)

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
        await self._end_background()
        for part in (self._opinions, self._tier):
            if part is not None:
                await part.close()
        for outer in (self._tls_front, self._broker):
            if outer is not None:
                await outer.stop()
        log.info("daemon_stopped")

    async def _end_background(self) -> None:
        for task in self._background:
            task.cancel()
        if self._background:
            _, left = await asyncio.wait(self._background, timeout=TASKS_END_S)
            if left:
                log.error("tasks_left_behind", tasks=sorted(task.get_name() for task in left))


def _wants_scenes(config: Config) -> bool:
    """Whether anything is done with what apps report of their objects."""
    return config.adjust.enabled or config.adjust.name_objects


def _tokens(budget: Budget, name: str) -> float:
    return float(getattr(budget.ledger, name))

"""Publishing by WHIP (RFC 9725): one POST, a peer connection, one DELETE; again after every loss."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path

import aiohttp
import structlog
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpSender, RTCSessionDescription
from yarl import URL

from arwarden.contract.channel import CLOCK_CHANNEL_LABEL
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import Refused
from arwarden.core.frame import View
from arwarden.core.offset import OffsetFilter
from arwarden.core.tls_faults import TlsFault, tls_fault
from arwarden.headset.aiortc_sender_workarounds import forward_keyframe_requests, stamp_capture_time
from arwarden.headset.backoff import Backoff
from arwarden.headset.clock_channel import ClockChannel
from arwarden.headset.encoder import Codec
from arwarden.headset.feed import Feed, StreamTrack
from arwarden.headset.trust import trusting

log = structlog.get_logger(__name__)

SDP_TYPE = "application/sdp"
REQUEST_TIMEOUT_S = 10.0
CONNECT_TIMEOUT_S = 10.0
CLOSE_TIMEOUT_S = 3.0
SILENCE_S = 5.0
"""No pong for this long: the daemon is gone. aiortc alone notices after 27 s."""
LONGEST_RETRY_AFTER_S = 30.0
MAX_BODY_BYTES = 65_536
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})


class StreamState(StrEnum):
    """How the publishing is doing."""

    CONNECTING = "connecting"
    STREAMING = "streaming"
    LOST = "lost"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class WhipTarget:
    """Where to publish and as whom."""

    url: str
    token: str | None = field(default=None, repr=False)
    device_id: str | None = None
    """Sent as the query parameter ``device``; a daemon that asks for tokens ignores it."""
    view: View = View.COMPOSITED
    ca_file: Path | None = None
    """PEM file to trust for https; the system's authorities without one."""

    def request_url(self) -> URL:
        """The address that is posted to. Raises ``Refused`` where it is not an HTTP address."""
        url = URL(self.url)
        if url.scheme not in ("http", "https") or not url.host:
            raise Refused(self.url, "not an address of the form http://HOST:PORT/whip")
        query = {"view": self.view.value, **({"device": self.device_id} if self.device_id else {})}
        return url.update_query(query)

    def headers(self) -> dict[str, str]:
        """The authorization header, where there is a token."""
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}


class _Lost(Exception):
    """The connection did not come about or is gone; another try may help."""

    def __init__(self, reason: str, wait_s: float = 0.0) -> None:
        self.reason = reason
        self.wait_s = wait_s
        super().__init__(reason)


class WhipPublisher:
    """Keeps a feed published until cancelled."""

    def __init__(
        self,
        target: WhipTarget,
        feed: Feed,
        *,
        clock: Clock,
        offset: OffsetFilter,
        counters: Counters,
        on_state: Callable[[StreamState, str], None],
    ) -> None:
        self._target = target
        self._feed = feed
        self._clock = clock
        self._offset = offset
        self._counters = counters
        self._on_state = on_state
        self.connections = 0

    async def run(self) -> None:
        """Publish, and publish again after each loss. Raises ``Refused`` where trying again is no use.

        On cancellation the session is deleted at the daemon before the cancellation goes on.
        """
        backoff = Backoff()
        loop = asyncio.get_running_loop()
        timeout = aiohttp.ClientTimeout(total=REQUEST_TIMEOUT_S)
        context = trusting(self._target.ca_file)
        connector = aiohttp.TCPConnector(ssl=context)
        async with aiohttp.ClientSession(timeout=timeout, connector=connector) as http:
            while True:
                began_s, before = loop.time(), self.connections
                self._on_state(StreamState.CONNECTING, "")
                try:
                    await self._publish_once(http)
                except _Lost as loss:
                    held_s = loop.time() - began_s if self.connections > before else 0.0
                    self._counters.add("whip.lost")
                    self._on_state(StreamState.LOST, loss.reason)
                    log.warning("stream_lost", reason=loss.reason)
                    await asyncio.sleep(max(backoff.pause_s(held_s), loss.wait_s))

    async def _publish_once(self, http: aiohttp.ClientSession) -> None:
        """One connection from offer to loss. Always ends with an exception."""
        # No ICE servers: aiortc would ask a public one on the internet where this is left out.
        connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        session_url: str | None = None
        try:
            track = self._feed.track()
            sender = _add_track(connection, track, self._feed.codec)
            channel = ClockChannel(
                connection.createDataChannel(CLOCK_CHANNEL_LABEL, ordered=False, maxRetransmits=0),
                view=self._target.view,
                clock=self._clock,
                offset=self._offset,
                counters=self._counters,
            )
            await connection.setLocalDescription(await connection.createOffer())
            answer, session_url = await self._post(http, connection.localDescription.sdp)
            await self._accept(connection, answer)
            await _connected(connection)
            track.on_due = lambda capture_ms: stamp_capture_time(sender, capture_ms)
            self.connections += 1
            self._on_state(StreamState.STREAMING, "")
            log.info("stream_connected", view=self._target.view.value, codec=self._feed.codec.value)
            await self._watch(connection, channel)
        finally:
            await self._end(http, connection, session_url)

    async def _post(self, http: aiohttp.ClientSession, offer: str) -> tuple[str, str | None]:
        headers = {"Content-Type": SDP_TYPE, "Accept": SDP_TYPE, **self._target.headers()}
        url = self._target.request_url()
        try:
            async with http.post(url, data=offer, headers=headers) as response:
                body = (await response.content.read(MAX_BODY_BYTES)).decode("utf-8", errors="replace")
                if response.status != HTTPStatus.CREATED:
                    raise _refusal(self._target.url, response, body)
                return body, _session_url(response)
        except aiohttp.ClientConnectorCertificateError as error:
            reason = f"its certificate is not trusted: {error.certificate_error}; name it by --ca"
            if tls_fault(error.certificate_error) is TlsFault.OTHER_NAME:
                reason = (
                    f"its certificate is for other names: {error.certificate_error}; use one that is in it"
                )
            raise Refused(self._target.url, reason) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _Lost(_unanswered(url, error)) from error

    async def _accept(self, connection: RTCPeerConnection, answer: str) -> None:
        try:
            await connection.setRemoteDescription(RTCSessionDescription(sdp=answer, type="answer"))
        except Exception as error:
            # aiortc raises ValueError, AssertionError, KeyError and its own errors on a bad description.
            reason = f"its answer cannot be used: {type(error).__name__}: {error}"
            raise Refused(self._target.url, reason) from error
        if connection.getTransceivers()[0].currentDirection != "sendonly":
            reason = f"it does not take {self._feed.codec.value} video"
            raise Refused(self._target.url, reason)

    async def _watch(self, connection: RTCPeerConnection, channel: ClockChannel) -> None:
        """Keep the clock channel going until the connection is lost."""
        asking = asyncio.create_task(channel.run())
        try:
            while True:
                await asyncio.sleep(0.1)
                if asking.done():
                    asking.result()
                if connection.connectionState in ("failed", "closed"):
                    raise _Lost(f"the connection is {connection.connectionState}")
                answered_ms = channel.answered_ms
                if answered_ms is not None and self._clock.now_ms() - answered_ms > SILENCE_S * 1000:
                    raise _Lost(f"the daemon has not answered for {SILENCE_S:g} s")
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

    async def _end(
        self, http: aiohttp.ClientSession, connection: RTCPeerConnection, session_url: str | None
    ) -> None:
        if session_url is not None:
            try:
                timeout = aiohttp.ClientTimeout(total=CLOSE_TIMEOUT_S)
                async with http.delete(session_url, headers=self._target.headers(), timeout=timeout):
                    log.info("stream_ended")
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                self._counters.add("whip.delete_failed")
                log.info("stream_end_unsaid", reason=type(error).__name__)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await connection.close()


def _unanswered(url: URL, error: Exception) -> str:
    """Why there was no answer, and what to do where the address is at odds with the server."""
    said = f"no answer from {url.host}:{url.port}: {str(error) or 'timed out'}"
    hung_up = isinstance(error, aiohttp.ServerDisconnectedError) or tls_fault(error) is TlsFault.NOT_SPOKEN
    if url.scheme == "http" and hung_up:
        return f"{said}; where it speaks TLS, as with --tls auto, begin with https://"
    if url.scheme == "https" and hung_up:
        return f"{said}; it speaks no TLS there: begin with http://"
    return said


def _session_url(response: aiohttp.ClientResponse) -> str | None:
    location = response.headers.get("Location")
    if location is None:
        log.warning("session_without_location")
        return None
    url = response.url.join(URL(location))
    if url.origin() != response.url.origin():
        # The token goes to nobody but the server it is for.
        log.warning("session_at_other_origin", origin=str(url.origin()))
        return None
    return str(url)


def _add_track(connection: RTCPeerConnection, track: StreamTrack, codec: Codec) -> RTCRtpSender:
    transceiver = connection.addTransceiver(track, direction="sendonly")
    known = RTCRtpSender.getCapabilities("video").codecs
    wanted = f"video/{codec.value}"
    chosen = [entry for entry in known if entry.mimeType.lower() in (wanted, "video/rtx")]
    transceiver.setCodecPreferences(chosen)
    forward_keyframe_requests(transceiver.sender, track.request_keyframe)
    return transceiver.sender


async def _connected(connection: RTCPeerConnection) -> None:
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            while connection.connectionState != "connected":
                if connection.connectionState in ("failed", "closed"):
                    raise _Lost(f"the connection is {connection.connectionState}")
                await asyncio.sleep(0.02)
    except TimeoutError:
        reason = f"no media connection within {CONNECT_TIMEOUT_S:g} s; a firewall may block UDP"
        raise _Lost(reason) from None


def _refusal(address: str, response: aiohttp.ClientResponse, body: str) -> Exception:
    reason = f"{response.status} {response.reason}: {_problem_text(body)}".rstrip(": ")
    if response.status not in TRANSIENT:
        return Refused(address, reason)
    wait = response.headers.get("Retry-After", "")
    return _Lost(reason, min(LONGEST_RETRY_AFTER_S, float(wait) if wait.isdecimal() else 0.0))


def _problem_text(body: str) -> str:
    """What a problem document (RFC 9457) says, or the start of any other text."""
    with contextlib.suppress(ValueError):
        problem = json.loads(body)
        if isinstance(problem, dict):
            said = [str(problem[key]) for key in ("title", "detail") if problem.get(key)]
            return ": ".join(said)[:300]
    return " ".join(body.split())[:200]

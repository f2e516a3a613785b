"""The error tree. Branches are named after who has to act.

::

    ArwardenError
    ├── ConfigError            the operator, before anything starts
    ├── InputError             whoever named the file or device: it cannot be read
    ├── ModelError             the operator: a model file is missing, damaged or of the wrong kind
    ├── SignallingError        the client: becomes an HTTP problem with its status and reason
    │   ├── MalformedOffer         400
    │   ├── Unauthorized           401
    │   ├── NotTheOwner            403
    │   ├── NoSuchSession          404
    │   ├── UnsupportedMedia       406
    │   ├── SlowRequest            408
    │   ├── OtherIceSession        412
    │   ├── OfferTooLarge          413
    │   ├── WrongContentType       415
    │   ├── RestartUnsupported     422
    │   ├── EntityTagMissing       428
    │   └── NoCapacity             503
    ├── TierError              nobody at once: the tier's answer is missing, the pipeline goes on
    │   ├── DeadlineExceeded
    │   └── JudgeError             a second opinion is missing; ``reason`` names why
    │       ├── JudgeUnreachable       no connection, a reset, a name or a certificate that is wrong
    │       ├── JudgeRejected          the operator: wrong key, model, address or request
    │       ├── JudgeBusy              too many requests, here or there; ``retry_after_ms`` may say when
    │       ├── JudgeBroken            the other side failed, or answered in no known form
    │       ├── CircuitOpen            it failed too often lately and is left alone for a while
    │       └── SwitchedOff            the operator: its key, its package or its model is missing
    ├── PublishError           the pipeline: the message was not delivered
    │   └── ClientTakenOver        the operator: another client uses our MQTT client id
    ├── BrokerError            the operator: the embedded broker does not start
    └── Refused                the headset's user: the daemon or the broker does not take it
"""

from __future__ import annotations

from http import HTTPStatus


class ArwardenError(Exception):
    """Base of every error that this package raises on purpose."""


class ConfigError(ArwardenError):
    """The configuration cannot be used. ``problems`` holds one line per fault, each with its fix."""

    def __init__(self, source: str, problems: list[str]) -> None:
        self.source = source
        self.problems = problems
        super().__init__(f"{source}: " + "; ".join(problems))


class InputError(ArwardenError):
    """A file, folder or device cannot be read as pictures. Names it and says why."""

    def __init__(self, source: str, reason: str) -> None:
        self.source = source
        self.reason = reason
        super().__init__(f"{source}: {reason}")


class ModelError(ArwardenError):
    """A model file is missing, damaged, or not what its name says."""


class SignallingError(ArwardenError):
    """A client's request that is refused. ``status`` and ``reason`` become the HTTP problem body."""

    status = HTTPStatus.BAD_REQUEST
    title = "The request cannot be used"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class MalformedOffer(SignallingError):
    """The body is not an SDP offer that a connection can be made from."""

    title = "The offer is malformed"


class Unauthorized(SignallingError):
    """No token, or one that no device has."""

    status = HTTPStatus.UNAUTHORIZED
    title = "A device's token is needed"


class NotTheOwner(SignallingError):
    """The session belongs to another device."""

    status = HTTPStatus.FORBIDDEN
    title = "The session belongs to another device"


class NoSuchSession(SignallingError):
    """The session has ended, or never was."""

    status = HTTPStatus.NOT_FOUND
    title = "There is no such session"


class UnsupportedMedia(SignallingError):
    """The offer is sound but holds no video this daemon can take."""

    status = HTTPStatus.NOT_ACCEPTABLE
    title = "The offered media is not supported"


class SlowRequest(SignallingError):
    """The body did not arrive within the configured time."""

    status = HTTPStatus.REQUEST_TIMEOUT
    title = "The request took too long"


class OtherIceSession(SignallingError):
    """The entity tag that the client sent is not that of the session's ICE credentials."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "The entity tag does not match"


class OfferTooLarge(SignallingError):
    """The body is longer than the configured limit."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "The offer is too large"


class WrongContentType(SignallingError):
    """The body is labelled as something else than the resource takes."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    title = "The content type is not supported"


class RestartUnsupported(SignallingError):
    """The client asks for an ICE restart."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "ICE restarts are not supported"


class EntityTagMissing(SignallingError):
    """A trickle request without an If-Match header."""

    status = HTTPStatus.PRECONDITION_REQUIRED
    title = "An If-Match header is needed"


class NoCapacity(SignallingError):
    """All session slots are taken by live sessions of other devices."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "No session slot is free"


class TierError(ArwardenError):
    """A tier could not judge. The pipeline goes on without its answer."""


class DeadlineExceeded(TierError):
    """The answer would have come after its deadline."""


class JudgeError(TierError):
    """A judge gave no answer. ``reason`` is a short name for logs and metrics, such as ``http_429``.

    The text names the judge and the fix, and never holds a key, a prompt or an answer.
    """

    def __init__(self, judge: str, reason: str, detail: str = "") -> None:
        self.judge = judge
        self.reason = reason
        super().__init__(f"judge {judge}: {detail or reason}")


class JudgeUnreachable(JudgeError):
    """The endpoint cannot be reached, or the connection broke."""


class JudgeRejected(JudgeError):
    """The endpoint refuses the request, and will again until the operator changes something."""


class JudgeBusy(JudgeError):
    """The endpoint, or our own limit, takes no more requests for now."""

    def __init__(
        self, judge: str, reason: str, detail: str = "", *, retry_after_ms: float | None = None
    ) -> None:
        self.retry_after_ms = retry_after_ms
        super().__init__(judge, reason, detail)


class JudgeBroken(JudgeError):
    """The endpoint or the model failed, or its reply is not what its interface promises."""


class CircuitOpen(JudgeError):
    """The judge failed too often lately, or asked for a rest: it is not asked until a probe succeeds."""

    def __init__(
        self, judge: str, reason: str, detail: str = "", *, retry_after_ms: float | None = None
    ) -> None:
        self.retry_after_ms = retry_after_ms
        super().__init__(judge, reason, detail)


class SwitchedOff(JudgeError):
    """The judge cannot be asked until the operator gives it what it lacks, and starts the daemon again."""


class PublishError(ArwardenError):
    """A message was not delivered to the broker."""


class ClientTakenOver(PublishError):
    """Another client connected with our MQTT client id (MQTT 5 reason code 142)."""


class BrokerError(ArwardenError):
    """The embedded broker cannot be started."""


class Refused(ArwardenError):
    """The other side refuses this headset, and will again: a wrong address, token, password or codec."""

    def __init__(self, address: str, reason: str) -> None:
        self.address = address
        self.reason = reason
        super().__init__(f"{address}: {reason}")

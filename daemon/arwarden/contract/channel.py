"""Messages of the WebRTC data channel ``clock``: who the client is, and whose clock says what.

The exchange is the one of NTP (RFC 5905, section 8): the asker stamps ``t0_ms``, the answerer stamps
arrival ``t1_ms`` and departure ``t2_ms``, the asker stamps the return. Either side may ask. The
channel is unordered and never retransmits: a late answer is worth less than the next one.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

CLOCK_CHANNEL_LABEL = "clock"
MAX_MESSAGE_BYTES = 1024

FiniteMs = Annotated[float, Field(allow_inf_nan=False)]
PingId = Annotated[int, Field(ge=0, lt=2**32)]


class _ChannelMessage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Hello(_ChannelMessage):
    """Sent once by the client when the channel opens."""

    type: Literal["hello"] = "hello"
    view: Literal["composited", "passthrough", "unknown"] = "unknown"
    client: str = Field("", max_length=100, description="Name and version of the client software.")


class Ping(_ChannelMessage):
    """A question for the other side's clock."""

    type: Literal["ping"] = "ping"
    id: PingId
    t0_ms: FiniteMs


class Pong(_ChannelMessage):
    """The answer to a ping."""

    type: Literal["pong"] = "pong"
    id: PingId
    t0_ms: FiniteMs
    t1_ms: FiniteMs
    t2_ms: FiniteMs


ChannelMessage = Annotated[Hello | Ping | Pong, Field(discriminator="type")]
CHANNEL_MESSAGE: TypeAdapter[Hello | Ping | Pong] = TypeAdapter(ChannelMessage)

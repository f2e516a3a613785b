"""MQTT packets as bytes, as far as a broker's neighbour has to read them: 3.1.1 and 5.

paho speaks for one client at a time. This is for whoever stands between a client and a broker: it splits a
stream into packets, reads who connects and what is asked for, and writes the few answers that are its own.
Section numbers are those of the MQTT 5 standard. Bytes come from strangers: whatever is not well formed
raises ``MalformedPacket``, and nothing longer than the reader's limit is ever kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

MQTT_3 = 4
MQTT_5 = 5
_HEADER_BYTES = 5
_LENGTH_BYTES = 4
_USER, _PASSWORD, _WILL, _CLEAN = 0x80, 0x40, 0x04, 0x02
_MAXIMUM_PACKET_SIZE = 0x27


class MalformedPacket(ValueError):
    """Bytes that are no MQTT packet, or a packet that is longer than the limit."""


class Kind(IntEnum):
    """Packet types (2.1.2)."""

    CONNECT = 1
    CONNACK = 2
    PUBLISH = 3
    PUBACK = 4
    PUBREC = 5
    PUBREL = 6
    PUBCOMP = 7
    SUBSCRIBE = 8
    SUBACK = 9
    UNSUBSCRIBE = 10
    UNSUBACK = 11
    PINGREQ = 12
    PINGRESP = 13
    DISCONNECT = 14
    AUTH = 15


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet: its type, the four flag bits, and what follows the fixed header."""

    kind: Kind
    flags: int
    body: bytes

    @property
    def raw(self) -> bytes:
        """The packet as it travels."""
        return bytes([self.kind << 4 | self.flags]) + _variable(len(self.body)) + self.body


class PacketReader:
    """Splits a stream of bytes into packets. ``limit_bytes`` is for a whole packet."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[Packet]:
        """The packets that are complete with this data. Raises ``MalformedPacket``."""
        self._pending += data
        packets = []
        while (packet := self._next()) is not None:
            packets.append(packet)
        return packets

    def _next(self) -> Packet | None:
        pending = self._pending
        if not pending:
            return None
        if pending[0] >> 4 == 0:
            raise MalformedPacket("there is no packet type 0")
        head = bytes(pending[1:_HEADER_BYTES])
        length = _length(head)
        if length is None:
            return None
        size, used = length
        if 1 + used + size > self._limit:
            raise MalformedPacket(f"a packet of {size} bytes, more than {self._limit}")
        if len(pending) < 1 + used + size:
            return None
        kind, flags = Kind(pending[0] >> 4), pending[0] & 0x0F
        body = bytes(pending[1 + used : 1 + used + size])
        del pending[: 1 + used + size]
        return Packet(kind, flags, body)


@dataclass(frozen=True, slots=True)
class Connect:
    """What a client says first (3.1), as far as it matters to others than the broker."""

    level: int
    keep_alive_s: int
    client_id: str
    has_will: bool
    username: str | None = None
    password: bytes | None = None

    @classmethod
    def read(cls, packet: Packet) -> Connect:
        """Raises ``MalformedPacket``, also for a protocol level that is neither 3.1.1 nor 5."""
        cursor = _Cursor(packet.body)
        if packet.kind is not Kind.CONNECT or cursor.text() != "MQTT":
            raise MalformedPacket("the first packet is not an MQTT CONNECT")
        level, flags, keep_alive_s = cursor.byte(), cursor.byte(), cursor.two_bytes()
        if level not in (MQTT_3, MQTT_5):
            raise MalformedPacket(f"protocol level {level}; 4 (MQTT 3.1.1) and 5 are spoken here")
        if level == MQTT_5:
            cursor.properties()
        client_id = cursor.text()
        if flags & _WILL:
            if level == MQTT_5:
                cursor.properties()
            cursor.text()
            cursor.binary()
        username = cursor.text() if flags & _USER else None
        password = cursor.binary() if flags & _PASSWORD else None
        cursor.end()
        return cls(level, keep_alive_s, client_id, bool(flags & _WILL), username, password)

    def packet(self, max_packet_bytes: int) -> Packet:
        """A CONNECT of a clean session without a will. MQTT 5 tells the broker the longest packet taken."""
        flags = _CLEAN
        rest = [_text(self.client_id)]
        if self.username is not None:
            flags |= _USER
            rest.append(_text(self.username))
        if self.password is not None:
            flags |= _PASSWORD
            rest.append(_binary(self.password))
        head = _text("MQTT") + bytes([self.level, flags]) + self.keep_alive_s.to_bytes(2)
        if self.level == MQTT_5:
            head += bytes([5, _MAXIMUM_PACKET_SIZE]) + max_packet_bytes.to_bytes(4)
        return Packet(Kind.CONNECT, 0, head + b"".join(rest))


def published_topic(packet: Packet) -> str:
    """The topic of a PUBLISH (3.3.2.1); empty where an alias of MQTT 5 stands for it."""
    return _Cursor(packet.body).text()


def subscribed_filters(packet: Packet, level: int) -> list[str]:
    """The topic filters of a SUBSCRIBE (3.8.3)."""
    cursor = _Cursor(packet.body)
    cursor.two_bytes()
    if level == MQTT_5:
        cursor.properties()
    filters = []
    while cursor.left:
        filters.append(cursor.text())
        cursor.byte()
    if not filters:
        raise MalformedPacket("a SUBSCRIBE without a topic filter")
    return filters


def connack_code(packet: Packet) -> int:
    """The reason code of a CONNACK (3.2.2.2); 0 is success."""
    if packet.kind is not Kind.CONNACK or len(packet.body) < 2:
        raise MalformedPacket("the answer to CONNECT is not a CONNACK")
    return packet.body[1]


def refusal(level: int, code: int) -> Packet:
    """A CONNACK that refuses. ``code`` is of MQTT 5; 3.1.1 has fewer, the nearest is taken."""
    if level == MQTT_5:
        return Packet(Kind.CONNACK, 0, bytes([0, code, 0]))
    old = {0x86: 4, 0x87: 5, 0x88: 3, 0x84: 1, 0x85: 2}
    return Packet(Kind.CONNACK, 0, bytes([0, old.get(code, 3)]))


def goodbye(code: int) -> Packet:
    """A DISCONNECT from the server's side with a reason code (3.14.2.1); for MQTT 5 only."""
    return Packet(Kind.DISCONNECT, 0, bytes([code, 0]))


class _Cursor:
    """Reads a body from its front. Raises ``MalformedPacket`` where it ends too early."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._body) - self._at

    def byte(self) -> int:
        return self._take(1)[0]

    def two_bytes(self) -> int:
        return int.from_bytes(self._take(2))

    def binary(self) -> bytes:
        return self._take(self.two_bytes())

    def text(self) -> str:
        try:
            text = self.binary().decode()
        except UnicodeDecodeError as error:
            raise MalformedPacket("a text is not UTF-8") from error
        if "\0" in text:
            raise MalformedPacket("a text holds a null character")  # 1.5.4
        return text

    def properties(self) -> None:
        """Step over them."""
        length = _length(self._body[self._at : self._at + _LENGTH_BYTES])
        if length is None:
            raise MalformedPacket("the packet ends within the length of its properties")
        size, used = length
        self._take(used + size)

    def end(self) -> None:
        if self.left:
            raise MalformedPacket("there is something behind the end of the packet's content")

    def _take(self, count: int) -> bytes:
        if count > self.left:
            raise MalformedPacket("the packet ends too early")
        self._at += count
        return self._body[self._at - count : self._at]


def _length(data: Iterable[int]) -> tuple[int, int] | None:
    """A variable byte integer (1.5.5) and the bytes that it takes; None where it goes on past the data."""
    value = 0
    for used, byte in enumerate(data, start=1):
        value |= (byte & 0x7F) << 7 * (used - 1)
        if not byte & 0x80:
            return value, used
        if used == _LENGTH_BYTES:
            raise MalformedPacket("a length of more than four bytes")
    return None


def _variable(value: int) -> bytes:
    encoded = bytearray()
    while True:
        value, low = divmod(value, 128)
        encoded.append(low | (0x80 if value else 0))
        if not value:
            return bytes(encoded)


def _text(text: str) -> bytes:
    return _binary(text.encode(errors="replace"))


def _binary(data: bytes) -> bytes:
    if len(data) > 0xFFFF:
        raise MalformedPacket(f"{len(data)} bytes do not fit into an MQTT text")
    return len(data).to_bytes(2) + data

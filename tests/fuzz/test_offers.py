"""Whatever happens to an offer on its way: it is refused with a reason, or a connection can answer it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arwarden.core.errors import SignallingError
from arwarden.ingest.candidates import parse_candidates
from arwarden.ingest.sdp import check_offer
from tests.support.whip import CORPUS_NAMES, FRAGMENT, SDP, offer_text, without

MAX_BYTES = 65_536
OFFERS = {name: offer_text(name).encode() for name in CORPUS_NAMES}
LINES = sorted({line for name in CORPUS_NAMES for line in offer_text(name).splitlines()})

names = st.sampled_from(CORPUS_NAMES)
stray_lines = st.one_of(
    st.sampled_from(LINES),
    st.sampled_from(
        ["a=", "m=", "a=mid:0", "a=setup:", "a=inactive", "a=group:BUNDLE", "m=video 9 RTP/SAVPF 0"]
    ),
    st.from_regex(r"a=[a-z-]{1,12}(:[!-~ ]{0,30})?", fullmatch=True),
    st.text(max_size=20),
)


@st.composite
def damaged_offers(draw: st.DrawFn) -> bytes:
    """An offer of the corpus with lines lost, doubled, swapped, altered or put in between."""
    lines = offer_text(draw(names)).splitlines()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["lose", "double", "swap", "replace", "insert", "cut", "splice"])):
            case "lose":
                del lines[at]
            case "double":
                lines.insert(at, lines[at])
            case "swap":
                other = draw(st.integers(0, len(lines) - 1))
                lines[at], lines[other] = lines[other], lines[at]
            case "replace":
                lines[at] = draw(stray_lines)
            case "insert":
                lines.insert(at, draw(stray_lines))
            case "cut":
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case "splice":
                where = draw(st.integers(0, len(lines[at])))
                lines[at] = lines[at][:where] + draw(st.text(max_size=4)) + lines[at][where:]
        if not lines:
            break
    return "\r\n".join(lines).encode("utf-8", "surrogatepass")


def outcome(body: bytes) -> str | None:
    """The checked text, or None where the offer is refused as it should be."""
    refusal: SignallingError
    try:
        return check_offer(body, SDP, MAX_BYTES)
    except SignallingError as error:
        refusal = error
    assert refusal.status in {400, 406, 413}
    assert refusal.reason
    return None


async def answer_to(sdp: str) -> str:
    """The answer of a real connection; anything that goes wrong in its background tasks raises."""
    unhandled: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
    connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    try:
        # Without the candidates: looking for their names costs a second each and is not in question here.
        bare = without(sdp, "a=candidate", "a=end-of-candidates")
        await connection.setRemoteDescription(RTCSessionDescription(bare, "offer"))
        assert [receiver.track.kind for receiver in connection.getReceivers()] == ["video"]
        await connection.setLocalDescription(await connection.createAnswer())
        await asyncio.sleep(0)
        return connection.localDescription.sdp
    finally:
        await connection.close()
        assert not unhandled


def test_cut_anywhere_an_offer_is_refused_or_still_whole() -> None:
    survivors = {
        name: [end for end in range(len(body)) if outcome(body[:end])] for name, body in OFFERS.items()
    }
    for name, body in OFFERS.items():
        # What the connection needs stands late in the text, so only a few cuts leave it whole.
        assert len(survivors[name]) < len(body) / 4


@given(body=damaged_offers())
@settings(max_examples=400, deadline=None)
@example(b"")
@example(b"v=0\r\nm=")
def test_a_damaged_offer_is_refused_with_a_reason(body: bytes) -> None:
    outcome(body)


@pytest.mark.parametrize("name", CORPUS_NAMES)
async def test_a_whole_offer_can_be_answered(name: str) -> None:
    answer = await answer_to(check_offer(OFFERS[name], SDP, MAX_BYTES))
    assert "a=recvonly" in answer


@given(body=damaged_offers())
@settings(max_examples=80, deadline=None)
def test_what_passes_can_be_answered(body: bytes) -> None:
    checked = outcome(body)
    if checked is not None:
        assert "m=video" in asyncio.run(answer_to(checked))


@given(body=st.binary(max_size=300), content_type=st.none() | st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_random_bytes_are_refused(body: bytes, content_type: str | None) -> None:
    assert outcome(body) is None
    with pytest.raises(SignallingError) as caught:
        check_offer(body, content_type, MAX_BYTES)
    assert caught.value.status in {400, 415}


@given(lines=st.lists(st.one_of(stray_lines, st.from_regex(r"a=candidate:[!-~ ]{0,80}", fullmatch=True))))
@settings(max_examples=200, deadline=None)
def test_a_random_fragment_is_refused_or_yields_candidates(lines: list[str]) -> None:
    body = "\r\n".join(lines).encode("utf-8", "surrogatepass")
    try:
        assert parse_candidates(body, FRAGMENT, MAX_BYTES)
    except SignallingError as error:
        refusal = error
    else:
        return
    assert refusal.status in {400, 413, 422}

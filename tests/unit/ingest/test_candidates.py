from __future__ import annotations

import pytest

from arwarden.core.errors import MalformedOffer, OfferTooLarge, RestartUnsupported, WrongContentType
from arwarden.ingest.candidates import MAX_CANDIDATES, candidate_text, is_usable, parse_candidates
from arwarden.ingest.signalling import Candidate
from tests.support.whip import CANDIDATE, FRAGMENT

MAX_BYTES = 65_536


def parse(text: str) -> list[Candidate]:
    return parse_candidates(text.encode(), FRAGMENT, MAX_BYTES)


def test_candidates_are_taken_with_the_mid_of_their_section() -> None:
    text = (
        "a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\n"
        "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\n"
        f"a=candidate:{CANDIDATE}\r\na=end-of-candidates\r\n"
    )
    assert parse(text) == [Candidate(CANDIDATE, "0", None), Candidate("", "0", None)]


def test_without_a_mid_the_place_of_the_section_counts() -> None:
    text = f"m=video 9 X 96\r\nm=application 9 X y\r\na=candidate:{CANDIDATE}\r\n"
    assert parse(text) == [Candidate(CANDIDATE, None, 1)]


def test_a_mid_after_its_candidates_counts_too() -> None:
    text = f"m=video 9 X 96\na=candidate:{CANDIDATE}\na=mid:v\n"
    assert parse(text) == [Candidate(CANDIDATE, "v", None)]


def test_a_candidate_without_a_section_belongs_to_none() -> None:
    assert parse(f"a=candidate:{CANDIDATE}") == [Candidate(CANDIDATE, None, None)]


@pytest.mark.parametrize("prefix", ["a=candidate:", "a=candidate:candidate:", "candidate:", "a=a=candidate:"])
def test_prefixes_that_clients_leave_on_are_taken_off(prefix: str) -> None:
    assert parse(f"a=mid:0\n{prefix}{CANDIDATE}\n") == [Candidate(CANDIDATE, "0", None)]


@pytest.mark.parametrize("line", ["a=candidate:", "candidate:", "a=candidate: ", "a=end-of-candidates"])
def test_an_empty_candidate_is_the_end_of_candidates(line: str) -> None:
    assert parse(f"a=mid:0\n{line}\n") == [Candidate("", "0", None)]


@pytest.mark.parametrize(
    "text",
    [
        "garbage",
        "1 1 udp 1 192.0.2.1 9",
        "1 1 udp 1 192.0.2.1 9 typ",
        "1 1 udp 1 192.0.2.1 99999 typ host",
        "1 x udp 1 192.0.2.1 9 typ host",
        "1 1 udp x 192.0.2.1 9 typ host",
        "1 1 udp 1 192.0.2.1 -9 typ host",
        "1 1 udp 1 192.0.2.1 9 kind host",
        "1 1 udp 1 192.0.2.1 9 typ host raddr 0.0.0.0 rport x",
        "1 1 udp 1 w\u00fcrfel.local 9 typ host",
        "\u0661 1 udp 1 192.0.2.1 9 typ host",
        "x" * 10_000,
    ],
)
def test_a_broken_candidate_is_malformed_and_named(text: str) -> None:
    with pytest.raises(MalformedOffer, match="not an ICE candidate"):
        candidate_text(text)


@pytest.mark.parametrize(
    "text",
    [
        CANDIDATE,
        "1 1 UDP 1 192.0.2.1 9 typ host",
        "1 1 udp 1 2001:db8::1 9 typ srflx raddr 10.0.0.1 rport 5000",
        "1 1 udp 1 192.0.2.1 9 typ relay raddr 10.0.0.1 rport 5000 generation 0",
        "1 1 udp 1 0f6b3f0e-7a54-4a0e-8a7e-3a5f1f1c9b21.local 9 typ host",
        "1 1 udp 1 192.0.2.1 9 typ host generation",
    ],
)
def test_udp_candidates_with_an_address_are_of_use(text: str) -> None:
    assert is_usable(candidate_text(text))


@pytest.mark.parametrize(
    "text",
    [
        "1 2 udp 1 192.0.2.1 9 typ host",
        "1 1 tcp 1 192.0.2.1 9 typ host tcptype active",
        "1 1 udp 1 192.0.2.1 0 typ host",
        "1 1 udp 1 192.0.2.1 9 typ prflx",
        "1 1 udp 1 example.com 9 typ host",
        "1 1 udp 1 a.b.local 9 typ host",
        "1 1 udp 1 0.0.0.0 9 typ host",
        "1 1 udp 1 224.0.0.1 9 typ host",
        "1 1 udp 1 fe80::1%eth0 9 typ host",
    ],
)
def test_other_candidates_are_well_formed_but_of_no_use(text: str) -> None:
    assert not is_usable(candidate_text(text))


def test_white_space_in_a_candidate_is_evened_out() -> None:
    assert candidate_text(" 1  1 udp 1 192.0.2.1 9 typ  host ") == "1 1 udp 1 192.0.2.1 9 typ host"


def test_new_credentials_without_a_candidate_ask_for_a_restart() -> None:
    with pytest.raises(RestartUnsupported, match="POST a new offer"):
        parse("a=ice-ufrag:ysXw\r\na=ice-pwd:vw5LmwG4y/e6dPP/zAP9Gp5k\r\n")


@pytest.mark.parametrize(("body", "words"), [("", "empty"), ("a=mid:0", "no candidate"), ("{}", "not SDP")])
def test_a_fragment_with_nothing_to_add_is_malformed(body: str, words: str) -> None:
    with pytest.raises(MalformedOffer, match=words):
        parse(body)


def test_the_number_of_candidates_is_bounded() -> None:
    line = f"a=candidate:{CANDIDATE}\n"
    assert len(parse(line * MAX_CANDIDATES)) == MAX_CANDIDATES
    with pytest.raises(OfferTooLarge, match="at most 64"):
        parse(line * (MAX_CANDIDATES + 1))


def test_a_fragment_must_be_labelled_as_one() -> None:
    with pytest.raises(WrongContentType, match=FRAGMENT):
        parse_candidates(b"a=end-of-candidates", "application/sdp", MAX_BYTES)


def test_a_fragment_that_is_too_long_is_refused() -> None:
    with pytest.raises(OfferTooLarge, match="1024 bytes"):
        parse_candidates(b"a=x\n" * 300, FRAGMENT, 1024)

from __future__ import annotations

import time

import pytest
from aiortc.sdp import SessionDescription

from arwarden.core.errors import (
    MalformedOffer,
    OfferTooLarge,
    SignallingError,
    UnsupportedMedia,
    WrongContentType,
)
from arwarden.ingest.sdp import check_offer
from tests.support.whip import CORPUS_NAMES, SDP, minimal_offer, offer_text, without

MAX_BYTES = 65_536
VIDEO = "m=video 9 UDP/TLS/RTP/SAVPF 96"
DATA_SECTION = """m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r
c=IN IP4 0.0.0.0\r
a=mid:d\r
a=sctp-port:5000\r
"""
AUDIO_SECTION = """m=audio 9 UDP/TLS/RTP/SAVPF 111\r
c=IN IP4 0.0.0.0\r
a=mid:a\r
a=sendrecv\r
a=rtcp-mux\r
a=rtpmap:111 opus/48000/2\r
"""
BUNDLE = ("t=0 0\r\n", "t=0 0\r\na=group:BUNDLE v d\r\n")


def check(text: str) -> str:
    return check_offer(text.encode(), SDP, MAX_BYTES)


def refused(text: str | bytes, error: type[SignallingError], *words: str) -> None:
    body = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(error) as caught:
        check_offer(body, SDP, MAX_BYTES)
    assert type(caught.value) is error
    for word in words:
        assert word in caught.value.reason


def with_data_channel(section: str = DATA_SECTION) -> str:
    return minimal_offer().replace(*BUNDLE) + section


def section_of(text: str, kind: str) -> str:
    """The session part and only the media section of that kind."""
    session, *sections = text.split("\r\nm=")
    return "\r\nm=".join([session, *(part for part in sections if part.startswith(kind))])


@pytest.mark.parametrize("name", CORPUS_NAMES)
def test_real_offers_pass(name: str) -> None:
    checked = SessionDescription.parse(check(offer_text(name)))
    video = checked.media[0]
    assert (video.kind, video.direction) == ("video", "sendonly")
    assert {"VP8", "H264"} <= {codec.name for codec in video.rtp.codecs}
    assert [media.kind for media in checked.media[1:]] == ["application"] * ("video_only" not in name)


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
def test_every_line_end_is_taken_and_answered_with_crlf(line_end: str) -> None:
    checked = check(minimal_offer().replace("\r\n", line_end))
    assert checked == check(minimal_offer())
    assert checked.count("\n") == checked.count("\r\n") == checked.count("\r")


def test_an_offer_without_its_last_line_end_passes() -> None:
    assert check(minimal_offer().rstrip()) == check(minimal_offer())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", ["empty"]),
        (b" \r\n\r\n", ["empty"]),
        (b"garbage", ["line 1", "'garbage'"]),
        (b"{}", ["not SDP"]),
        (b"s=-\r\n", ["v=0"]),
        (b"v=1\r\ns=-\r\n", ["v=0", "'v=1'"]),
        (b"v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n", ["no media section"]),
        (b"v=0\r\ns=\xff\xfe\r\n", ["UTF-8", "byte 7"]),
        (b"v=0\r\ns=\x00\r\n", ["U+0000"]),
        ("v=0\r\ns=a\u2028b\r\n".encode(), ["U+2028"]),
        (b"v=0\r\ns=a\x0bb\r\n", ["U+000B"]),
        (b"v=0\r\n\r\ns=-\r\n", ["line 2"]),
    ],
)
def test_what_is_not_an_offer_is_malformed(body: bytes, words: list[str]) -> None:
    refused(body, MalformedOffer, *words)


@pytest.mark.parametrize("content_type", [None, "", "application/json", "text/plain", "application/sdpx"])
def test_another_content_type_is_refused(content_type: str | None) -> None:
    with pytest.raises(WrongContentType, match="application/sdp"):
        check_offer(minimal_offer().encode(), content_type, MAX_BYTES)


@pytest.mark.parametrize(
    "content_type", ["Application/SDP", "application/sdp; charset=utf-8", " application/sdp "]
)
def test_the_content_type_is_read_as_http_does(content_type: str) -> None:
    assert check_offer(minimal_offer().encode(), content_type, MAX_BYTES)


def test_a_megabyte_of_attributes_is_too_large() -> None:
    refused(minimal_offer() + "a=x:y\r\n" * 150_000, OfferTooLarge, "65536 bytes")


def test_many_short_lines_are_too_large_even_below_the_byte_limit() -> None:
    refused(minimal_offer() + "a=x\r\n" * 1000, OfferTooLarge, "lines")


def test_the_costliest_offer_that_is_let_through_costs_little() -> None:
    """Every payload type times every feedback line is what the parser multiplies; seconds without a bound."""
    types = list(range(96, 128))
    codecs = "\r\n".join(f"a=rtpmap:{number} VP8/90000" for number in types)
    text = minimal_offer(codecs, " ".join(map(str, types)))
    text += "a=rtcp-fb:* x\r\n" * (990 - text.count("\r\n"))
    started_s = time.thread_time()
    assert check(text)
    assert time.thread_time() - started_s < 2.0


@pytest.mark.parametrize("count", [64, 65])
def test_the_number_of_candidates_is_bounded(count: int) -> None:
    text = minimal_offer() + "a=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\n" * count
    if count > 64:
        refused(text, OfferTooLarge, "64 candidates")
    else:
        assert check(text).count("a=candidate:") == count


def test_audio_beside_video_is_refused() -> None:
    refused(minimal_offer() + AUDIO_SECTION, UnsupportedMedia, "audio", "video only")


def test_audio_only_is_refused() -> None:
    session = minimal_offer().split("m=video")[0]
    refused(session + AUDIO_SECTION, UnsupportedMedia, "audio")


def test_data_channel_only_is_refused() -> None:
    refused(section_of(offer_text(), "application"), UnsupportedMedia, "0 video sections")


def test_two_videos_are_refused() -> None:
    section = minimal_offer().split("a=setup:actpass\r\n")[1]
    refused(minimal_offer() + section.replace("a=mid:v", "a=mid:w"), UnsupportedMedia, "2 video sections")


def test_two_data_channel_sections_are_refused() -> None:
    refused(with_data_channel(DATA_SECTION * 2), UnsupportedMedia, "several data channel")


@pytest.mark.parametrize("kind", ["text", "message", "image", "hologram"])
def test_an_unknown_kind_is_refused_by_its_name(kind: str) -> None:
    refused(with_data_channel().replace("m=application", f"m={kind}"), UnsupportedMedia, f"'{kind}'")


@pytest.mark.parametrize("direction", ["recvonly", "inactive"])
def test_video_that_is_not_sent_is_refused(direction: str) -> None:
    refused(minimal_offer().replace("a=sendonly", f"a={direction}"), UnsupportedMedia, direction)


@pytest.mark.parametrize("direction", ["sendonly", "sendrecv"])
def test_video_that_is_sent_passes(direction: str) -> None:
    checked = check(minimal_offer().replace("a=sendonly", f"a={direction}"))
    assert f"a={direction}\r\n" in checked


def test_without_a_direction_the_default_is_written_out() -> None:
    """The parser behind leaves the direction empty then, and no track would ever come."""
    text = without(minimal_offer(), "a=sendonly")
    assert SessionDescription.parse(text).media[0].direction is None
    assert SessionDescription.parse(check(text)).media[0].direction == "sendrecv"


def test_a_direction_for_the_whole_session_counts() -> None:
    text = without(minimal_offer(), "a=sendonly").replace("t=0 0\r\n", "t=0 0\r\na=recvonly\r\n")
    refused(text, UnsupportedMedia, "recvonly")


def test_video_with_port_zero_is_refused() -> None:
    refused(minimal_offer().replace("m=video 9", "m=video 0"), UnsupportedMedia, "port 0")


def test_port_zero_is_fine_where_it_means_bundle_only() -> None:
    video = minimal_offer().split("a=setup:actpass\r\n")[1].replace("m=video 9", "m=video 0")
    session = minimal_offer().split("m=video")[0].replace("t=0 0\r\n", "t=0 0\r\na=group:BUNDLE d v\r\n")
    assert check(session + DATA_SECTION + video + "a=bundle-only\r\n")
    refused(session + DATA_SECTION + video, UnsupportedMedia, "port 0")


@pytest.mark.parametrize("port", ["-1", "70000", "x", "9/2", "", "٩"])
def test_a_bad_port_is_malformed(port: str) -> None:
    refused(minimal_offer().replace("m=video 9", f"m=video {port}"), MalformedOffer)


@pytest.mark.parametrize("line", ["m=video", "m=", "m=video 9", "m=video 9 UDP/TLS/RTP/SAVPF"])
def test_half_a_media_line_is_malformed(line: str) -> None:
    refused(minimal_offer().replace(VIDEO, line), MalformedOffer, "media line")


@pytest.mark.parametrize("profile", ["RTP/AVP", "UDP", "RTP/AVPF"])
def test_unencrypted_video_is_refused(profile: str) -> None:
    refused(minimal_offer().replace("UDP/TLS/RTP/SAVPF", profile), UnsupportedMedia, profile)


@pytest.mark.parametrize(
    "codec",
    [
        "a=rtpmap:96 VP8/90000",
        "a=rtpmap:96 vp8/90000",
        "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1;profile-level-id=42001f",
        "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1;profile-level-id=42e01f",
        "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1;profile-level-id=42e034",
    ],
)
def test_codecs_that_are_decoded_pass(codec: str) -> None:
    assert check(minimal_offer(codec))


@pytest.mark.parametrize(
    ("codec", "named"),
    [
        ("a=rtpmap:96 VP9/90000\r\na=fmtp:96 profile-id=0", "VP9"),
        ("a=rtpmap:96 AV1/90000", "AV1"),
        ("a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1;profile-level-id=64001f", "H264"),
        ("a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1;profile-level-id=4d001f", "H264"),
        ("a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=0;profile-level-id=42e01f", "H264"),
        ("a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1;profile-level-id=zz", "H264"),
        ("a=rtpmap:96 VP8/48000", "VP8"),
        ("a=rtpmap:96 rtx/90000\r\na=fmtp:96 apt=97", ""),
        ("a=recvless", ""),
    ],
)
def test_codecs_that_are_not_decoded_are_refused_by_name(codec: str, named: str) -> None:
    refused(minimal_offer(codec), UnsupportedMedia, named, "packetization-mode=1")


def test_payload_types_that_cannot_be_answered_as_offered_are_left_out() -> None:
    codecs = "a=rtpmap:35 VP8/90000\r\na=rtcp-fb:35 nack\r\na=rtpmap:97 VP8/90000\r\na=rtcp-fb:* nack pli"
    checked = check(minimal_offer(codecs, "35 97"))
    assert "m=video 9 UDP/TLS/RTP/SAVPF 97\r\n" in checked
    assert ":35" not in checked
    assert "a=rtcp-fb:* nack pli" in checked
    refused(minimal_offer("a=rtpmap:35 VP8/90000", "35"), UnsupportedMedia, "96 to 127")


@pytest.mark.parametrize("formats", ["96 96", "96 128", "96 x", "96 072", "99999999999", "-1"])
def test_bad_payload_types_are_malformed(formats: str) -> None:
    refused(minimal_offer(formats=formats), MalformedOffer, "payload type")


def test_one_payload_type_for_two_codecs_is_malformed() -> None:
    refused(minimal_offer("a=rtpmap:96 VP8/90000\r\na=rtpmap:96 VP9/90000"), MalformedOffer, "rtpmap")


@pytest.mark.parametrize("name", ["ice-ufrag", "ice-pwd", "fingerprint", "setup"])
def test_each_part_that_a_connection_needs_is_asked_for(name: str) -> None:
    refused(without(minimal_offer(), f"a={name}"), MalformedOffer, f"a={name}")


@pytest.mark.parametrize("name", ["ice-ufrag", "ice-pwd", "fingerprint", "setup"])
def test_the_data_channel_needs_it_too(name: str) -> None:
    head, tail = offer_text().split("m=application")
    refused(head + "m=application" + without(tail, f"a={name}"), MalformedOffer, "application", name)


@pytest.mark.parametrize(
    "line",
    [
        "a=ice-ufrag:abc",
        "a=ice-ufrag:",
        "a=ice-ufrag:ab cd",
        "a=ice-pwd:short",
        "a=ice-pwd:" + "x" * 257,
        "a=setup:holdconn",
        "a=setup:",
        "a=fingerprint:sha-256",
        "a=fingerprint:sha-256 AB:CD",
        "a=fingerprint:sha-256 " + ":".join(["GG"] * 32),
        "a=fingerprint:sha-1 " + ":".join(["AB"] * 20),
        "a=fingerprint:",
    ],
)
def test_security_attributes_must_be_sound(line: str) -> None:
    name = line.partition(":")[0]
    text = without(minimal_offer(), name).replace("a=mid:v", f"a=mid:v\r\n{line}")
    refused(text, MalformedOffer, name[2:] if "sha" not in line else "fingerprint")


@pytest.mark.parametrize("setup", ["active", "passive", "actpass"])
def test_each_dtls_role_of_an_offer_passes(setup: str) -> None:
    assert check(minimal_offer().replace("actpass", setup))


def test_rtp_and_rtcp_must_share_a_port() -> None:
    refused(without(minimal_offer(), "a=rtcp-mux"), MalformedOffer, "rtcp-mux")


@pytest.mark.parametrize("line", ["a=simulcast:send h;l", "a=ssrc-group:SIM 1 2 3"])
def test_simulcast_is_refused(line: str) -> None:
    refused(minimal_offer() + line + "\r\n", UnsupportedMedia, "single encoding")


@pytest.mark.parametrize("ssrc", ["4294967296", "x", "-1", "", "1" * 5000])
def test_stream_numbers_must_fit_their_field(ssrc: str) -> None:
    refused(minimal_offer() + f"a=ssrc:{ssrc} cname:x\r\n", MalformedOffer, "32-bit")


@pytest.mark.parametrize(
    "mid", ["", "a=mid:\r\n", "a=mid:v\r\na=mid:w\r\n", "a=mid:a b\r\n", f"a=mid:{'x' * 65}\r\n"]
)
def test_a_section_needs_one_mid(mid: str) -> None:
    refused(minimal_offer().replace("a=mid:v\r\n", mid), MalformedOffer, "a=mid")


def test_a_mid_must_not_stand_twice() -> None:
    refused(with_data_channel().replace("a=mid:d", "a=mid:v"), MalformedOffer, "two sections", "'v'")


@pytest.mark.parametrize("group", ["v v", "v x", "v d\r\na=group:BUNDLE v d"])
def test_a_bundle_must_name_each_section_once(group: str) -> None:
    text = with_data_channel().replace("BUNDLE v d", f"BUNDLE {group}")
    refused(text, MalformedOffer, "BUNDLE")


@pytest.mark.parametrize("group", ["a=group:BUNDLE v\r\n", "a=group:LS v d\r\n", ""])
def test_a_data_channel_outside_the_bundle_is_refused(group: str) -> None:
    refused(with_data_channel().replace("a=group:BUNDLE v d\r\n", group), UnsupportedMedia, "one transport")


@pytest.mark.parametrize("line", ["", "a=sctp-port:0", "a=sctp-port:65536", "a=sctp-port:x"])
def test_a_data_channel_needs_a_port(line: str) -> None:
    text = with_data_channel().replace("a=sctp-port:5000\r\n", f"{line}\r\n" if line else "")
    refused(text, MalformedOffer, "sctp-port")


@pytest.mark.parametrize("line", ["m=application 9 DTLS/SCTP 5000", "m=application 9 UDP/BFCP *"])
def test_another_application_is_refused(line: str) -> None:
    text = with_data_channel().replace("m=application 9 UDP/DTLS/SCTP webrtc-datachannel", line)
    refused(text, UnsupportedMedia, "webrtc-datachannel")


def test_a_data_channel_beside_video_passes() -> None:
    assert check(with_data_channel()).count("\r\nm=") == 2


@pytest.mark.parametrize(
    "line",
    [
        "a=rtpmap:96",
        "a=extmap:1",
        "a=extmap:x urn:a",
        "a=rtcp:x",
        "a=max-message-size:many",
        "a=ssrc:1",
        "a=ssrc:1 cname",
        "a=rtcp-fb:96",
        "c=IN IP4",
        "a=fmtp:96 apt=x",
        "a=msid: \r\na=fmtp:96",
        "a=ssrc-group:FID x",
    ],
)
def test_what_only_the_parser_stumbles_over_is_malformed(line: str) -> None:
    refused(minimal_offer() + line + "\r\n", MalformedOffer)


def test_parameters_of_a_codec_that_is_not_described_are_malformed() -> None:
    refused(
        minimal_offer("a=rtpmap:96 VP8/90000\na=fmtp:97 apt=96", "96 97"), MalformedOffer, "StopIteration"
    )


def test_a_message_never_repeats_much_of_the_offer() -> None:
    with pytest.raises(SignallingError) as caught:
        check(minimal_offer().replace("m=video", "m=" + "v" * 5000))
    assert len(caught.value.reason) < 300


def test_candidates_of_no_use_are_left_out() -> None:
    checked = check(offer_text())
    assert checked.count("a=candidate:") == 3
    assert " tcp " not in checked


def test_a_doubled_candidate_prefix_is_repaired() -> None:
    line = "a=candidate:candidate:1 1 udp 1 192.0.2.1 9 typ host\r\n"
    assert "a=candidate:1 1 udp" in check(minimal_offer() + line)


def test_an_empty_candidate_in_an_offer_is_left_out() -> None:
    assert "candidate" not in check(minimal_offer() + "a=candidate:\r\n")


def test_a_broken_candidate_in_an_offer_is_malformed() -> None:
    refused(minimal_offer() + "a=candidate:1 1 udp\r\n", MalformedOffer, "ICE candidate")

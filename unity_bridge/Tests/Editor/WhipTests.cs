using System;
using System.Collections.Generic;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    /// <summary>A peer connection and an HTTP client that do what a test says.</summary>
    internal sealed class FakeWhip : IWhipPeer, IWhipTransport
    {
        public const string Answer = "v=0\r\ns=-\r\nm=video 9 UDP/TLS/RTP/SAVPF 108\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\n"
            + "a=rtpmap:108 H264/90000\r\n";

        public readonly List<WhipRequest> Requests = new List<WhipRequest>();
        public readonly Queue<WhipResponse> Responses = new Queue<WhipResponse>();
        public readonly Queue<string> Candidates = new Queue<string>();
        public string Accepted;
        public int Opened;
        public int Aborted;

        public PeerState State { get; set; }

        public string Offer { get; set; }

        public bool IsGathered { get; set; }

        public string Problem { get; set; }

        public void Open()
        {
            Opened++;
            State = PeerState.Offering;
            Offer = null;
        }

        public void Accept(string answer)
        {
            Accepted = answer;
            State = PeerState.Connecting;
        }

        public string NextCandidate()
        {
            return Candidates.Count > 0 ? Candidates.Dequeue() : null;
        }

        public void Close()
        {
            State = PeerState.Closed;
        }

        public void Begin(WhipRequest request)
        {
            Requests.Add(request);
        }

        public bool TryEnd(out WhipResponse response)
        {
            response = Responses.Count > 0 ? Responses.Dequeue() : null;
            return response != null;
        }

        public void Abort()
        {
            Aborted++;
        }

        public void Offers(bool complete)
        {
            Offer = "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 108\r\na=ice-ufrag:u\r\na=mid:0\r\n";
            IsGathered = complete;
        }

        public void Answers(int status, string location = "/whip/s1", string body = Answer, string retryAfter = "")
        {
            Responses.Enqueue(new WhipResponse
            {
                Status = status,
                Location = location,
                Body = body,
                ETag = "\"tag\"",
                RetryAfter = retryAfter,
            });
        }
    }

    [TestFixture]
    public class WhipTests
    {
        private FakeWhip _fake;
        private WhipTarget _target;
        private WhipPublication _whip;
        private double _nowMs;
        private double _heardMs;

        [SetUp]
        public void MakePublication()
        {
            _fake = new FakeWhip();
            _target = new WhipTarget { Endpoint = "http://192.0.2.1:8080/whip", Token = "t", MaxKbps = 2000 };
            _whip = new WhipPublication(_fake, _fake, _target, 1);
            _nowMs = 1000;
            _heardMs = double.NegativeInfinity;
        }

        private PublicationState Run(double ms)
        {
            for (double left = ms; left > 0; left -= 20)
            {
                _nowMs += 20;
                _whip.Step(_nowMs, _heardMs);
            }
            return _whip.State;
        }

        private void Connect()
        {
            _whip.Start(_nowMs);
            _fake.Offers(true);
            _fake.Answers(201);
            Run(60);
            _fake.State = PeerState.Connected;
            Run(20);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Streaming));
        }

        [Test]
        public void AStreamComesAbout()
        {
            Connect();
            WhipRequest post = _fake.Requests[0];
            Assert.That(post.Method, Is.EqualTo("POST"));
            Assert.That(post.Url, Is.EqualTo("http://192.0.2.1:8080/whip?view=composited"));
            Assert.That(post.ContentType, Is.EqualTo("application/sdp"));
            Assert.That(post.Token, Is.EqualTo("t"));
            Assert.That(post.Body, Is.EqualTo(_fake.Offer));
            Assert.That(_fake.Accepted, Contains.Substring("b=AS:2000"));
            Assert.That(_whip.Codec, Is.EqualTo("H264"));
            Assert.That(_whip.Connections, Is.EqualTo(1));
            Assert.That(_whip.Problem, Is.EqualTo(""));
            _heardMs = _nowMs + 9000;
            Assert.That(Run(10000), Is.EqualTo(PublicationState.Streaming));
            Assert.That(_fake.Requests, Has.Count.EqualTo(1), "nothing is asked twice");
        }

        [Test]
        public void TheEndIsSaidToTheDaemon()
        {
            Connect();
            _whip.Stop();
            WhipRequest last = _fake.Requests[1];
            Assert.That(last.Method, Is.EqualTo("DELETE"));
            Assert.That(last.Url, Is.EqualTo("http://192.0.2.1:8080/whip/s1"));
            Assert.That(last.Token, Is.EqualTo("t"));
            Assert.That(last.Body, Is.Null);
            Assert.That(_fake.State, Is.EqualTo(PeerState.Closed));
            _whip.Stop();
            Assert.That(_fake.Requests, Has.Count.EqualTo(2));
            Assert.That(Run(60000), Is.EqualTo(PublicationState.Stopped));
        }

        [Test]
        public void LateCandidatesAreSentOneRequestAtATime()
        {
            _whip.Start(_nowMs);
            _fake.Offers(false);
            Assert.That(Run(WhipPublication.GatherMs - 100), Is.EqualTo(PublicationState.Offering));
            Run(200);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Posting), "waits no longer for the others");
            _fake.Answers(201);
            Run(40);
            _fake.Candidates.Enqueue("candidate:1 1 udp 1 192.0.2.9 9 typ host");
            Run(40);
            _fake.Candidates.Enqueue("candidate:2 1 udp 1 192.0.2.9 9 typ host");
            Run(40);
            Assert.That(_fake.Requests, Has.Count.EqualTo(2));
            WhipRequest patch = _fake.Requests[1];
            Assert.That(patch.Method, Is.EqualTo("PATCH"));
            Assert.That(patch.IfMatch, Is.EqualTo("\"tag\""));
            Assert.That(patch.ContentType, Is.EqualTo("application/trickle-ice-sdpfrag"));
            Assert.That(patch.Body, Contains.Substring("a=candidate:1 1 udp"));
            Assert.That(patch.Body.Contains("end-of-candidates"), Is.False);
            _fake.Answers(204);
            _fake.IsGathered = true;
            Run(40);
            Assert.That(_fake.Requests, Has.Count.EqualTo(3));
            Assert.That(_fake.Requests[2].Body, Contains.Substring("end-of-candidates"));
            _fake.Answers(405);
            Run(40);
            Assert.That(_whip.CandidatesRefused, Is.EqualTo(1));
        }

        [Test]
        public void AConnectionThatBreaksIsMadeAgain()
        {
            Connect();
            _fake.State = PeerState.Failed;
            _fake.Problem = "ice failed";
            Run(20);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Waiting));
            Assert.That(_whip.Problem, Is.EqualTo("ice failed"));
            Assert.That(_whip.Losses, Is.EqualTo(1));
            Assert.That(_fake.Requests[1].Method, Is.EqualTo("DELETE"));
            _fake.Answers(200);
            Run(1000);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Offering));
            Assert.That(_fake.Opened, Is.EqualTo(2));
        }

        [Test]
        public void AGoodbyeThatIsNotAnsweredHoldsNothingUp()
        {
            Connect();
            _fake.State = PeerState.Closed;
            Run(20);
            Assert.That(_whip.Problem, Is.EqualTo("the daemon ended the stream"));
            Assert.That(Run(1000), Is.EqualTo(PublicationState.Waiting), "one request at a time");
            Assert.That(Run(WhipPublication.GoodbyeTimeoutMs), Is.EqualTo(PublicationState.Offering));
        }

        [Test]
        public void ASilentDaemonIsLost()
        {
            Connect();
            Assert.That(Run(WhipPublication.SilenceMs - 200), Is.EqualTo(PublicationState.Streaming));
            Run(400);
            Assert.That(_whip.Problem, Is.EqualTo("the daemon no longer answers"));
        }

        [Test]
        public void NothingIsWaitedForForEver()
        {
            _whip.Start(_nowMs);
            Run(WhipPublication.OfferMs + 100);
            Assert.That(_whip.Problem, Contains.Substring("no offer"));
            Run(400);
            _fake.Offers(true);
            Run(60);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Posting));
            Run(WhipPublication.RequestTimeoutMs + 2100);
            Assert.That(_whip.Problem, Contains.Substring("does not answer"));
            Run(600);
            _fake.Offers(true);
            _fake.Answers(201);
            Run(60);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Connecting));
            Run(WhipPublication.ConnectMs + 100);
            Assert.That(_whip.Problem, Contains.Substring("firewall"));
        }

        [Test]
        public void PausesGrow()
        {
            _whip.Start(_nowMs);
            var pauses = new List<double>();
            for (int i = 0; i < 8; i++)
            {
                _fake.State = PeerState.Failed;
                double began = _nowMs;
                int opened = _fake.Opened;
                while (_fake.Opened == opened)
                {
                    Run(20);
                }
                pauses.Add(_nowMs - began);
            }
            Assert.That(pauses[0], Is.LessThan(300));
            Assert.That(pauses[7], Is.InRange(3500, 5100));
        }

        [TestCase(401, "the device quest has a token")]
        [TestCase(415, "the body is not SDP")]
        [TestCase(404, "")]
        public void WhatTheDaemonDoesNotWantIsSaidInItsWords(int status, string detail)
        {
            _whip.Start(_nowMs);
            _fake.Offers(true);
            string body = detail.Length == 0 ? "<html>" : "{\"title\":\"no\",\"detail\":\"" + detail + "\"}";
            _fake.Answers(status, "", body);
            Run(60);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Refused));
            Assert.That(
                _whip.Problem, Is.EqualTo(detail.Length == 0 ? "the daemon answers with status 404" : detail));
            Run(10000);
            Assert.That(_fake.Opened, Is.EqualTo(1), "it is not hammered");
            Run(WhipPublication.RefusedPauseMs - 9500);
            Assert.That(_fake.Opened, Is.EqualTo(2));
        }

        [Test]
        public void ABusyDaemonSaysHowLong()
        {
            _whip.Start(_nowMs);
            _fake.Offers(true);
            _fake.Answers(503, "", "", "2");
            Run(60);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Waiting));
            Assert.That(Run(1800), Is.EqualTo(PublicationState.Waiting));
            Assert.That(Run(300), Is.EqualTo(PublicationState.Offering));
        }

        [TestCase("", "where the session is")]
        [TestCase("http://elsewhere.example/whip/s1", "where the session is")]
        public void AnAnswerWithoutItsSessionIsRefused(string location, string problem)
        {
            _whip.Start(_nowMs);
            _fake.Offers(true);
            _fake.Answers(201, location);
            Run(60);
            Assert.That(_whip.Problem, Contains.Substring(problem));
            Assert.That(_fake.Requests, Has.Count.EqualTo(1), "nobody else is told anything");
        }

        [Test]
        public void AnAnswerThatIsNoneIsRefusedAndTheSessionEnded()
        {
            _whip.Start(_nowMs);
            _fake.Offers(true);
            _fake.Answers(201, "/whip/s1", "hello");
            Run(60);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Refused));
            Assert.That(_fake.Accepted, Is.Null);
            Assert.That(_fake.Requests[1].Method, Is.EqualTo("DELETE"));
        }

        [Test]
        public void RedirectsAreFollowedOnTheSameHost()
        {
            _whip.Start(_nowMs);
            _fake.Offers(true);
            _fake.Answers(307, "/other/whip?view=composited");
            Run(40);
            _fake.Answers(201);
            Run(40);
            Assert.That(_fake.Requests[1].Url, Is.EqualTo("http://192.0.2.1:8080/other/whip?view=composited"));
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Connecting));
        }

        [Test]
        public void ATokenGoesNowhereElse()
        {
            _whip.Start(_nowMs);
            _fake.Offers(true);
            _fake.Answers(307, "http://elsewhere.example/whip");
            Run(60);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Refused));
            Assert.That(_fake.Requests, Has.Count.EqualTo(1));
        }

        [Test]
        public void RedirectsEnd()
        {
            _whip.Start(_nowMs);
            _fake.Offers(true);
            for (int i = 0; i < 10; i++)
            {
                _fake.Answers(308, "/again");
            }
            Run(500);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Refused));
            Assert.That(_fake.Requests, Has.Count.EqualTo(1 + WhipPublication.MaxRedirects));
        }

        [Test]
        public void AnAddressThatIsNoneIsSaid()
        {
            _target.Endpoint = "192.0.2.1/whip";
            _whip.Start(_nowMs);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Refused));
            Assert.That(_whip.Problem, Contains.Substring("must look like"));
            Assert.That(_fake.Opened, Is.EqualTo(0));
        }

        [Test]
        public void ItCanBeDroppedFromOutside()
        {
            _whip.Drop(_nowMs, "no picture");
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Stopped));
            Connect();
            _whip.Drop(_nowMs, "no picture");
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Waiting));
            Assert.That(_whip.Problem, Is.EqualTo("no picture"));
        }

        [TestCase("http://h/whip", View.Passthrough, null, "http://h/whip?view=passthrough")]
        [TestCase(" https://h:1/whip?a=1 ", View.Unknown, "q-1", "https://h:1/whip?a=1&view=unknown&device=q-1")]
        [TestCase("http://[fd00::1]:8080/whip", View.Composited, "", "http://[fd00::1]:8080/whip?view=composited")]
        public void TheViewIsDeclared(string endpoint, View view, string device, string expected)
        {
            string address;
            string fault;
            Assert.That(WhipAddress.TryEndpoint(endpoint, view, device, out address, out fault), Is.True, fault);
            Assert.That(address, Is.EqualTo(expected));
        }

        [TestCase("")]
        [TestCase(null)]
        [TestCase("ftp://h/whip")]
        [TestCase("/whip")]
        [TestCase("http://user:password@h/whip")]
        public void WhatIsNoEndpointIsRefused(string endpoint)
        {
            string address;
            string fault;
            Assert.That(WhipAddress.TryEndpoint(endpoint, View.Unknown, null, out address, out fault), Is.False);
            Assert.That(fault, Is.Not.Null);
        }

        [TestCase("http://h/whip?x=1", "/whip/s", "http://h/whip/s")]
        [TestCase("http://h/a/whip", "s?device=d", "http://h/a/s?device=d")]
        [TestCase("http://h/whip", "http://H/whip/s", "http://h/whip/s")]
        [TestCase("http://h:8080/whip", "https://h:8443/whip/s", "https://h:8443/whip/s")]
        [TestCase("https://h/whip", "http://h/whip/s", null)]
        [TestCase("http://h:8080/whip", "http://h:9090/whip/s", null)]
        [TestCase("http://h/whip", "//other/whip/s", null)]
        [TestCase("http://h/whip", "file:///etc/passwd", null)]
        [TestCase("http://h/whip", "http://u@h/whip", null)]
        [TestCase("http://h/whip", "", null)]
        [TestCase("http://h/whip", null, null)]
        [TestCase("nonsense", "/whip", null)]
        public void LocationsAreResolved(string from, string named, string expected)
        {
            string address;
            Assert.That(WhipAddress.TryFollow(from, named, out address), Is.EqualTo(expected != null));
            Assert.That(address, Is.EqualTo(expected));
        }

        [Test]
        public void ReasonsAreShortAndPlain()
        {
            var response = new WhipResponse { Status = 500, Body = "{\"detail\":\"" + new string('x', 900) + "\"}" };
            Assert.That(WhipVerdicts.Reason(response, "https://a/whip").Length, Is.EqualTo(WhipVerdicts.MaxReasonLength));
            response = new WhipResponse { Status = 0, Error = "Cannot\nconnect" };
            Assert.That(WhipVerdicts.Reason(response, "https://a/whip"), Is.EqualTo(
                "the daemon cannot be reached (Cannot connect); does it speak TLS there, and is its certificate pinned?"));
            Assert.That(WhipVerdicts.Reason(response, "http://a/whip"), Is.EqualTo(
                "the daemon cannot be reached (Cannot connect); where it speaks TLS the address begins with https"));
            response = new WhipResponse { Status = 500, Body = "[1]" };
            Assert.That(WhipVerdicts.Reason(response, "https://a/whip"), Is.EqualTo("the daemon answers with status 500"));
            response.RetryAfter = "9999";
            Assert.That(WhipVerdicts.RetryAfterMs(response), Is.EqualTo(WhipVerdicts.LongestRetryAfterMs));
            response.RetryAfter = "Wed, 21 Oct 2026 07:28:00 GMT";
            Assert.That(WhipVerdicts.RetryAfterMs(response), Is.EqualTo(0));
        }

        [TestCase(1)]
        [TestCase(2)]
        [TestCase(3)]
        public void WhateverHappensEverySessionIsEndedAndNothingIsHammered(int seed)
        {
            var random = new Random(seed);
            int[] statuses = { 201, 201, 201, 201, 201, 201, 503, 0, 307, 500, 401 };
            int sessions = 0;
            int answered = 0;
            _whip.Start(_nowMs);
            for (int i = 0; i < 60000; i++)
            {
                if (_fake.State == PeerState.Offering && random.Next(20) == 0)
                {
                    _fake.Offers(random.Next(2) == 0);
                }
                if (_fake.Requests.Count > answered && random.Next(10) == 0)
                {
                    answered = _fake.Requests.Count;
                    bool post = _fake.Requests[answered - 1].Method == "POST";
                    int status = post ? statuses[random.Next(statuses.Length)] : 204;
                    sessions += status == 201 ? 1 : 0;
                    _fake.Answers(status, "/whip/s" + sessions, random.Next(9) == 0 ? "" : FakeWhip.Answer);
                }
                if (random.Next(300) == 0)
                {
                    _fake.State = (PeerState)random.Next(5);
                }
                if (random.Next(100) == 0)
                {
                    _fake.Candidates.Enqueue("candidate:" + i);
                }
                _heardMs = random.Next(2000) == 0 ? _nowMs - 6000 : Math.Max(_heardMs, _nowMs - 100);
                Run(20);
            }
            _whip.Stop();
            var ended = new HashSet<string>();
            int posts = 0;
            foreach (WhipRequest request in _fake.Requests)
            {
                posts += request.Method == "POST" ? 1 : 0;
                Assert.That(request.Method != "DELETE" || ended.Add(request.Url), Is.True, "ended twice");
                Assert.That(request.Url.StartsWith("http://192.0.2.1:8080/", StringComparison.Ordinal), Is.True);
            }
            Assert.That(sessions, Is.GreaterThan(10), "the test tries");
            Assert.That(ended.Count, Is.InRange(sessions / 2, sessions));
            Assert.That(posts, Is.LessThan(60000 * 20 / 200), "less than five a second");
        }

        [Test]
        public void AQuietFrameAllocatesNothing()
        {
            Connect();
            _heardMs = double.PositiveInfinity;
            long bytes = GC.GetTotalMemory(true);
            Run(20 * 50000);
            Assert.That(_whip.State, Is.EqualTo(PublicationState.Streaming));
            Assert.That(GC.GetTotalMemory(false) - bytes, Is.LessThan(65536));
        }
    }

    [TestFixture]
    public class ClockTalkTests
    {
        private readonly List<string> _sent = new List<string>();
        private FakeClock _clock;
        private ClockOffset _offset;
        private ClockTalk _talk;

        [SetUp]
        public void MakeTalk()
        {
            _sent.Clear();
            _clock = new FakeClock { NowMs = 1000 };
            _offset = new ClockOffset();
            _talk = new ClockTalk(_offset, _clock, View.Composited, "test 1", _sent.Add);
        }

        private void Comes(string text)
        {
            _talk.Take(System.Text.Encoding.UTF8.GetBytes(text));
        }

        [Test]
        public void ItSaysFirstWhatItStreams()
        {
            _talk.Step();
            Assert.That(_sent, Is.Empty);
            _talk.Opened();
            Assert.That(_sent[0], Is.EqualTo("{\"type\":\"hello\",\"view\":\"composited\",\"client\":\"test 1\"}"));
            _talk.Step();
            Assert.That(_sent[1], Is.EqualTo("{\"type\":\"ping\",\"id\":0,\"t0_ms\":1000}"));
            _talk.Step();
            Assert.That(_sent, Has.Count.EqualTo(2));
        }

        [Test]
        public void TheOffsetIsMeasured()
        {
            _talk.Opened();
            _talk.Step();
            _clock.NowMs = 1010;
            Comes("{\"type\":\"pong\",\"id\":0,\"t0_ms\":1000,\"t1_ms\":6005,\"t2_ms\":6005}");
            Assert.That(_offset.IsExchanged(1010), Is.True);
            Assert.That(_offset.OffsetMs(1010), Is.EqualTo(5000).Within(0.01));
            Assert.That(_talk.HeardMs, Is.EqualTo(1010));
        }

        [Test]
        public void QuestionsAreAnsweredButNotAFlood()
        {
            _talk.Opened();
            for (int i = 0; i < 100; i++)
            {
                Comes("{\"type\":\"ping\",\"id\":7,\"t0_ms\":1}");
            }
            Assert.That(_sent, Has.Count.EqualTo(1 + (int)ClockTalk.AnswersPerS));
            Assert.That(_sent[1], Is.EqualTo("{\"type\":\"pong\",\"id\":7,\"t0_ms\":1,\"t1_ms\":1000,\"t2_ms\":1000}"));
            Assert.That(_talk.Unanswered, Is.EqualTo(75));
            _clock.NowMs = 2000;
            Comes("{\"type\":\"ping\",\"id\":8,\"t0_ms\":1}");
            Assert.That(_sent, Has.Count.EqualTo(27));
        }

        [TestCase("")]
        [TestCase("hello")]
        [TestCase("{\"type\":\"ping\"}")]
        [TestCase("{\"type\":\"pong\",\"id\":3,\"t0_ms\":1,\"t1_ms\":\"x\",\"t2_ms\":2}")]
        public void WhatIsNoneIsCounted(string text)
        {
            _talk.Opened();
            Comes(text);
            Assert.That(_talk.Malformed, Is.EqualTo(1));
            Assert.That(_sent, Has.Count.EqualTo(1));
        }

        [Test]
        public void AClosedChannelIsNotUsed()
        {
            _talk.Opened();
            _talk.Closed();
            _clock.NowMs = 9000;
            _talk.Step();
            Comes("{\"type\":\"ping\",\"id\":7,\"t0_ms\":1}");
            Assert.That(_sent, Has.Count.EqualTo(1));
            Assert.That(_talk.IsOpen, Is.False);
        }
    }
}

using System.Collections.Generic;
using System.Text;
using Arwarden.Core;
using Arwarden.Unity;
using Arwarden.WebRtc;
using NUnit.Framework;
using Unity.WebRTC;
using UnityEngine;
using UnityEngine.Experimental.Rendering;
using UnityEngine.Networking;

namespace Arwarden.EngineTests
{
    [TestFixture]
    internal sealed class PublisherTests : Stage
    {
        private const string Answer = "v=0\r\ns=-\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\n"
            + "a=rtpmap:96 H264/90000\r\n";

        private WhipPublisher _publisher;
        private int _status;

        [SetUp]
        public void SetWebRtc()
        {
            RTCPeerConnection.All.Clear();
            RTCPeerConnection.Fault = null;
            UnityWebRequest.Refusal = null;
            VideoStreamTrack.Fault = null;
            WebRTC.FormatFault = null;
            RTCRtpSender.Codecs.Clear();
            RTCRtpSender.Codecs.Add(new[] { "video/VP8", null });
            RTCRtpSender.Codecs.Add(new[] { "video/VP9", "profile-id=0" });
            RTCRtpSender.Codecs.Add(new[] { "video/H264", "packetization-mode=1;profile-level-id=42e01f" });
            RTCRtpSender.Codecs.Add(new[] { "video/rtx", null });
            _status = 201;
            UnityWebRequest.Server = Serve;
            Values.WhipUrl = "http://192.0.2.1:8080/whip";
        }

        private void Serve(UnityWebRequest request)
        {
            request.isDone = true;
            request.responseCode = request.method == "POST" ? _status : 204;
            request.Answer["Location"] = "/whip/s1?device=quest-1";
            request.Answer["ETag"] = "\"tag\"";
            request.downloadHandler.Received = _status == 201 ? Answer : "{\"detail\":\"no device has this token\"}";
        }

        private RTCPeerConnection Peer
        {
            get { return RTCPeerConnection.All[RTCPeerConnection.All.Count - 1]; }
        }

        private void AddPublisher()
        {
            AddClient();
            _publisher = PublisherOf(Client.gameObject.AddComponent<SceneCameraSource>());
            Frames(0.05);
        }

        private WhipPublisher PublisherOf(FrameSource source)
        {
            var holder = new GameObject("publisher");
            holder.SetActive(false);
            var publisher = holder.AddComponent<WhipPublisher>();
            publisher.Stream(Client, source);
            holder.SetActive(true);
            return publisher;
        }

        private void Offer(bool gathered)
        {
            Peer.Offering.IsDone = true;
            Frames(0.05);
            Peer.Describing.IsDone = true;
            Peer.GatheringState = gathered ? RTCIceGatheringState.Complete : RTCIceGatheringState.Gathering;
            Frames(0.1);
        }

        private void Connect()
        {
            AddPublisher();
            Offer(true);
            Peer.OnConnectionStateChange(RTCPeerConnectionState.Connected);
            Peer.Channel.ReadyState = RTCDataChannelState.Open;
            Peer.Channel.OnOpen();
            Frames(0.1);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Streaming), _publisher.Problem);
        }

        private List<string> Requests()
        {
            return UnityWebRequest.Sent.ConvertAll(request => request.method + " " + request.url);
        }

        [Test]
        public void ItStreamsByItself()
        {
            Values.WhipToken = "t0ken";
            Connect();
            Assert.That(Requests(), Is.EqualTo(new[] { "POST http://192.0.2.1:8080/whip?view=composited" }));
            UnityWebRequest post = UnityWebRequest.Sent[0];
            Assert.That(post.Headers["Authorization"], Is.EqualTo("Bearer t0ken"));
            Assert.That(post.uploadHandler.contentType, Is.EqualTo("application/sdp"));
            Assert.That(
                Encoding.UTF8.GetString(post.uploadHandler.Data), Is.EqualTo(RTCPeerConnection.OfferText));
            Assert.That(post.redirectLimit, Is.EqualTo(0));
            Assert.That(Peer.Remote, Contains.Substring("b=AS:4000"));
            Assert.That(WebRTC.Updates, Is.GreaterThan(0));
            Assert.That(string.Join(" ", Debug.Lines.ToArray()).Contains("t0ken"), Is.False);
        }

        [Test]
        public void WithoutATokenTheDeviceIsNamed()
        {
            Connect();
            Assert.That(Requests()[0], Contains.Substring("?view=composited&device=quest-1"));
            Assert.That(UnityWebRequest.Sent[0].Headers.ContainsKey("Authorization"), Is.False);
        }

        [Test]
        public void H264ComesFirstAndTheLimitsAreSet()
        {
            AddPublisher();
            List<string> order = new List<RTCRtpCodecCapability>(Peer.Transceiver.Preferred)
                .ConvertAll(codec => codec.mimeType);
            Assert.That(order, Is.EqualTo(new[] { "video/H264", "video/VP8", "video/rtx" }));
            Assert.That(Peer.Init.direction, Is.EqualTo(RTCRtpTransceiverDirection.SendOnly));
            Assert.That(Peer.Init.sendEncodings[0].maxBitrate, Is.EqualTo(4000000));
            Assert.That(Peer.Init.sendEncodings[0].maxFramerate, Is.EqualTo(15));
            var sent = (RenderTexture)Peer.Track.Source;
            Assert.That(sent.Format, Is.EqualTo(GraphicsFormat.B8G8R8A8_SRGB), "what the encoder takes");
            Assert.That(sent.width, Is.EqualTo(1280));
            Assert.That(sent.height, Is.EqualTo(960));
        }

        [Test]
        public void ADeviceWithoutACodecSaysSo()
        {
            RTCRtpSender.Codecs.Clear();
            RTCRtpSender.Codecs.Add(new[] { "video/AV1", "" });
            AddPublisher();
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Waiting));
            Assert.That(_publisher.Problem, Contains.Substring("neither H264 nor VP8"));
            Frames(6);
            Assert.That(Client.Monitor.State, Is.EqualTo(MonitorState.NoPicture));
        }

        [Test]
        public void TheClockIsTalkedAboutOnItsChannel()
        {
            Connect();
            Assert.That(Peer.Channel.Name, Is.EqualTo("clock"));
            Assert.That(Peer.Channel.Init.ordered, Is.False);
            Assert.That(Peer.Channel.Init.maxRetransmits, Is.EqualTo(0));
            Assert.That(Peer.Channel.Said[0], Contains.Substring("\"view\":\"composited\""));
            Assert.That(Peer.Channel.Said[1], Contains.Substring("\"ping\""));
            string now = Clock.NowMs.ToString(System.Globalization.CultureInfo.InvariantCulture);
            Peer.Channel.OnMessage(Encoding.UTF8.GetBytes(
                "{\"type\":\"pong\",\"id\":0,\"t0_ms\":1,\"t1_ms\":" + now + ",\"t2_ms\":" + now + "}"));
            Assert.That(Client.Offset.IsExchanged(Clock.NowMs), Is.True);
        }

        [Test]
        public void PicturesComeAtTheirRateAndTheirViewIsKept()
        {
            Connect();
            int before = Camera.Renders.Count;
            Frames(4);
            Assert.That(Camera.Renders.Count - before, Is.EqualTo(60).Within(2));
            Assert.That(Graphics.Blits, Is.EqualTo(Camera.Renders.Count));
            Assert.That(RenderTexture.active, Is.Null, "what the app draws into is the app's business");
            CameraView view;
            Assert.That(Client.Views.TryAt(Clock.NowMs, out view), Is.True);
            Assert.That(view.Top, Is.EqualTo(0.7).Within(0.01), "the source's, not the head's");
        }

        [Test]
        public void ANewSceneEndsNoStream()
        {
            Connect();
            UnityEngine.Object.Destroy(Called("arwarden scene camera"));
            Frames(0.1);
            int before = Camera.Renders.Count;
            Frames(1);
            Assert.That(Camera.Renders.Count, Is.GreaterThan(before + 10));
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Streaming));
        }

        [Test]
        public void TheOverlayIsNeverStreamed()
        {
            Connect();
            AddThing("cup", new Vector3(0, 1.6f, 2));
            Client.gameObject.AddComponent<WarningOverlay>();
            AlertComes("a", usefulMs: 60000);
            Frames(1);
            Assert.That(IsSeen("word"), Is.True);
            Assert.That(Camera.Renders[Camera.Renders.Count - 1], Is.EqualTo("arwarden scene camera: cup"));
        }

        [Test]
        public void TheAppsOwnFramesComeFirst()
        {
            Connect();
            for (int i = 0; i < 72 * 4; i++)
            {
                Clock.NowMs += 30;
                StubEngine.Frame(0.03f);
            }
            Assert.That(_publisher.Load.Fps, Is.LessThan(10));
            Assert.That(
                Peer.Transceiver.Sender.Parameters.encodings[0].maxFramerate, Is.EqualTo((uint)_publisher.Load.Fps));
            Assert.That(Peer.Transceiver.Sender.Parameters.encodings[0].scaleResolutionDownBy, Is.EqualTo(2));
        }

        [Test]
        public void LateCandidatesFollow()
        {
            AddPublisher();
            Peer.OnIceCandidate(new RTCIceCandidate { Text = "candidate:1 1 udp 1 192.0.2.9 9 typ host" });
            Offer(false);
            Frames(2.2);
            Peer.OnIceCandidate(new RTCIceCandidate { Text = "candidate:2 1 udp 1 192.0.2.9 9 typ host" });
            Frames(0.1);
            UnityWebRequest patch = UnityWebRequest.Sent[1];
            Assert.That(patch.method, Is.EqualTo("PATCH"));
            Assert.That(patch.Headers["If-Match"], Is.EqualTo("\"tag\""));
            string body = Encoding.UTF8.GetString(patch.uploadHandler.Data);
            Assert.That(body, Contains.Substring("a=candidate:2 "));
            Assert.That(body.Contains("a=candidate:1 "), Is.False, "that one was in the offer");
        }

        [Test]
        public void ARequestThatTheProjectForbidsIsSaid()
        {
            UnityWebRequest.Refusal = "Insecure connection not allowed";
            AddPublisher();
            Offer(true);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Waiting));
            Assert.That(_publisher.Problem, Contains.Substring("(Insecure connection not allowed)"));
            UnityWebRequest.Refusal = null;
            Frames(1);
            Offer(true);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Connecting));
        }

        [Test]
        public void WhatWebRtcThrowsIsSaid()
        {
            VideoStreamTrack.Fault = "This graphics format is not supported";
            AddPublisher();
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Waiting));
            Assert.That(_publisher.Problem, Contains.Substring("This graphics format is not supported"));
            VideoStreamTrack.Fault = null;
            Frames(1);
            RTCPeerConnection.Fault = "no SDP";
            Peer.Offering.IsDone = true;
            Frames(0.05);
            Assert.That(_publisher.Problem, Contains.Substring("not accepted by this device (no SDP)"));
        }

        [Test]
        public void AGraphicsApiThatCannotBeEncodedIsSaidOnce()
        {
            WebRTC.FormatFault = "Graphics device type Null not supported.";
            AddPublisher();
            Frames(5);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Stopped));
            Assert.That(_publisher.Problem, Contains.Substring("choose Vulkan"));
            Assert.That(Client.Monitor.StreamFault, Is.EqualTo(_publisher.Problem));
            Assert.That(Client.Monitor.State, Is.EqualTo(MonitorState.NoPicture));
            Assert.That(Debug.Lines.FindAll(line => line.Contains("graphics API")), Has.Count.EqualTo(1));
            Assert.That(RTCPeerConnection.All, Is.Empty);
            _publisher.enabled = false;
            Assert.That(_publisher.Problem, Is.Empty);
            Assert.That(Client.Monitor.StreamFault, Is.Null);
            WebRTC.FormatFault = null;
            _publisher.enabled = true;
            Frames(0.1);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Offering));
        }

        [Test]
        public void SeveralPublishersRunWebRtcOnce()
        {
            AddPublisher();
            WhipPublisher second = PublisherOf(_publisher.gameObject.AddComponent<SceneCameraSource>());
            Frames(0.1);
            Assert.That(UpdatesInAFrame(), Is.EqualTo(1));
            _publisher.enabled = false;
            Frames(FrameS);
            Assert.That(UpdatesInAFrame(), Is.EqualTo(1), "the other one goes on with it");
            _publisher.enabled = true;
            second.gameObject.SetActive(false);
            Frames(FrameS);
            Assert.That(UpdatesInAFrame(), Is.EqualTo(1));
        }

        private int UpdatesInAFrame()
        {
            int before = WebRTC.Updates;
            Frames(FrameS);
            return WebRTC.Updates - before;
        }

        [Test]
        public void AnAnswerThatCannotBeReadIsALoss()
        {
            AddPublisher();
            Peer.Offering.IsDone = true;
            Frames(0.05);
            Peer.Describing.IsDone = true;
            Peer.GatheringState = RTCIceGatheringState.Complete;
            RTCPeerConnection.Fault = "no SDP";
            Frames(0.1);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Waiting));
            Assert.That(Requests()[1], Contains.Substring("DELETE"));
        }

        [Test]
        public void WithoutItsClientNothingGoesOn()
        {
            Connect();
            UnityEngine.Object.Destroy(Client.gameObject);
            Frames(0.1);
            Assert.That(Peer.IsDisposed, Is.True);
            Assert.That(Requests()[1], Contains.Substring("DELETE"));
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Stopped));
        }

        [Test]
        public void AStreamThatIsNotWantedAnyMoreIsNoFault()
        {
            _status = 401;
            AddPublisher();
            Offer(true);
            Assert.That(Client.Monitor.StreamFault, Is.Not.Null);
            Values.WhipUrl = "";
            Client.Use(ArwardenSettings.From(Values));
            Frames(0.1);
            Assert.That(Client.Monitor.StreamFault, Is.Null);
        }

        [TestCase(36f, true, false)]
        [TestCase(120f, true, true)]
        [TestCase(120f, false, false)]
        public void FramesAreLateByTheHeadsetsOwnRate(float headsetHz, bool running, bool givesWay)
        {
            var display = new UnityEngine.XR.XRDisplaySubsystem { Hz = headsetHz, running = running };
            UnityEngine.XR.XRDisplaySubsystem.All.Add(display);
            Connect();
            for (int i = 0; i < 72 * 3; i++)
            {
                Clock.NowMs += 1000.0 / 72;
                StubEngine.Frame(1f / 72);
            }
            Assert.That(_publisher.Load.Fps < Values.MaxFps, Is.EqualTo(givesWay));
        }

        [Test]
        public void ARefusalIsSaidOnceInTheDaemonsWords()
        {
            _status = 401;
            AddPublisher();
            Offer(true);
            Frames(5);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Refused));
            Assert.That(Client.Monitor.StreamFault, Is.EqualTo("no device has this token"));
            Assert.That(Client.Monitor.State, Is.EqualTo(MonitorState.NoPicture));
            Assert.That(
                Debug.Lines.FindAll(line => line.Contains("no device has this token")), Has.Count.EqualTo(1));
        }

        [Test]
        public void ABrokenConnectionIsMadeAgain()
        {
            Connect();
            RTCPeerConnection first = Peer;
            first.OnConnectionStateChange(RTCPeerConnectionState.Failed);
            Frames(1);
            Assert.That(first.IsDisposed, Is.True);
            Assert.That(first.Track.IsDisposed, Is.True);
            Assert.That(Requests()[1], Is.EqualTo("DELETE http://192.0.2.1:8080/whip/s1?device=quest-1"));
            Assert.That(Peer, Is.Not.SameAs(first));
            Offer(true);
            Peer.OnConnectionStateChange(RTCPeerConnectionState.Connected);
            Frames(0.1);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Streaming));
        }

        [Test]
        public void ASilentChannelIsALoss()
        {
            Connect();
            Frames(WhipPublication.SilenceMs / 1000 + 0.2);
            Assert.That(Requests()[1], Contains.Substring("DELETE"));
        }

        [Test]
        public void SwitchedOffItSaysGoodbye()
        {
            Connect();
            _publisher.enabled = false;
            Assert.That(Requests()[1], Contains.Substring("DELETE"));
            Assert.That(Peer.IsDisposed, Is.True);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Stopped));
            _publisher.enabled = true;
            Frames(0.1);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Offering));
        }

        [Test]
        public void APauseEndsItAndTheReturnBeginsAnew()
        {
            Connect();
            RTCPeerConnection first = Peer;
            StubEngine.CallAll("OnApplicationPause", true);
            Assert.That(Requests()[1], Contains.Substring("DELETE"));
            StubEngine.CallAll("OnApplicationPause", false);
            Frames(0.1);
            Assert.That(Peer, Is.Not.SameAs(first));
        }

        [Test]
        public void WithoutAnAddressNothingIsStreamed()
        {
            Values.WhipUrl = "";
            AddPublisher();
            Frames(1);
            Assert.That(RTCPeerConnection.All, Is.Empty);
            Assert.That(_publisher.State, Is.EqualTo(PublicationState.Stopped));
            Assert.That(Client.Monitor.StreamFault, Is.Null);
        }

        [Test]
        public void NewSettingsAreTakenUp()
        {
            Connect();
            Values.WhipUrl = "http://192.0.2.2:8080/whip";
            Client.Use(ArwardenSettings.From(Values));
            Frames(0.1);
            Offer(true);
            Assert.That(Requests()[2], Contains.Substring("POST http://192.0.2.2:8080/whip"));
        }

        [Test]
        public void APinnedCertificateIsTheOnlyOne()
        {
            Values.PinnedSha256 = new[] { "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81" };
            AddPublisher();
            Offer(true);
            CertificateHandler handler = UnityWebRequest.Sent[0].certificateHandler;
            Assert.That(handler.Trusts(new byte[] { 1, 2, 3 }), Is.True);
            Assert.That(handler.Trusts(new byte[] { 1, 2, 4 }), Is.False);
        }

        [Test]
        public void WithoutPinsTheSystemDecides()
        {
            AddPublisher();
            Offer(true);
            Assert.That(UnityWebRequest.Sent[0].certificateHandler, Is.Null);
        }

        [TestCase(1280, 960, 1280, 1280, 960)]
        [TestCase(1280, 1280, 640, 640, 640)]
        [TestCase(801, 601, 1280, 800, 600)]
        [TestCase(3, 1, 1280, 2, 2)]
        public void PicturesHaveEvenSides(int width, int height, int most, int expectedWidth, int expectedHeight)
        {
            Vector2Int size = FrameSource.Size(width, height, most);
            Assert.That(size.x, Is.EqualTo(expectedWidth));
            Assert.That(size.y, Is.EqualTo(expectedHeight));
        }
    }
}

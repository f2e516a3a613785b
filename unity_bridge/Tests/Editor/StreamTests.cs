using System;
using System.Collections.Generic;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class StreamGovernorTests
    {
        private const double FrameS = 1.0 / 72;

        private StreamGovernor _governor;

        [SetUp]
        public void MakeGovernor()
        {
            _governor = new StreamGovernor(72, 20, 4000);
        }

        private void Frames(double seconds, double lateShare)
        {
            double due = 0;
            for (double left = seconds; left > 0;)
            {
                due += lateShare;
                double took = due >= 1 ? 2 * FrameS : FrameS;
                due -= due >= 1 ? 1 : 0;
                _governor.Took(took);
                left -= took;
            }
        }

        [Test]
        public void AllIsAllowedWhileFramesComeInTime()
        {
            Frames(60, 0.01);
            Assert.That(_governor.Step, Is.EqualTo(0));
            Assert.That(_governor.Load.Fps, Is.EqualTo(20));
            Assert.That(_governor.Load.Kbps, Is.EqualTo(4000));
            Assert.That(_governor.Load.ScaleDown, Is.EqualTo(1));
        }

        [Test]
        public void TheStreamGivesWayStepByStep()
        {
            Frames(1.5, 0.2);
            Assert.That(_governor.Step, Is.EqualTo(1));
            Assert.That(_governor.Load.Fps, Is.EqualTo(15));
            Frames(10, 0.2);
            Assert.That(_governor.Step, Is.EqualTo(_governor.LastStep));
            Assert.That(_governor.Load.Fps, Is.GreaterThanOrEqualTo(StreamGovernor.MinFps));
            Assert.That(_governor.Load.Kbps, Is.LessThan(1000));
            Assert.That(_governor.Load.ScaleDown, Is.EqualTo(2));
        }

        [Test]
        public void ItComesBackSlowly()
        {
            Frames(3, 0.2);
            Frames(1, 0);
            int worst = _governor.Step;
            Frames(StreamGovernor.FirstWaitS - 3, 0);
            Assert.That(_governor.Step, Is.EqualTo(worst));
            Frames(30, 0);
            Assert.That(_governor.Step, Is.LessThan(worst));
        }

        [Test]
        public void AReturnThatFailsIsTriedLaterEachTime()
        {
            int changes = 0;
            int last = 0;
            for (int second = 0; second < 600; second++)
            {
                // Whatever is more than the second step is too much for this scene.
                Frames(1, _governor.Step < 2 ? 0.3 : 0);
                changes += _governor.Step != last ? 1 : 0;
                last = _governor.Step;
            }
            Assert.That(changes, Is.LessThan(20), "not up and down all the time");
            Assert.That(_governor.Step, Is.InRange(1, 3));
        }

        [Test]
        public void APauseOfTheAppIsNotTheStreamsFault()
        {
            for (int i = 0; i < 100; i++)
            {
                Assert.That(_governor.Took(1.5), Is.False);
                Assert.That(_governor.Took(double.NaN), Is.False);
            }
            Assert.That(_governor.Step, Is.EqualTo(0));
        }

        [Test]
        public void NonsenseIsBounded()
        {
            StreamLoad load = new StreamGovernor(0, 1, -5).Load;
            Assert.That(load.Fps, Is.EqualTo(StreamGovernor.MinFps));
            Assert.That(load.Kbps, Is.EqualTo(100));
        }

        [TestCase(72, 15)]
        [TestCase(90, 20)]
        [TestCase(36, 30)]
        public void PicturesComeAtTheirRateOnAverage(int hz, int fps)
        {
            var cadence = new PictureCadence();
            int pictures = 0;
            for (int i = 0; i < hz * 20; i++)
            {
                double nowMs = 1000 + (i * 1000.0 / hz);
                if (cadence.IsDue(nowMs))
                {
                    cadence.Drew(nowMs, fps);
                    pictures++;
                }
            }
            Assert.That(pictures, Is.EqualTo(fps * 20).Within(2));
            Assert.That(cadence.IsDue(60000), Is.True);
            cadence.Drew(60000, fps);
            Assert.That(cadence.IsDue(60001), Is.False, "nothing is made up for");
        }
    }

    [TestFixture]
    public class SdpTests
    {
        private const string Answer = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 1\r\n"
            + "m=video 9 UDP/TLS/RTP/SAVPF 108 109\r\nc=IN IP4 0.0.0.0\r\nb=AS:90000\r\na=recvonly\r\na=mid:0\r\n"
            + "a=rtpmap:108 H264/90000\r\na=rtpmap:109 rtx/90000\r\n"
            + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=mid:1\r\n";

        private const string Offer = "v=0\r\ns=-\r\na=ice-ufrag:sess\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
            + "a=ice-ufrag:abcd\r\na=ice-pwd:secretsecretsecretsecret\r\na=mid:v0\r\n"
            + "a=candidate:1 1 udp 1 192.0.2.1 5 typ host\r\n";

        [Test]
        public void TheBitrateIsWrittenOnceAndForTheVideo()
        {
            string limited = SdpText.WithBitrate(Answer, 2500);
            Assert.That(
                limited, Contains.Substring("c=IN IP4 0.0.0.0\r\nb=AS:2500\r\nb=TIAS:2500000\r\na=recvonly\r\n"));
            Assert.That(limited.Contains("b=AS:90000"), Is.False);
            Assert.That(limited.Split(new[] { "b=AS" }, StringSplitOptions.None).Length, Is.EqualTo(2));
            Assert.That(limited.EndsWith("a=mid:1\r\n", StringComparison.Ordinal), Is.True);
        }

        [Test]
        public void TheChosenCodecIsRead()
        {
            Assert.That(SdpText.ChosenCodec(Answer), Is.EqualTo("H264"));
            Assert.That(SdpText.ChosenCodec("v=0\r\n"), Is.EqualTo(""));
            Assert.That(SdpText.AnswerFault(Answer), Is.Null);
        }

        [TestCase(null)]
        [TestCase("")]
        [TestCase("<html>")]
        [TestCase("v=0\r\ns=-\r\n")]
        [TestCase("v=0\r\nm=video 0 UDP/TLS/RTP/SAVPF 96\r\n")]
        [TestCase("v=0\r\nm=video 9\r\n")]
        public void WhatIsNoAnswerIsSaid(string text)
        {
            Assert.That(SdpText.AnswerFault(text), Is.Not.Null);
        }

        [Test]
        public void AnAnswerIsBounded()
        {
            Assert.That(SdpText.AnswerFault(Answer + new string('x', SdpText.MaxLength)), Is.Not.Null);
        }

        [Test]
        public void LateCandidatesBelongToTheVideo()
        {
            string fragment = SdpText.Fragment(
                Offer, new[] { "candidate:2 1 udp 1 192.0.2.2 6 typ host", "3 1 udp 1 192.0.2.3 6 typ host" }, true);
            Assert.That(fragment, Is.EqualTo(
                "a=ice-ufrag:abcd\r\na=ice-pwd:secretsecretsecretsecret\r\nm=video 9 UDP/TLS/RTP/SAVPF 0\r\n"
                + "a=mid:v0\r\na=candidate:2 1 udp 1 192.0.2.2 6 typ host\r\n"
                + "a=candidate:3 1 udp 1 192.0.2.3 6 typ host\r\na=end-of-candidates\r\n"));
            Assert.That(SdpText.CountCandidates(Offer), Is.EqualTo(1));
            Assert.That(SdpText.CountCandidates(fragment), Is.EqualTo(2));
        }

        private static string Ordered(string[] types, string[] formats)
        {
            var names = new List<string>();
            foreach (int place in VideoCodecs.Order(types, formats))
            {
                names.Add(types[place] + " " + formats[place]);
            }
            return string.Join(", ", names.ToArray());
        }

        [Test]
        public void HardwareCodecsComeFirst()
        {
            string[] types =
            {
                "video/VP8", "video/rtx", "video/VP9", "video/H264", "video/H264", "video/H264", "video/AV1", "video/red",
            };
            string[] formats =
            {
                null, null, "profile-id=0", "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
                "packetization-mode=0;profile-level-id=42e01f", "packetization-mode=1; profile-level-id=640c1f", "", "",
            };
            Assert.That(Ordered(types, formats), Is.EqualTo(
                "video/H264 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f, video/VP8 , "
                + "video/rtx "));
        }

        [Test]
        public void WithoutH264ThereIsVp8AndWithoutEitherNothing()
        {
            Assert.That(Ordered(new[] { "video/AV1", "VIDEO/vp8" }, new string[2]), Is.EqualTo("VIDEO/vp8 "));
            Assert.That(Ordered(new[] { "video/AV1", "video/rtx" }, new string[2]), Is.EqualTo(""));
            Assert.That(VideoCodecs.Order(new string[0], new string[0]), Is.Empty);
        }
    }
}

using System.Collections.Generic;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class SetupTests
    {
        private SetupFacts _facts;

        [SetUp]
        public void MakeFacts()
        {
            _facts = new SetupFacts
            {
                HasSettings = true,
                BuildsForAndroid = true,
                UsesIl2Cpp = true,
                BuildsArm64 = true,
                AsksForInternet = true,
                RunsInBackground = true,
                HasWebRtc = true,
                HasToolkit = true,
                ManifestNamesCamera = true,
                OverlayLayerName = SetupCheck.OverlayLayerName,
                WhipUrl = "https://192.168.1.10:8443/whip",
            };
        }

        private string Found(bool faults)
        {
            var texts = new List<string>();
            foreach (SetupFinding finding in SetupCheck.Findings(_facts))
            {
                if (finding.IsFault == faults)
                {
                    texts.Add(finding.Text);
                }
            }
            return string.Join("|", texts.ToArray());
        }

        [Test]
        public void AGoodProjectHasNothingToSay()
        {
            Assert.That(SetupCheck.Findings(_facts), Is.Empty);
        }

        [Test]
        public void ANewProjectIsToldEverything()
        {
            _facts = new SetupFacts { BuildsForAndroid = true, WhipUrl = "http://192.168.1.10:8080/whip" };
            foreach (string part in new[] { "settings", "IL2CPP", "ARM64", "Internet", "over HTTP", "com.unity.webrtc" })
            {
                Assert.That(Found(true), Contains.Substring(part));
            }
            Assert.That(Found(false), Contains.Substring("Run In Background"));
            Assert.That(Found(false), Contains.Substring("name the overlay's layer"));
        }

        [Test]
        public void PlainHttpMayBeAllowed()
        {
            _facts.WhipUrl = "http://192.168.1.10:8080/whip";
            Assert.That(Found(true), Contains.Substring("over HTTP"));
            _facts.AllowsPlainHttp = true;
            Assert.That(Found(true), Is.EqualTo(""));
        }

        [Test]
        public void TheCameraIsAskedForOnlyWhereItIsUsed()
        {
            _facts.ManifestNamesCamera = false;
            Assert.That(Found(true), Contains.Substring("HEADSET_CAMERA"));
            _facts.HasToolkit = false;
            Assert.That(Found(true), Is.EqualTo(""));
            Assert.That(Found(false), Contains.Substring("Utility Kit"));
            _facts.WhipUrl = "";
            Assert.That(Found(false), Is.EqualTo(""));
        }

        [Test]
        public void ALayerThatIsTakenIsAFault()
        {
            _facts.OverlayLayerName = "UI";
            Assert.That(Found(true), Contains.Substring("\"UI\""));
            _facts.BuildsForAndroid = false;
            Assert.That(Found(false), Contains.Substring("not Android"));
        }
    }
}

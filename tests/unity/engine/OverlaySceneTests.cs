using System;
using Arwarden.Core;
using Arwarden.Unity;
using NUnit.Framework;
using UnityEngine;

namespace Arwarden.EngineTests
{
    [TestFixture]
    internal sealed class OverlaySceneTests : Stage
    {
        private static readonly string[] PanelParts = { "ground", "edge", "sign", "mark", "word", "message", "names" };
        private WarningOverlay _overlay;

        private void AddOverlay()
        {
            AddClient();
            _overlay = Client.gameObject.AddComponent<WarningOverlay>();
            Frames(0.5);
            for (int i = 0; i < 3; i++)
            {
                HealthComes("ok");
                Frames(1);
            }
        }

        [Test]
        public void ANewSceneTakesNothingAway()
        {
            AddClient();
            Client.gameObject.AddComponent<WarningOverlay>();
            AlertComes("a", usefulMs: 60000);
            Frames(1);
            Material material = Called("word").GetComponent<MeshRenderer>().sharedMaterial;
            UnityEngine.Object.Destroy(Called("arwarden overlay"));
            Frames(0.1);
            Assert.That(IsSeen("word"), Is.True);
            Assert.That(Written("word"), Is.EqualTo("Warning"));
            Assert.That(material == null, Is.True, "what was made for the last scene is freed");
            Link.Breaks("gone");
            Client.Dismiss("a");
            Frames(7);
            UnityEngine.Object.Destroy(Called("arwarden overlay"));
            Frames(0.1);
            Assert.That(Written("calm"), Is.EqualTo("Monitor offline"));
        }

        [Test]
        public void NothingIsSeenWhileAllIsWell()
        {
            AddOverlay();
            foreach (string part in PanelParts)
            {
                Assert.That(IsSeen(part), Is.False, part);
            }
            Assert.That(IsSeen("calm"), Is.False);
        }

        [Test]
        public void AWarningIsSeenAndGoesByItself()
        {
            AddOverlay();
            AlertComes("a", "critical", usefulMs: 2000, elements: Element("Open", 0.1) + "," + Element("Closed", 0.6));
            Frames(0.5);
            foreach (string part in PanelParts)
            {
                Assert.That(IsSeen(part), Is.True, part);
            }
            Assert.That(Written("word"), Is.EqualTo("Critical"));
            Assert.That(Written("message"), Is.EqualTo("Two signs contradict each other."));
            Assert.That(Written("names"), Is.EqualTo("1  \u201COpen\u201D\n2  \u201CClosed\u201D"));
            Assert.That(IsSeen("region"), Is.True);
            Assert.That(Called("sign").GetComponent<MeshFilter>().sharedMesh.triangles.Length, Is.EqualTo(24), "octagon");
            Frames(2);
            foreach (string part in PanelParts)
            {
                Assert.That(IsSeen(part), Is.False, part);
            }
            Assert.That(IsSeen("region"), Is.False);
            Assert.That(Acks(), Is.EqualTo(new[] { "a received", "a shown", "a expired expired" }));
        }

        [TestCase("info", "Note", 96)]
        [TestCase("warning", "Warning", 9)]
        [TestCase("critical", "Critical", 24)]
        public void SeverityHasAColourAShapeAndAWord(string severity, string word, int corners)
        {
            AddOverlay();
            AlertComes("a", severity);
            Frames(0.5);
            Assert.That(Written("word"), Is.EqualTo(word));
            Assert.That(Called("sign").GetComponent<MeshFilter>().sharedMesh.triangles.Length, Is.EqualTo(corners));
            Material material = Called("sign").GetComponent<MeshRenderer>().sharedMaterial;
            Color color = material.Colors[Shader.PropertyToID("_Color")];
            Assert.That(color.r, Is.EqualTo(WarningOverlay.SeverityColors[severity == "info" ? 0
                : severity == "warning" ? 1 : 2].r));
            Assert.That(color.a, Is.EqualTo(1));
        }

        [Test]
        public void EverythingIsOnTheLayerThatIsNotStreamed()
        {
            AddOverlay();
            AlertComes("a", elements: Element("Open", 0.1) + "," + Element("Closed", 0.6));
            Frames(0.5);
            int parts = 0;
            foreach (GameObject item in StubEngine.Everything)
            {
                if (item.GetComponent<MeshRenderer>() != null)
                {
                    Assert.That(item.layer, Is.EqualTo(ArwardenSettings.DefaultOverlayLayer), item.name);
                    parts++;
                }
            }
            Assert.That(parts, Is.GreaterThan(12));
        }

        [Test]
        public void ItIsBuiltForTheClientsSettingsWheneverTheyCome()
        {
            new GameObject("early").AddComponent<WarningOverlay>();
            Frames(0.1);
            Assert.That(Called("panel") == null, Is.True, "whose layer nobody knows yet is not drawn on");
            AddClient();
            Frames(0.1);
            GameObject first = Called("panel");
            Assert.That(first != null, Is.True);
            Client.Use(ArwardenSettings.From(Values));
            Frames(0.1);
            Assert.That(Called("panel") == first, Is.False, "other settings, another layer");
            Assert.That(StubEngine.Everything.FindAll(item => item.name == "panel"), Has.Count.EqualTo(1));
        }

        [Test]
        public void TextsCannotDressThemselves()
        {
            AddOverlay();
            AlertComes("a", elements: Element("<size=900>X</size>", 0.1));
            Frames(0.5);
            Assert.That(Called("names").GetComponent<TextMesh>().richText, Is.False);
            Assert.That(Written("names"), Is.EqualTo("\u201C<size=900>X</size>\u201D"));
        }

        [Test]
        public void ThePanelHangsBelowWhereTheWearerLooks()
        {
            AddOverlay();
            AlertComes("a", usefulMs: 60000);
            Frames(0.5);
            Pose3D head = Axes.Of(Head);
            Transform panel = Called("panel").transform;
            Vector3D away = Axes.Of(panel.position) - head.Position;
            Assert.That(away.Length, Is.EqualTo(OverlayLayout.DefaultDistanceM).Within(0.01));
            double off = Angles.BetweenDeg(head.Forward, away);
            Assert.That(off, Is.EqualTo(PanelPlacement.RestDownDeg).Within(0.1));
            Vector3 facing = panel.rotation * new Vector3(0, 0, 1);
            Assert.That(Angles.BetweenDeg(Axes.Of(facing), away), Is.LessThan(0.1));
            Head.rotation = Quaternion.Euler(0, 120, 0);
            Frames(5);
            off = Angles.BetweenDeg(Axes.Of(Head).Forward, Axes.Of(panel.position) - head.Position);
            Assert.That(off, Is.EqualTo(PanelPlacement.RestDownDeg).Within(1));
        }

        [Test]
        public void WritingIsLargeEnough()
        {
            AddOverlay();
            TextMesh message = Called("message").GetComponent<TextMesh>();
            // A font is about a tenth of a unit per pixel high, its capitals seven tenths of that.
            double capitalM = message.fontSize * message.characterSize * 0.1 * 0.7;
            double deg = 2 * Math.Atan(capitalM / 2 / OverlayLayout.DefaultDistanceM) * 180 / Math.PI;
            Assert.That(deg, Is.EqualTo(OverlayLayout.TextDeg).Within(0.01));
        }

        [Test]
        public void WritingStaysOnThePanel()
        {
            AddOverlay();
            AlertComes("a", elements: Element(new string('w', 90), 0.1) + "," + Element(new string('w', 90), 0.6));
            Frames(0.5);
            TextMesh names = Called("names").GetComponent<TextMesh>();
            float letterM = names.fontSize * names.characterSize * 0.1f;
            float bottom = names.transform.localPosition.y - (2 * 1.2f * letterM);
            float mark = Called("close").transform.localPosition.y;
            Assert.That(bottom, Is.GreaterThan(mark + (letterM / 2)), "above the mark");
            float top = Called("message").transform.localPosition.y;
            Assert.That(names.transform.localPosition.y, Is.LessThan(top - letterM), "below the message");
            // A letter is half as wide as it is high, on average.
            float right = names.transform.localPosition.x + ((AlertText.NameLength + 5) * letterM / 2);
            Vector3 corner = Called("ground").GetComponent<MeshFilter>().sharedMesh.vertices[1];
            Assert.That(right, Is.LessThan(corner.x));
        }

        [Test]
        public void TheRegionsStayOnTheElements()
        {
            AddOverlay();
            AlertComes("a", usefulMs: 60000, elements: Element("Open", 0.1) + "," + Element("Closed", 0.6));
            Frames(0.5);
            Vector3[] before = Called("region").GetComponent<MeshFilter>().sharedMesh.vertices;
            Assert.That(before[0].z, Is.EqualTo((float)OverlayLayout.RegionDistanceM).Within(0.001f));
            Assert.That(before[0].x, Is.LessThan(0f), "the first one is on the left");
            Head.rotation = Quaternion.Euler(0, 40, 0);
            Frames(1);
            Vector3[] after = Called("region").GetComponent<MeshFilter>().sharedMesh.vertices;
            Assert.That(after[0] == before[0], Is.True);
            Assert.That(Called("region").transform.position == Vector3.zero, Is.True);
        }

        [Test]
        public void TheRegionOfAKnownObjectIsAsFarAsTheObject()
        {
            AddOverlay();
            AddThing("sign", new Vector3(0, 1.6f, 4));
            AlertComes("a", elements: Element("Open", 0.1, "sign") + "," + Element("Closed", 0.6));
            Frames(0.5);
            Vector3[] corners = Called("region").GetComponent<MeshFilter>().sharedMesh.vertices;
            Assert.That(corners[0].z, Is.EqualTo(4).Within(0.01));
        }

        [Test]
        public void WithoutAViewThereAreNoRegions()
        {
            AddOverlay();
            AlertComes("a", elements: Element("Open", 0.1), capturedAgoMs: 60000);
            Frames(0.5);
            Assert.That(IsSeen("word"), Is.True);
            Assert.That(IsSeen("region"), Is.False, "a frame at the wrong place is worse than none");
        }

        [Test]
        public void LookingAtItsMarkDismissesIt()
        {
            AddOverlay();
            AlertComes("a", usefulMs: 60000);
            Frames(0.5);
            Vector3D away = Axes.Of(Called("close").transform.position) - Axes.Of(Head).Position;
            Head.rotation = Axes.Of(Rotation3D.OfYawPitch(Angles.YawDeg(away), Angles.PitchDeg(away)));
            Frames(0.6);
            Assert.That(Called("closing").transform.localScale.x, Is.InRange(0.3f, 0.7f));
            Frames(1.5);
            Assert.That(IsSeen("word"), Is.False);
            Assert.That(Acks()[2], Is.EqualTo("a dismissed dismissed"));
            AlertComes("a", revision: 2, state: "confirmed");
            Frames(1);
            Assert.That(IsSeen("word"), Is.False, "it stays away");
        }

        [Test]
        public void AButtonDismissesItToo()
        {
            AddOverlay();
            _overlay.Dismiss();
            AlertComes("a");
            AlertComes("b", "critical");
            Frames(0.5);
            Assert.That(Written("more"), Is.EqualTo("+1 more"));
            _overlay.Dismiss();
            Frames(0.1);
            Assert.That(Written("word"), Is.EqualTo("Warning"));
            Assert.That(Written("more"), Is.EqualTo(""));
        }

        [Test]
        public void CalmStatesAreWrittenCalmly()
        {
            AddOverlay();
            Link.Breaks("gone");
            Frames(4);
            Assert.That(IsSeen("calm"), Is.True);
            Assert.That(Written("calm"), Is.EqualTo("Monitor offline"));
            Assert.That(IsSeen("word"), Is.False);
        }

        [Test]
        public void APictureWithoutVirtualContentIsSaid()
        {
            AddOverlay();
            for (int i = 0; i < 5; i++)
            {
                HealthComes("degraded", "\"passthrough_has_no_virtual_content\"");
                Frames(1);
            }
            Assert.That(IsSeen("calm"), Is.True);
            Assert.That(Written("calm"), Is.EqualTo("Monitor cannot see virtual content"));
        }

        [Test]
        public void WithoutSettingsTheWearerIsTold()
        {
            AddClient(null);
            Client.gameObject.AddComponent<WarningOverlay>();
            Frames(1);
            Assert.That(IsSeen("calm"), Is.True);
            Assert.That(Written("calm"), Contains.Substring("Monitor is not set up"));
        }

        [Test]
        public void SwitchedOffNothingIsLeft()
        {
            AddOverlay();
            AlertComes("a", usefulMs: 60000);
            Frames(0.5);
            _overlay.enabled = false;
            Assert.That(Called("word") == null, Is.True);
            Assert.That(Called("panel") == null, Is.True);
            _overlay.enabled = true;
            Frames(0.5);
            Assert.That(IsSeen("word"), Is.True);
            Assert.That(Written("word"), Is.EqualTo("Warning"));
        }

        [Test]
        public void AFrameAllocatesNothing()
        {
            AddOverlay();
            AlertComes("a", usefulMs: 1e9, elements: Element("Open", 0.1) + "," + Element("Closed", 0.6));
            Frames(4);
            Action draw = (Action)Delegate.CreateDelegate(typeof(Action), _overlay, "LateUpdate");
            draw();
            long bytes = GC.GetTotalMemory(true);
            for (int i = 0; i < 10000; i++)
            {
                Clock.NowMs += 0.01;
                draw();
            }
            Assert.That(GC.GetTotalMemory(false) - bytes, Is.LessThan(65536), "not a byte a frame");
        }
    }
}

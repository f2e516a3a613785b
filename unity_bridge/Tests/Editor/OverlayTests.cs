using System;
using System.Collections.Generic;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class OverlayTests
    {
        private const double FrameS = 1.0 / 72;
        private const double FrameMs = 1000.0 / 72;

        private AlertQueue _alerts;
        private OverlayPresenter _overlay;
        private MonitorBoard _board;
        private List<AlertChange> _changes;
        private double _nowMs;

        [SetUp]
        public void MakeOverlay()
        {
            _alerts = new AlertQueue();
            _overlay = new OverlayPresenter();
            _board = new MonitorBoard();
            _changes = new List<AlertChange>();
            _nowMs = 100000;
        }

        private void Take(string id, long revision = 1, string state = "raised", string severity = "warning",
            double usefulMs = 30000)
        {
            Alert alert = TestAlerts.Alert(id, revision, state, severity, _nowMs, _nowMs + usefulMs);
            _alerts.Take(alert, _nowMs, 0, _changes);
        }

        private void Run(double ms)
        {
            for (double left = ms; left > 0; left -= FrameMs)
            {
                _nowMs += FrameMs;
                _alerts.Expire(_nowMs, _changes);
                _board.Look(_nowMs);
                _overlay.Step(_alerts, _board, _nowMs, FrameS);
            }
        }

        private string Shown
        {
            get { return _overlay.Alert == null ? "" : _overlay.Alert.Id; }
        }

        [Test]
        public void AWarningFadesInStaysAndFadesOut()
        {
            Take("a", usefulMs: 3000);
            Run(FrameMs);
            Assert.That(Shown, Is.EqualTo("a"));
            Assert.That(_overlay.Opacity, Is.InRange(0.01, 0.2));
            Run(300);
            Assert.That(_overlay.Opacity, Is.EqualTo(1));
            Assert.That(_overlay.RegionOpacity, Is.EqualTo(1));
            Run(2500);
            Assert.That(_overlay.Opacity, Is.EqualTo(1));
            Assert.That(_overlay.RegionOpacity, Is.EqualTo(OverlayPresenter.QuietOpacity).Within(1e-9));
            Run(600);
            Assert.That(Shown, Is.EqualTo(""), "it expired by itself");
            Assert.That(_overlay.Opacity, Is.EqualTo(0));
        }

        [Test]
        public void ANewRevisionIsWrittenWithoutAFade()
        {
            Take("a");
            Run(500);
            long version = _overlay.Version;
            Take("a", 2, "confirmed");
            Run(FrameMs);
            Assert.That(_overlay.Alert.Revision, Is.EqualTo(2));
            Assert.That(_overlay.Opacity, Is.EqualTo(1));
            Assert.That(_overlay.Version, Is.EqualTo(version + 1));
            Run(500);
            Assert.That(_overlay.Version, Is.EqualTo(version + 1), "nothing is written again");
        }

        [Test]
        public void WhatIsNoMoreSevereWaits()
        {
            Take("a");
            Run(500);
            Take("b");
            Run(500);
            Assert.That(Shown, Is.EqualTo("a"));
            Assert.That(_overlay.More, Is.EqualTo(1));
            Run(OverlayPresenter.DwellMs);
            Assert.That(Shown, Is.EqualTo("b"));
            Assert.That(_overlay.Opacity, Is.EqualTo(1));
        }

        [Test]
        public void WhatIsMoreSevereComesAtOnce()
        {
            Take("a");
            Run(500);
            Take("b", severity: "critical");
            Run(FrameMs);
            Assert.That(Shown, Is.EqualTo("b"));
        }

        [Test]
        public void ADismissedOneGivesWayToTheNext()
        {
            Take("a");
            Take("b", severity: "critical");
            Run(500);
            _alerts.Dismiss("b", _nowMs, _changes);
            Run(FrameMs);
            Assert.That(Shown, Is.EqualTo("a"));
            Assert.That(_overlay.More, Is.EqualTo(0));
        }

        [Test]
        public void NothingFlashesWhateverComes()
        {
            var random = new Random(17);
            var turnsMs = new List<double>();
            double last = 0;
            double lastChange = 0;
            for (int i = 0; i < 72 * 60; i++)
            {
                if (random.Next(4) == 0)
                {
                    string severity = random.Next(2) == 0 ? "critical" : "info";
                    string state = random.Next(3) == 0 ? "retracted" : "raised";
                    Take("a" + random.Next(3), i + 1, state, severity, random.Next(10, 200));
                }
                Run(FrameMs);
                double change = _overlay.Opacity - last;
                if (change != 0 && lastChange != 0 && Math.Sign(change) != Math.Sign(lastChange))
                {
                    turnsMs.Add(_nowMs);
                }
                lastChange = change != 0 ? change : lastChange;
                last = _overlay.Opacity;
            }
            Assert.That(turnsMs.Count, Is.GreaterThan(20), "the test tries");
            for (int i = 6; i < turnsMs.Count; i++)
            {
                // A flash is two turns: more than three of them in a second would be dangerous.
                Assert.That(turnsMs[i] - turnsMs[i - 6], Is.GreaterThan(1000));
            }
        }

        [Test]
        public void TheMonitorsStateIsCalm()
        {
            Run(10000);
            Assert.That(_board.State, Is.EqualTo(MonitorState.Offline));
            Assert.That(_overlay.CalmOpacity, Is.EqualTo(1));
            Run(OverlayPresenter.CalmMs);
            Assert.That(_overlay.CalmOpacity, Is.EqualTo(OverlayPresenter.QuietOpacity).Within(1e-9));
            Take("a");
            Run(1000);
            Assert.That(_overlay.CalmOpacity, Is.EqualTo(0), "a warning comes first");
        }

        [Test]
        public void AFrameAllocatesNothing()
        {
            Take("a", usefulMs: 1e9);
            Run(1000);
            var placement = new PanelPlacement(1.3);
            var dwell = new GazeDwell();
            var corners = new Vector3D[4];
            long bytes = GC.GetTotalMemory(true);
            for (int i = 0; i < 100000; i++)
            {
                var head = new Pose3D(Vector3D.Zero, Rotation3D.OfYawPitch(i * 0.01, 0));
                _board.Look(_nowMs);
                _overlay.Step(_alerts, _board, _nowMs, FrameS);
                placement.Step(head, FrameS);
                dwell.Step(head, placement.Pose.Position, true, FrameS);
                OverlayLayout.TryRegion(
                    CameraView.OfAngle(head, 60, 1.3), new BoxNorm(0.1, 0.1, 0.2, 0.2), 2, corners);
            }
            Assert.That(GC.GetTotalMemory(false) - bytes, Is.LessThan(65536));
        }
    }

    [TestFixture]
    public class PanelTests
    {
        private const double FrameS = 1.0 / 72;

        private PanelPlacement _panel;
        private GazeDwell _dwell;

        [SetUp]
        public void MakePanel()
        {
            _panel = new PanelPlacement(1.3);
            _dwell = new GazeDwell();
        }

        private static Pose3D Head(double yaw, double pitch, double x = 0)
        {
            return new Pose3D(new Vector3D(x, 1.6, 0), Rotation3D.OfYawPitch(yaw, pitch));
        }

        private double Run(double seconds, Pose3D head)
        {
            for (double left = seconds; left > 0; left -= FrameS)
            {
                _panel.Step(head, FrameS);
            }
            return Angles.BetweenDeg(head.Forward, _panel.Pose.Position - head.Position);
        }

        [TestCase(0.1, ExpectedResult = 0.5)]
        [TestCase(0.7, ExpectedResult = 0.7)]
        [TestCase(50, ExpectedResult = 3)]
        public double TheDistanceIsComfortable(double wanted)
        {
            return new PanelPlacement(wanted).DistanceM;
        }

        [Test]
        public void ItHangsBelowTheMiddleAndFacesTheWearer()
        {
            Assert.That(Run(0.1, Head(30, 0)), Is.EqualTo(PanelPlacement.RestDownDeg).Within(0.01));
            double halfHeight = OverlayLayout.PanelHeightDeg / 2;
            Assert.That(PanelPlacement.RestDownDeg - halfHeight, Is.GreaterThan(10), "the middle stays free");
            Assert.That((_panel.Pose.Position - Head(30, 0).Position).Length, Is.EqualTo(1.3).Within(1e-6));
            Assert.That(
                Angles.BetweenDeg(_panel.Pose.Forward, _panel.Pose.Position - Head(30, 0).Position), Is.LessThan(0.01));
        }

        [Test]
        public void SmallMovementsOfTheHeadDoNotMoveIt()
        {
            Run(1, Head(0, 0));
            Vector3D before = _panel.Pose.Position;
            Run(2, Head(8, -4));
            Assert.That((_panel.Pose.Position - before).Length, Is.LessThan(1e-9));
        }

        [Test]
        public void ItFollowsSlowlyAndArrives()
        {
            Run(1, Head(0, 0));
            double off = Run(0.1, Head(90, 0));
            Assert.That(off, Is.GreaterThan(75), "not more than 60 degrees a second");
            Assert.That(Run(4, Head(90, 0)), Is.EqualTo(PanelPlacement.RestDownDeg).Within(1));
            Vector3D pose = _panel.Pose.Position;
            Run(1, Head(90, 0, 0.5));
            Assert.That(_panel.Pose.Position.X - pose.X, Is.EqualTo(0.5).Within(0.05), "walks along");
        }

        [Test]
        public void WhoTurnsToItCanReadItAndThenItStepsAside()
        {
            Run(1, Head(0, 0));
            for (double pitch = 0; pitch <= PanelPlacement.RestDownDeg; pitch += 0.5)
            {
                Run(FrameS, Head(0, pitch));
            }
            double off = Run(PanelPlacement.CentreS - 1, Head(0, PanelPlacement.RestDownDeg));
            Assert.That(off, Is.LessThan(1), "it waits to be read");
            Assert.That(_panel.IsFaced, Is.True);
            off = Run(4, Head(0, PanelPlacement.RestDownDeg));
            Assert.That(off, Is.GreaterThan(PanelPlacement.RestDownDeg - 1), "and then gives the middle free");
        }

        [Test]
        public void TheMiddleIsNeverCoveredForLong()
        {
            var random = new Random(23);
            double yaw = 0;
            double pitch = 0;
            double coveredS = 0;
            int turnAt = 0;
            for (int i = 0; i < 72 * 240; i++)
            {
                if (i == turnAt)
                {
                    turnAt = i + random.Next(72, 72 * 15);
                    yaw += random.Next(-60, 61);
                    pitch = random.Next(-70, 71);
                }
                _panel.Step(Head(yaw, pitch), FrameS);
                coveredS = _panel.IsFaced ? coveredS + FrameS : 0;
                Assert.That(coveredS, Is.LessThan(PanelPlacement.CentreS + 1));
            }
        }

        [Test]
        public void WhoLooksDownHasItAbove()
        {
            Assert.That(Run(0.5, Head(0, 60)), Is.EqualTo(PanelPlacement.RestDownDeg).Within(0.1));
            Assert.That(Angles.PitchDeg(_panel.Pose.Forward), Is.LessThan(60));
            Run(4, Head(0, 0));
            Assert.That(Angles.PitchDeg(_panel.Pose.Forward), Is.GreaterThan(0), "and below again");
        }

        [Test]
        public void APanelThatWasAwayComesToItsPlaceAtOnce()
        {
            Run(1, Head(0, 0));
            _panel.Reset();
            Assert.That(Run(FrameS, Head(170, 0)), Is.EqualTo(PanelPlacement.RestDownDeg).Within(0.01));
        }

        [Test]
        public void LookingAtAMarkMeansYesOnce()
        {
            Vector3D mark = Head(0, 0).ToWorld(new Vector3D(0, 0, 1.3));
            int done = 0;
            for (int i = 0; i < 72 * 4; i++)
            {
                done += _dwell.Step(Head(0, 1), mark, true, FrameS) ? 1 : 0;
            }
            Assert.That(done, Is.EqualTo(1));
            Assert.That(_dwell.Share, Is.EqualTo(1));
            _dwell.Step(Head(0, 0), mark, false, FrameS);
            Assert.That(_dwell.Share, Is.EqualTo(0));
        }

        [Test]
        public void AGlanceIsNotEnough()
        {
            Vector3D mark = Head(0, 0).ToWorld(new Vector3D(0, 0, 1.3));
            for (int i = 0; i < 72; i++)
            {
                bool looking = i % 2 == 0;
                Assert.That(_dwell.Step(Head(looking ? 0 : 20, 0), mark, true, FrameS), Is.False);
            }
            Assert.That(_dwell.Share, Is.LessThan(0.5));
        }
    }

    [TestFixture]
    public class RegionTests
    {
        private static readonly CameraView View = CameraView.OfAngle(Pose3D.Origin, 60, 4.0 / 3);

        [Test]
        public void TheFrameLiesAroundTheElement()
        {
            var corners = new Vector3D[4];
            Assert.That(OverlayLayout.TryRegion(View, new BoxNorm(0.2, 0.1, 0.3, 0.4), 2, corners), Is.True);
            double x;
            double y;
            View.TryPicture(corners[0], out x, out y);
            Assert.That(x, Is.EqualTo(0.2).Within(1e-9));
            Assert.That(y, Is.EqualTo(0.1).Within(1e-9));
            View.TryPicture(corners[2], out x, out y);
            Assert.That(x, Is.EqualTo(0.5).Within(1e-9));
            Assert.That(y, Is.EqualTo(0.5).Within(1e-9));
            Assert.That(corners[1].Z, Is.EqualTo(2).Within(1e-9));
        }

        [Test]
        public void ATinyOneIsDrawnLargeEnoughToBeSeen()
        {
            var corners = new Vector3D[4];
            OverlayLayout.TryRegion(View, new BoxNorm(0.5, 0.5, 0.001, 0.001), 2, corners);
            Assert.That(Angles.BetweenDeg(corners[0], corners[1]), Is.EqualTo(2).Within(0.01));
            Assert.That(Angles.BetweenDeg(corners[0], corners[3]), Is.EqualTo(2).Within(0.01));
        }

        [TestCase(1.2, 0.1)]
        [TestCase(0.1, -0.5)]
        [TestCase(double.NaN, 0.5)]
        public void WhatIsNotInThePictureHasNoFrame(double x, double y)
        {
            Assert.That(OverlayLayout.TryRegion(View, new BoxNorm(x, y, 0.2, 0.2), 2, new Vector3D[4]), Is.False);
            Assert.That(
                OverlayLayout.TryRegion(default(CameraView), new BoxNorm(0, 0, 1, 1), 2, new Vector3D[4]), Is.False);
        }
    }

    [TestFixture]
    public class AlertTextTests
    {
        private static Alert With(string elements, string message)
        {
            string json = TestAlerts.Json("a");
            json = json.Substring(0, json.Length - 1) + ",\"elements\":[" + elements + "]}";
            json = json.Replace("\"message\":\"m\"", "\"message\":\"" + message + "\"");
            Alert alert;
            string fault;
            Assert.That(Alert.TryRead(TestAlerts.Parse(json), out alert, out fault), Is.True, fault);
            return alert;
        }

        private static string Element(string type, string text, string label)
        {
            return "{\"type\":\"" + type + "\",\"text\":\"" + text + "\",\"label\":\"" + label
                + "\",\"box\":[0.1,0.1,0.2,0.2]}";
        }

        [Test]
        public void BothElementsAreNamedAndNumbered()
        {
            Alert alert = With(
                Element("text", "Open", "") + "," + Element("pictogram", "", "no_entry") + ","
                + Element("text", "third", ""),
                "m");
            Assert.That(AlertText.Names(alert), Is.EqualTo("1  \u201COpen\u201D\n2  no entry"));
            Assert.That(AlertText.Names(With(Element("panel", "", ""), "m")), Is.EqualTo("panel"));
            Assert.That(AlertText.Names(With("", "m")), Is.EqualTo(""));
        }

        [Test]
        public void TextOutOfThePictureCannotSteerHowItIsDrawn()
        {
            Assert.That(
                AlertText.Plain("  a\u202Eb\tc\nd\u200B  <b>e</b> "), Is.EqualTo("ab c d <b>e</b>"));
            string name = AlertText.Name(With(Element("text", new string('x', 300), ""), "m").Elements[0]);
            Assert.That(name.Length, Is.EqualTo(AlertText.NameLength + 2));
            Assert.That(AlertText.Plain("\U0001F600 ok"), Is.EqualTo("\U0001F600 ok"));
        }

        [TestCase("short", "short")]
        [TestCase("one two three four", "one two\nthree four")]
        [TestCase("aaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaa\naaaaaaaaaa")]
        [TestCase("one two three four five six seven eight", "one two\nthree fou\u2026")]
        public void SentencesAreBroken(string text, string wrapped)
        {
            Assert.That(AlertText.Wrap(text, 10, 2), Is.EqualTo(wrapped));
        }

        [Test]
        public void AMessageHasAtMostThreeLines()
        {
            string message = AlertText.Message(With("", new string('w', 500)));
            Assert.That(message.Split('\n').Length, Is.EqualTo(AlertText.Lines));
        }

        [Test]
        public void SeverityIsAWord()
        {
            Assert.That(AlertText.Word(Severity.Info), Is.EqualTo("Note"));
            Assert.That(AlertText.Word(Severity.Warning), Is.EqualTo("Warning"));
            Assert.That(AlertText.Word(Severity.Critical), Is.EqualTo("Critical"));
        }
    }
}

using System;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class AdjustmentTests
    {
        private const double Frame = 1.0 / 72;

        private AdjustmentLimits _limits;
        private AdjustmentTrack _track;

        [SetUp]
        public void MakeTrack()
        {
            _limits = new AdjustmentLimits();
            _track = new AdjustmentTrack(_limits);
        }

        private AdjustmentOutcome Take(Adjustment adjustment)
        {
            return _track.Take(adjustment, adjustment.Move, 1000, 0);
        }

        /// <summary>Goes on until it has settled; the number of frames.</summary>
        private int Settle(double frame = Frame)
        {
            for (int frames = 1; frames < 100000; frames++)
            {
                if (_track.Step(frame))
                {
                    return frames;
                }
            }
            Assert.Fail("it never settles");
            return 0;
        }

        [Test]
        public void ItArrivesWhereItWasAskedTo()
        {
            Assert.That(Take(TestAlerts.Adjustment(1, 0.1, -0.2, 0.05, 1.5)), Is.EqualTo(AdjustmentOutcome.Accepted));
            Settle();
            Assert.That(_track.Move.X, Is.EqualTo(0.1).Within(1e-9));
            Assert.That(_track.Move.Y, Is.EqualTo(-0.2).Within(1e-9));
            Assert.That(_track.Move.Z, Is.EqualTo(0.05).Within(1e-9));
            Assert.That(_track.Scale, Is.EqualTo(1.5).Within(1e-9));
            Assert.That(_track.IsSettled, Is.True);
        }

        [TestCase(72)]
        [TestCase(30)]
        [TestCase(10)]
        public void ItIsSmoothAndNeverFasterThanAllowed(int rate)
        {
            Take(TestAlerts.Adjustment(1, 0.4, 0, 0, 2));
            double before = 0, octavesBefore = 0;
            for (int i = 0; i < 10 * rate; i++)
            {
                _track.Step(1.0 / rate);
                double octaves = Math.Log(_track.Scale, 2);
                Assert.That(_track.Move.X - before, Is.InRange(-1e-9, (_limits.MaxSpeedMps / rate) + 1e-9));
                Assert.That(octaves - octavesBefore, Is.InRange(-1e-9, (_limits.MaxOctavesPerS / rate) + 1e-9));
                Assert.That(_track.Move.X, Is.LessThan(0.4 + 1e-9), "it does not overshoot");
                before = _track.Move.X;
                octavesBefore = octaves;
            }
            Assert.That(_track.IsSettled, Is.True);
        }

        [Test]
        public void ALongPauseOfTheAppIsNoJump()
        {
            Take(TestAlerts.Adjustment(1, 0.4, 0, 0));
            _track.Step(30);
            Assert.That(_track.Move.X, Is.LessThan(0.05));
        }

        [Test]
        public void TheHeadsetsLimitsHold()
        {
            Assert.That(Take(TestAlerts.Adjustment(1, 3, 4, 0, 100)), Is.EqualTo(AdjustmentOutcome.Clamped));
            Settle();
            Assert.That(_track.Move.Length, Is.EqualTo(0.5).Within(1e-9));
            Assert.That(_track.Move.X / _track.Move.Y, Is.EqualTo(0.75).Within(1e-9), "the direction is kept");
            Assert.That(_track.Scale, Is.EqualTo(2).Within(1e-9));
            Take(TestAlerts.Adjustment(2, 0, 0, 0, 0.01));
            Settle();
            Assert.That(_track.Scale, Is.EqualTo(0.5).Within(1e-9));
        }

        [TestCase(1e308, 1e308, -1e308)]
        [TestCase(1e200, 0, 0)]
        [TestCase(-1e160, 1e-320, 0.1)]
        [TestCase(1e18, -1e18, 1e18)]
        public void NumbersBeyondAllMeasureLeaveItWithinItsLimits(double x, double y, double z)
        {
            var desk = new AdjustmentDesk(new Said());
            AdjustmentTrack track = desk.Add("cup", _limits);
            var turned = new Rotation3D(0, Math.Sin(0.4), 0, Math.Cos(0.4));
            desk.Take(TestAlerts.Adjustment(1, x, y, z), turned, 1000, 0);
            for (int i = 0; i < 600; i++)
            {
                desk.Step(Frame);
                Assert.That(track.Move.Length, Is.InRange(0, _limits.MaxMoveM + 1e-9));
            }
            Assert.That(track.Move.Length, Is.EqualTo(_limits.MaxMoveM).Within(1e-6));
        }

        [Test]
        public void WhatIsNoNumberMovesNothing()
        {
            Assert.That(new Vector3D(double.NaN, 1, 1).AtMost(5).Length, Is.EqualTo(0));
            Assert.That(new Vector3D(1, double.PositiveInfinity, 1).AtMost(5).Length, Is.EqualTo(0));
            Assert.That(new Vector3D(3e200, 4e200, 0).AtMost(5).Y, Is.EqualTo(4).Within(1e-9));
            Assert.That(new Vector3D(1, 2, 2).AtMost(5).Length, Is.EqualTo(3));
        }

        [Test]
        public void ItGoesBack()
        {
            Take(TestAlerts.Adjustment(1, 0.3, 0, 0, 1.5));
            Settle();
            Take(TestAlerts.Adjustment(2, 9, 9, 9, 9, "revert"));
            Settle();
            Assert.That(_track.Move.Length, Is.EqualTo(0));
            Assert.That(_track.Scale, Is.EqualTo(1));
            Take(TestAlerts.Adjustment(3, 0.3, 0, 0));
            Settle();
            _track.Revert();
            Settle();
            Assert.That(_track.Move.Length, Is.EqualTo(0));
        }

        [Test]
        public void ANewTargetOnTheWayKeepsItContinuous()
        {
            Take(TestAlerts.Adjustment(1, 0.4, 0, 0));
            for (int i = 0; i < 40; i++)
            {
                _track.Step(Frame);
            }
            double before = _track.Move.X;
            Take(TestAlerts.Adjustment(2, -0.4, 0, 0));
            _track.Step(Frame);
            Assert.That(Math.Abs(_track.Move.X - before), Is.LessThan((_limits.MaxSpeedMps * Frame) + 1e-9));
            Settle();
            Assert.That(_track.Move.X, Is.EqualTo(-0.4).Within(1e-9));
        }

        [Test]
        public void OldVersionsAreIgnoredUntilTheDaemonIsAnother()
        {
            Take(TestAlerts.Adjustment(5, 0.1, 0, 0));
            Assert.That(Take(TestAlerts.Adjustment(5, 0.2, 0, 0)), Is.EqualTo(AdjustmentOutcome.OldVersion));
            Assert.That(Take(TestAlerts.Adjustment(4, 0.2, 0, 0)), Is.EqualTo(AdjustmentOutcome.OldVersion));
            Assert.That(
                Take(TestAlerts.Adjustment(1, 0.2, 0, 0, epoch: "e2")), Is.EqualTo(AdjustmentOutcome.Accepted));
        }

        [Test]
        public void WhatIsTooOldIsNotBegun()
        {
            Adjustment late = TestAlerts.Adjustment(1, 0.1, 0, 0, expiresMs: 1000);
            Assert.That(_track.Take(late, late.Move, 1000, 0), Is.EqualTo(AdjustmentOutcome.Expired));
            Assert.That(_track.Take(late, late.Move, 1000, double.NaN), Is.EqualTo(AdjustmentOutcome.Expired));
            Assert.That(_track.Take(late, late.Move, 1000, -1), Is.EqualTo(AdjustmentOutcome.Accepted));
        }

        [Test]
        public void TheUsersHandComesFirst()
        {
            Take(TestAlerts.Adjustment(1, 0.4, 0, 0));
            for (int i = 0; i < 20; i++)
            {
                _track.Step(Frame);
            }
            _track.Hold();
            double held = _track.Move.X;
            Assert.That(Take(TestAlerts.Adjustment(2, 0.1, 0, 0)), Is.EqualTo(AdjustmentOutcome.RefusedHeld));
            Assert.That(_track.Step(Frame), Is.False);
            Assert.That(_track.Move.X, Is.EqualTo(held));
            _track.Release();
            Assert.That(_track.Move.Length, Is.EqualTo(0), "where it was put is where it belongs");
            Assert.That(_track.Step(Frame), Is.False);
            Assert.That(Take(TestAlerts.Adjustment(2, 0.1, 0, 0)), Is.EqualTo(AdjustmentOutcome.Accepted));
        }

        [TestCase("\"move_m\":[1,2]")]
        [TestCase("\"scale\":0")]
        [TestCase("\"scale\":-1")]
        [TestCase("\"version\":0")]
        [TestCase("\"object_id\":\"\"")]
        [TestCase("\"action\":\"delete\"")]
        public void WhatIsNoAdjustmentIsRefused(string member)
        {
            string name = member.Substring(0, member.IndexOf(':'));
            string text = TestAlerts.AdjustmentJson(1, 0, 0, 0).Replace(name, "\"was\"");
            Adjustment adjustment;
            string fault;
            JsonValue json = TestAlerts.Parse(text.Insert(1, member + ","));
            Assert.That(Adjustment.TryRead(json, out adjustment, out fault), Is.False);
        }

        private sealed class Said : IAcknowledger
        {
            public string All = "";

            public bool Acknowledge(string id, long revision, AckAction action, string reason)
            {
                All += id + " " + action + (reason.Length > 0 ? " " + reason : "") + ";";
                return true;
            }
        }

        [Test]
        public void TheWayOfACorrectionIsAcknowledged()
        {
            var said = new Said();
            var desk = new AdjustmentDesk(said);
            AdjustmentTrack track = desk.Add("cup", _limits);
            desk.Take(TestAlerts.Adjustment(1, 0.1, 0, 0), 1000, 0);
            Assert.That(said.All, Is.EqualTo("j1 Received;"));
            for (int i = 0; i < 300; i++)
            {
                desk.Step(Frame);
            }
            desk.Take(TestAlerts.Adjustment(2, 7, 0, 0), 1000, 0);
            for (int i = 0; i < 600; i++)
            {
                desk.Step(Frame);
            }
            Assert.That(said.All, Is.EqualTo("j1 Received;j1 Applied;j2 Received;j2 Clamped;"));
            said.All = "";
            desk.Take(TestAlerts.Adjustment(2, 7, 0, 0), 1000, 0);
            desk.Take(TestAlerts.Adjustment(3, 0, 0, 0, expiresMs: 900), 1000, 0);
            desk.Take(TestAlerts.Adjustment(4, 0, 0, 0), 1000, 0);
            track.Hold();
            desk.Step(Frame);
            desk.Take(TestAlerts.Adjustment(5, 0, 0, 0), 1000, 0);
            desk.Remove("cup");
            desk.Take(TestAlerts.Adjustment(6, 0, 0, 0), 1000, 0);
            Assert.That(said.All, Is.EqualTo(
                "j3 Expired expired_on_arrival;j4 Received;j4 Refused held_by_user;j5 Refused held_by_user;"
                + "j6 Refused unknown_object;"));
        }

        [Test]
        public void AnObjectIsAddedOnce()
        {
            var desk = new AdjustmentDesk(new Said());
            desk.Add("cup", _limits);
            Assert.Throws<ArgumentException>(() => desk.Add("cup", _limits));
        }
    }
}

using System;
using System.Collections.Generic;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class GeometryTests : IAcknowledger
    {
        private const double Tolerance = 1e-9;
        private readonly List<string> _said = new List<string>();

        bool IAcknowledger.Acknowledge(string id, long revision, AckAction action, string reason)
        {
            _said.Add(id + " " + action + " " + reason);
            return true;
        }

        private static void IsAt(Vector3D found, double x, double y, double z)
        {
            Assert.That(found.X, Is.EqualTo(x).Within(1e-6));
            Assert.That(found.Y, Is.EqualTo(y).Within(1e-6));
            Assert.That(found.Z, Is.EqualTo(z).Within(1e-6));
        }

        [TestCase(0, 0, 0, 0, 1)]
        [TestCase(90, 0, 1, 0, 0)]
        [TestCase(-90, 0, -1, 0, 0)]
        [TestCase(0, 90, 0, -1, 0)]
        [TestCase(0, -30, 0, 0.5, 0.8660254)]
        [TestCase(180, 30, 0, -0.5, -0.8660254)]
        public void AYawGoesRightAndAPitchDown(double yaw, double pitch, double x, double y, double z)
        {
            Vector3D forward = Rotation3D.OfYawPitch(yaw, pitch).Rotate(new Vector3D(0, 0, 1));
            IsAt(forward, x, y, z);
            if (Math.Abs(pitch) < 89)
            {
                Assert.That(Math.Abs(Angles.YawDeg(forward)), Is.EqualTo(Math.Abs(yaw)).Within(1e-6));
            }
            Assert.That(Angles.PitchDeg(forward), Is.EqualTo(pitch).Within(1e-6));
        }

        [Test]
        public void ThereAndBackAgain()
        {
            var random = new Random(3);
            for (int i = 0; i < 50; i++)
            {
                Rotation3D rotation = Rotation3D.OfYawPitch(random.NextDouble() * 360, random.NextDouble() * 80);
                var pose = new Pose3D(new Vector3D(random.NextDouble(), 2, -1), rotation);
                var point = new Vector3D(random.NextDouble(), random.NextDouble(), random.NextDouble());
                IsAt(pose.ToOwn(pose.ToWorld(point)), point.X, point.Y, point.Z);
                Assert.That(rotation.Rotate(point).Length, Is.EqualTo(point.Length).Within(Tolerance));
            }
        }

        [TestCase(190, ExpectedResult = -170)]
        [TestCase(-190, ExpectedResult = 170)]
        [TestCase(720, ExpectedResult = 0)]
        [TestCase(90, ExpectedResult = 90)]
        public double AnglesAreWrapped(double deg)
        {
            return Angles.Wrap(deg);
        }

        [Test]
        public void AnglesAreMeasured()
        {
            Assert.That(
                Angles.BetweenDeg(new Vector3D(0, 0, 2), new Vector3D(3, 0, 0)), Is.EqualTo(90).Within(Tolerance));
            Assert.That(
                Angles.BetweenDeg(new Vector3D(0, 0, 1), new Vector3D(0, 0, 5)), Is.EqualTo(0).Within(Tolerance));
            Assert.That(Angles.SpanM(90, 1), Is.EqualTo(2).Within(Tolerance));
        }

        [Test]
        public void ThePictureHasItsOriginAtTheTopLeft()
        {
            CameraView view = CameraView.OfAngle(Pose3D.Origin, 90, 2);
            double x;
            double y;
            Assert.That(view.TryPicture(new Vector3D(0, 0, 3), out x, out y), Is.True);
            Assert.That(x, Is.EqualTo(0.5).Within(Tolerance));
            Assert.That(y, Is.EqualTo(0.5).Within(Tolerance));
            view.TryPicture(new Vector3D(-2, 1, 1), out x, out y);
            Assert.That(x, Is.EqualTo(0).Within(Tolerance));
            Assert.That(y, Is.EqualTo(0).Within(Tolerance));
            Assert.That(view.TryPicture(new Vector3D(0, 0, -1), out x, out y), Is.False);
            IsAt(view.Point(0, 0, 1), -2, 1, 1);
            IsAt(view.Point(1, 1, 2), 4, -2, 2);
        }

        [Test]
        public void ALensOffItsCentreIsTakenAsItIs()
        {
            var pose = new Pose3D(new Vector3D(1, 1, 0), Rotation3D.OfYawPitch(90, 0));
            CameraView view = CameraView.OfCorners(pose, new Vector3D(-1, -2, 2), new Vector3D(0.9, 0.6, 1));
            Assert.That(view.Left, Is.EqualTo(-0.5).Within(Tolerance));
            Assert.That(view.Bottom, Is.EqualTo(-1).Within(Tolerance));
            double x;
            double y;
            view.TryPicture(pose.ToWorld(new Vector3D(0, 0, 1)), out x, out y);
            Assert.That(x, Is.EqualTo(0.5 / 1.4).Within(1e-6));
            Assert.That(y, Is.EqualTo(0.6 / 1.6).Within(1e-6));
        }

        [Test]
        public void ABoxOfTheWorldCoversAPartOfThePicture()
        {
            CameraView view = CameraView.OfAngle(Pose3D.Origin, 90, 1);
            BoxNorm box;
            Assert.That(view.TryBox(new Vector3D(0, 0, 2.5), new Vector3D(0.5, 1, 0.5), out box), Is.True);
            Assert.That(box.X, Is.EqualTo(0.375).Within(Tolerance));
            Assert.That(box.Width, Is.EqualTo(0.25).Within(Tolerance));
            Assert.That(box.Height, Is.EqualTo(0.5).Within(Tolerance));
            Assert.That(view.TryBox(new Vector3D(0, 0, -3), new Vector3D(1, 1, 1), out box), Is.False);
            Assert.That(view.TryBox(new Vector3D(9, 0, 1), new Vector3D(1, 1, 0), out box), Is.False);
            Assert.That(view.TryBox(new Vector3D(2, 0, 2), new Vector3D(1, 1, 0), out box), Is.True);
            Assert.That(box.X + box.Width, Is.EqualTo(1).Within(Tolerance), "cut at the edge");
            Assert.That(view.TryBox(new Vector3D(0, 0, 0.5), new Vector3D(0.2, 0.2, 1), out box), Is.True, "around us");
            Assert.That(default(CameraView).TryBox(new Vector3D(0, 0, 1), new Vector3D(1, 1, 0), out box), Is.False);
        }

        [Test]
        public void PosesAreChained()
        {
            var rig = new Pose3D(new Vector3D(10, 0, 5), Rotation3D.OfYawPitch(90, 0));
            Pose3D world = rig.ToWorld(new Pose3D(new Vector3D(0, 1.6, 1), Rotation3D.OfYawPitch(20, 10)));
            IsAt(world.Position, 11, 1.6, 5);
            Assert.That(Angles.YawDeg(world.Forward), Is.EqualTo(110).Within(1e-6));
            Assert.That(Angles.PitchDeg(world.Forward), Is.EqualTo(10).Within(1e-6));
        }

        [TestCase(0, 0, 0)]
        [TestCase(10, 90, 5)]
        [TestCase(0, 90, 0)]
        [TestCase(0.3, 0, 0)]
        public void ACameraSitsOnTheHeadWhicheverSpaceItsPoseIsIn(double x, double yaw, double z)
        {
            var rig = new Pose3D(new Vector3D(x, 0, z), Rotation3D.OfYawPitch(yaw, 0));
            var own = new Pose3D(new Vector3D(0.2, 1.6, 0.1), Rotation3D.OfYawPitch(15, 5));
            var lens = new Pose3D(new Vector3D(-0.03, -0.02, 0.06), Rotation3D.OfYawPitch(0, 11));
            Pose3D head = rig.ToWorld(own);
            Pose3D camera = own.ToWorld(lens);
            Pose3D expected = rig.ToWorld(camera);
            IsAt(RigSpace.OnHead(camera, rig, head).Position, expected.Position.X, expected.Position.Y,
                expected.Position.Z);
            Pose3D given = RigSpace.OnHead(expected, rig, head);
            IsAt(given.Position, expected.Position.X, expected.Position.Y, expected.Position.Z);
            IsAt(given.Forward, expected.Forward.X, expected.Forward.Y, expected.Forward.Z);
        }

        [Test]
        public void TheViewOfThePictureThatWasThereIsFound()
        {
            var history = new ViewHistory();
            CameraView view;
            Assert.That(history.IsEmpty, Is.True);
            Assert.That(history.TryAt(0, out view), Is.False);
            for (int i = 0; i < 2 * ViewHistory.Kept; i++)
            {
                var pose = new Pose3D(new Vector3D(i, 0, 0), Rotation3D.Identity);
                history.Add(i * 60, CameraView.OfAngle(pose, 60, 1.3));
            }
            foreach (int takenUpMs in new[] { -5, 0, 29, 54 })
            {
                Assert.That(history.TryAt(60 * 900 + takenUpMs, out view), Is.True);
                Assert.That(view.Pose.Position.X, Is.EqualTo(900), takenUpMs + " ms later");
            }
            Assert.That(history.TryAt(60 * 100, out view), Is.False, "too old");
            Assert.That(history.TryAt(60 * 1023 + ViewHistory.OldestMs, out view), Is.True);
            Assert.That(history.TryAt(60 * 1023 + ViewHistory.OldestMs + 1, out view), Is.False);
            history.Clear();
            Assert.That(history.IsEmpty, Is.True);
        }

        [Test]
        public void ACorrectionIsMeantAsTheCameraStood()
        {
            _said.Clear();
            var desk = new AdjustmentDesk(this);
            AdjustmentTrack track = desk.Add("cup", new AdjustmentLimits());
            Assert.That(desk.Has("cup"), Is.True);
            desk.Take(TestAlerts.Adjustment(1, 0.2, 0.1, 0), Rotation3D.OfYawPitch(90, 0), 1000, 0);
            for (int i = 0; i < 400; i++)
            {
                desk.Step(0.014);
            }
            IsAt(track.Move, 0, 0.1, -0.2);
            desk.Refuse(TestAlerts.Adjustment(2, 0.2, 0.1, 0), "view_unknown");
            Assert.That(_said, Is.EqualTo(new[] { "j1 Received ", "j1 Applied ", "j2 Refused view_unknown" }));
        }
    }
}

using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class MonitorBoardTests
    {
        private MonitorBoard _board;
        private double _nowMs;

        [SetUp]
        public void MakeBoard()
        {
            _board = new MonitorBoard();
            _nowMs = 5000;
        }

        private static Health HealthOf(string state, string reasons)
        {
            string json = "{\"epoch\":\"e\",\"published_ms\":1,\"device_id\":\"quest\",\"session_id\":\"s\",\"state\":\""
                + state + "\",\"reasons\":[" + reasons + "],\"view\":\"composited\",\"capture_clock\":\"synced\","
                + "\"received_fps\":15,\"analysed_fps\":4,\"frames_received\":1,\"frames_analysed\":1,"
                + "\"frames_dropped\":0,\"width_px\":1,\"height_px\":1,\"loss_ratio\":0}";
            Health health;
            string fault;
            Assert.That(Health.TryRead(TestAlerts.Parse(json), out health, out fault), Is.True, fault);
            return health;
        }

        private static DaemonStatus Daemon(string state)
        {
            string json = "{\"epoch\":\"e\",\"published_ms\":1,\"version\":\"1\",\"state\":\"" + state + "\"}";
            DaemonStatus status;
            string fault;
            Assert.That(DaemonStatus.TryRead(TestAlerts.Parse(json), out status, out fault), Is.True, fault);
            return status;
        }

        private MonitorState After(double ms)
        {
            for (double left = ms; left > 0; left -= 50)
            {
                _nowMs += 50;
                _board.Look(_nowMs);
            }
            return _board.State;
        }

        private MonitorState Healthy(string state, string reasons = "")
        {
            for (int i = 0; i < 4; i++)
            {
                _board.OnHealth(HealthOf(state, reasons), _nowMs);
                After(1000);
            }
            return _board.State;
        }

        [Test]
        public void AllIsWell()
        {
            Assert.That(After(1000), Is.EqualTo(MonitorState.Starting));
            _board.OnLink(LinkState.Online, "");
            Assert.That(Healthy("ok"), Is.EqualTo(MonitorState.Watching));
            Assert.That(_board.Text, Is.EqualTo(""));
            Assert.That(_board.Health, Is.Not.Null);
        }

        [Test]
        public void AShortLossIsNotTold()
        {
            _board.OnLink(LinkState.Online, "");
            Healthy("ok");
            _board.OnLink(LinkState.Offline, "broken");
            Assert.That(After(MonitorBoard.HoldMs - 200), Is.EqualTo(MonitorState.Watching));
            Assert.That(After(400), Is.EqualTo(MonitorState.Offline));
            Assert.That(_board.Text, Is.EqualTo("Monitor offline"));
            Assert.That(_board.LinkReason, Is.EqualTo("broken"));
        }

        [TestCase("offline")]
        [TestCase("stopped")]
        public void ADaemonThatIsGoneIsOffline(string state)
        {
            _board.OnLink(LinkState.Online, "");
            Healthy("ok");
            _board.OnDaemon(Daemon(state));
            Assert.That(Healthy("ok"), Is.EqualTo(MonitorState.Offline));
            _board.OnDaemon(Daemon("online"));
            Assert.That(Healthy("ok"), Is.EqualTo(MonitorState.Watching));
        }

        [Test]
        public void APictureWithoutVirtualContentIsSaid()
        {
            _board.OnLink(LinkState.Online, "");
            string reason = "\"" + MonitorBoard.PassthroughReason + "\"";
            Assert.That(Healthy("degraded", "\"other\"," + reason), Is.EqualTo(MonitorState.CannotSeeVirtual));
            Assert.That(_board.Text, Is.EqualTo("Monitor cannot see virtual content"));
            Assert.That(Healthy("degraded", "\"capture_clock_unsynced\""), Is.EqualTo(MonitorState.Degraded));
            Assert.That(_board.Text, Is.EqualTo(""));
        }

        [TestCase("stalled")]
        [TestCase("lost")]
        [TestCase("closed")]
        public void WithoutAPictureItSaysSo(string state)
        {
            _board.OnLink(LinkState.Online, "");
            Assert.That(Healthy(state), Is.EqualTo(MonitorState.NoPicture));
            Assert.That(_board.Text, Is.EqualTo("Monitor gets no picture"));
        }

        [Test]
        public void HealthThatIsNotRenewedIsOld()
        {
            _board.OnLink(LinkState.Online, "");
            Healthy("ok");
            Assert.That(After(MonitorBoard.HealthAgeMs), Is.EqualTo(MonitorState.Watching));
            Assert.That(After(MonitorBoard.HoldMs), Is.EqualTo(MonitorState.NoPicture));
        }

        [Test]
        public void TheCameraAndTheStreamAreNamed()
        {
            _board.OnLink(LinkState.Online, "");
            Healthy("ok");
            _board.StreamFault = "refused";
            Assert.That(After(3000), Is.EqualTo(MonitorState.NoPicture));
            _board.CameraFault = "the permission was denied";
            Assert.That(After(3000), Is.EqualTo(MonitorState.NoCamera));
            Assert.That(_board.Text, Is.EqualTo("Monitor has no camera:\nthe permission was denied"));
        }

        [Test]
        public void SettingsThatCannotWorkAreSaidAtOnce()
        {
            _board.SettingsFault = "no host";
            Assert.That(_board.Look(1), Is.True);
            Assert.That(_board.State, Is.EqualTo(MonitorState.NotSetUp));
            Assert.That(_board.Text, Is.EqualTo("Monitor is not set up:\nno host"));
            Assert.That(_board.Look(2), Is.False);
            _board.SettingsFault = null;
            Assert.That(_board.Look(3), Is.True);
        }

        [Test]
        public void ARefusedPasswordIsNotWaitedFor()
        {
            _board.OnLink(LinkState.Refused, "password");
            Assert.That(After(MonitorBoard.HoldMs + 200), Is.EqualTo(MonitorState.Offline));
        }

        [Test]
        public void AfterAPauseItBeginsAnew()
        {
            After(10000);
            Assert.That(_board.State, Is.EqualTo(MonitorState.Offline));
            _board.Resumed();
            Assert.That(_board.State, Is.EqualTo(MonitorState.Starting));
            Assert.That(_board.Text, Is.EqualTo(""));
            Assert.That(After(1000), Is.EqualTo(MonitorState.Starting));
        }
    }
}

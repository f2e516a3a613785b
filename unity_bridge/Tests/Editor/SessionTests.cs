using System;
using System.Collections.Generic;
using System.Text;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    internal sealed class FakeLink : IMqttLink
    {
        public readonly List<string> Subscribed = new List<string>();
        public readonly List<string> Published = new List<string>();
        public readonly Queue<KeyValuePair<string, byte[]>> Incoming = new Queue<KeyValuePair<string, byte[]>>();
        public bool Accepts = true;
        public bool Retained;

        public LinkState State
        {
            get { return LinkState.Online; }
        }

        public void Subscribe(string topic, int qos)
        {
            Subscribed.Add(topic);
        }

        public void Start()
        {
        }

        public bool Publish(string topic, byte[] payload, int qos, bool retain, int expiryS)
        {
            Assert.That(qos, Is.EqualTo(1));
            Published.Add(Encoding.UTF8.GetString(payload));
            return Accepts;
        }

        public void Pump(IMqttListener listener)
        {
            while (Incoming.Count > 0)
            {
                KeyValuePair<string, byte[]> message = Incoming.Dequeue();
                listener.OnMqttMessage(message.Key, message.Value, Retained, 1000);
            }
        }

        public void Dispose()
        {
        }
    }

    internal sealed class FakeClock : IClock
    {
        public double NowMs { get; set; }
    }

    [TestFixture]
    public class SessionTests : IHeadsetListener
    {
        private readonly List<AlertChange> _changes = new List<AlertChange>();
        private FakeLink _link;
        private FakeClock _clock;
        private HeadsetSession _session;
        private string _dismissAtOnce;
        private string _failAt;
        private int _told;

        [SetUp]
        public void MakeSession()
        {
            _changes.Clear();
            _told = 0;
            _dismissAtOnce = null;
            _failAt = null;
            _link = new FakeLink();
            _clock = new FakeClock { NowMs = 1000 };
            _session = new HeadsetSession(new Topics("quest"), _link, _clock, this, 8);
        }

        void IHeadsetListener.OnAlert(AlertChange change)
        {
            _changes.Add(change);
            if (change.Alert.Id == _dismissAtOnce)
            {
                _session.Dismiss(_dismissAtOnce);
            }
            if (change.Alert.Id == _failAt)
            {
                throw new InvalidOperationException("the app's own fault");
            }
        }

        void IHeadsetListener.OnAdjustment(Adjustment adjustment)
        {
            _told++;
        }

        void IHeadsetListener.OnHealth(Health health)
        {
            _told++;
        }

        void IHeadsetListener.OnDaemon(DaemonStatus status)
        {
            _told++;
        }

        void IHeadsetListener.OnLink(LinkState state, string reason)
        {
            _told++;
        }

        private void Arrives(string topic, string text)
        {
            _link.Incoming.Enqueue(new KeyValuePair<string, byte[]>(topic, Encoding.UTF8.GetBytes(text)));
            _session.Tick();
        }

        private void AlertArrives(string text)
        {
            Arrives("arwarden/v1/quest/alerts", text);
        }

        private static string Status(string epoch)
        {
            return "{\"epoch\":\"" + epoch + "\",\"published_ms\":1,\"state\":\"online\",\"version\":\"1\"}";
        }

        private List<string> Acks()
        {
            var acks = new List<string>();
            foreach (string text in _link.Published)
            {
                JsonValue json = TestAlerts.Parse(text);
                Ack ack;
                string fault;
                Assert.That(Ack.TryRead(json, out ack, out fault), Is.True, fault);
                acks.Add(ack.AlertId + ack.Revision + " " + json.Member("action").Text);
            }
            return acks;
        }

        [Test]
        public void AnAlertIsShownAndAcknowledgedOnce()
        {
            AlertArrives(TestAlerts.Json("a"));
            AlertArrives(TestAlerts.Json("a"));
            Assert.That(_changes.Count, Is.EqualTo(1));
            Assert.That(Acks(), Is.EqualTo(new[] { "a1 received", "a1 shown" }));
            Assert.That(_session.Counters.AcksSent, Is.EqualTo(2));
        }

        [Test]
        public void ItsWholeLifeIsAcknowledged()
        {
            AlertArrives(TestAlerts.Json("a"));
            AlertArrives(TestAlerts.Json("a", 2, "confirmed"));
            AlertArrives(TestAlerts.Json("a", 3, "retracted"));
            AlertArrives(TestAlerts.Json("b", expiresMs: 1500));
            _clock.NowMs = 2000;
            _session.Tick();
            AlertArrives(TestAlerts.Json("c", expiresMs: 1500));
            AlertArrives(TestAlerts.Json("d"));
            Assert.That(_session.Dismiss("d"), Is.True);
            Assert.That(_session.Dismiss("d"), Is.False);
            Assert.That(Acks(), Is.EqualTo(new[]
            {
                "a1 received", "a1 shown", "a2 received", "a2 shown", "a3 received",
                "b1 received", "b1 shown", "b1 expired", "c1 expired",
                "d1 received", "d1 shown", "d1 dismissed",
            }));
        }

        [Test]
        public void AListenerMayDismissAtOnce()
        {
            _dismissAtOnce = "a";
            AlertArrives(TestAlerts.Json("a"));
            Assert.That(_changes.Count, Is.EqualTo(2));
            Assert.That(_session.Alerts.Count, Is.EqualTo(0));
            Assert.That(Acks(), Is.EqualTo(new[] { "a1 received", "a1 shown", "a1 dismissed" }));
        }

        [Test]
        public void AFaultOfTheListenersSilencesNothingElse()
        {
            AlertArrives(TestAlerts.Json("a", expiresMs: 1500));
            AlertArrives(TestAlerts.Json("b", expiresMs: 1500));
            _changes.Clear();
            _failAt = "b";
            _clock.NowMs = 2000;
            Assert.Throws<InvalidOperationException>(() => _session.Tick());
            _session.Tick();
            AlertArrives(TestAlerts.Json("c", publishedMs: 2000));
            Assert.That(
                _changes.ConvertAll(change => change.Alert.Id + " " + change.Kind),
                Is.EquivalentTo(new[] { "a Expired", "b Expired", "c Shown" }), "each is told once");
            Assert.That(Acks(), Has.Member("a1 expired").And.Member("b1 expired").And.Member("c1 shown"));
        }

        [Test]
        public void WhatIsNotForUsIsNotShown()
        {
            AlertArrives(TestAlerts.Json("a", device: "other"));
            Assert.That(_session.Counters.OfOtherDevice, Is.EqualTo(1));
            _link.Retained = true;
            AlertArrives(TestAlerts.Json("b"));
            Assert.That(_session.Counters.RetainedAlerts, Is.EqualTo(1));
            Assert.That(_changes, Is.Empty);
        }

        [Test]
        public void AnotherRunOfTheDaemonEndsItsAlerts()
        {
            Arrives("arwarden/v1/daemon/status", Status("e1"));
            AlertArrives(TestAlerts.Json("a"));
            Arrives("arwarden/v1/daemon/status", Status("e2"));
            Assert.That(_session.Alerts.Count, Is.EqualTo(0));
            Assert.That(_changes[1].Reason, Is.EqualTo("daemon_restarted"));
            AlertArrives(TestAlerts.Json("a", epoch: "e2"));
            Assert.That(_session.Alerts.Count, Is.EqualTo(1));
            Assert.That(_link.Published.Count, Is.EqualTo(4), "ids of another run are acknowledged anew");
        }

        [Test]
        public void OtherMessagesAreHandedOn()
        {
            Arrives("arwarden/v1/quest/adjustments", TestAlerts.AdjustmentJson(1, 0, 0, 0));
            Arrives("arwarden/v1/daemon/status", Status("e1"));
            Arrives("arwarden/v1/quest/health", "");
            Assert.That(_told, Is.EqualTo(2));
            Assert.That(_session.Acknowledge("j1", 1, AckAction.Refused, "held_by_user"), Is.True);
            Assert.That(_session.Acknowledge("j1", 1, AckAction.Refused, "held_by_user"), Is.False);
        }

        [Test]
        public void TheLinkMayRefuse()
        {
            _link.Accepts = false;
            AlertArrives(TestAlerts.Json("a"));
            Assert.That(_session.Counters.AcksDropped, Is.EqualTo(2));
            Assert.That(_session.Acknowledge("", 1, AckAction.Shown, ""), Is.False);
            Assert.That(_session.Acknowledge("a", 0, AckAction.Shown, ""), Is.False);
        }

        [Test]
        public void TenThousandMalformedMessagesAreSurvived()
        {
            var random = new Random(11);
            byte[] good = Encoding.UTF8.GetBytes(TestAlerts.Json("a"));
            int survived = 0;
            for (int i = 0; i < 10000; i++)
            {
                var bad = (byte[])good.Clone();
                Array.Resize(ref bad, i % 3 == 0 ? random.Next(1, good.Length) : good.Length);
                for (int j = 0; j < 1 + (i % 5); j++)
                {
                    bad[random.Next(bad.Length)] = (byte)random.Next(256);
                }
                _link.Incoming.Enqueue(new KeyValuePair<string, byte[]>(_link.Subscribed[i % 4], bad));
                _session.Tick();
                survived++;
            }
            Assert.That(survived, Is.EqualTo(10000));
            Assert.That(_session.Counters.Malformed, Is.GreaterThan(7000));
            Assert.That(_session.Alerts.Count, Is.LessThanOrEqualTo(8));
            _changes.Clear();
            AlertArrives(TestAlerts.Json("fresh", epoch: "e9"));
            Assert.That(_changes[_changes.Count - 1].Kind, Is.EqualTo(AlertChangeKind.Shown));
        }

        [Test]
        public void AQuietFrameAllocatesNothing()
        {
            AlertArrives(TestAlerts.Json("a", expiresMs: 1e9));
            for (int i = 0; i < 1000; i++)
            {
                _session.Tick();
            }
            int before = GC.CollectionCount(0);
            long bytes = GC.GetTotalMemory(true);
            before = GC.CollectionCount(0);
            for (int i = 0; i < 200000; i++)
            {
                _session.Tick();
            }
            Assert.That(GC.CollectionCount(0), Is.EqualTo(before));
            Assert.That(GC.GetTotalMemory(false) - bytes, Is.LessThan(65536), "not a byte a frame");
        }
    }
}

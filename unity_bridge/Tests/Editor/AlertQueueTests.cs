using System.Collections.Generic;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class AlertQueueTests
    {
        private AlertQueue _queue;
        private List<AlertChange> _changes;

        [SetUp]
        public void MakeQueue()
        {
            _queue = new AlertQueue(3);
            _changes = new List<AlertChange>();
        }

        private AlertChange Take(Alert alert, double nowMs = 1000, double offsetMs = 0)
        {
            _changes.Clear();
            _queue.Take(alert, nowMs, offsetMs, _changes);
            return _changes[_changes.Count - 1];
        }

        private string Order()
        {
            string order = "";
            for (int i = 0; i < _queue.Count; i++)
            {
                order += _queue[i].Alert.Id;
            }
            return order;
        }

        [Test]
        public void TheMostSevereIsFirstThenTheNewest()
        {
            Take(TestAlerts.Alert("a"), 1000);
            Take(TestAlerts.Alert("b", severity: "critical"), 1001);
            Take(TestAlerts.Alert("c"), 1002);
            Assert.That(Order(), Is.EqualTo("bca"));
        }

        [Test]
        public void ItSaysHowOldThePictureWas()
        {
            AlertChange change = Take(TestAlerts.Alert("a", publishedMs: 5000, expiresMs: 9000), 1100, 4000);
            Assert.That(change.Kind, Is.EqualTo(AlertChangeKind.Shown));
            Assert.That(change.CaptureToShownMs, Is.EqualTo(200));
            Assert.That(_queue[0].ExpiresMs, Is.EqualTo(5000));
        }

        [Test]
        public void TheSameIdReplacesAndKeepsItsPlace()
        {
            Take(TestAlerts.Alert("a"), 1000);
            Take(TestAlerts.Alert("b"), 1001);
            AlertChange change = Take(TestAlerts.Alert("a", 2, "confirmed", confirmation: "confirmed"), 1002);
            Assert.That(change.Kind, Is.EqualTo(AlertChangeKind.Updated));
            Assert.That(Order(), Is.EqualTo("ba"));
            Assert.That(_queue[1].Alert.Revision, Is.EqualTo(2));
            Assert.That(_queue[1].Alert.Confirmation, Is.EqualTo(Confirmation.Confirmed));
        }

        [Test]
        public void ARevisionThatCameBeforeIsIgnored()
        {
            Take(TestAlerts.Alert("a", 2));
            _changes.Clear();
            _queue.Take(TestAlerts.Alert("a", 2), 1000, 0, _changes);
            _queue.Take(TestAlerts.Alert("a", 1), 1000, 0, _changes);
            Assert.That(_changes, Is.Empty);
            Assert.That(_queue.OldRevisions, Is.EqualTo(2));
        }

        [TestCase("retracted")]
        [TestCase("cleared")]
        public void TheLastWordTakesItDown(string state)
        {
            Take(TestAlerts.Alert("a"));
            AlertChange change = Take(TestAlerts.Alert("a", 2, state));
            Assert.That(change.Kind, Is.EqualTo(AlertChangeKind.Ended));
            Assert.That(change.Reason, Is.EqualTo(state));
            Assert.That(_queue.Count, Is.EqualTo(0));
            _queue.Take(TestAlerts.Alert("a", 1), 1000, 0, _changes);
            Assert.That(_queue.Count, Is.EqualTo(0), "a late message does not bring it back");
        }

        [Test]
        public void ItExpiresByTheDaemonsClock()
        {
            Take(TestAlerts.Alert("a", publishedMs: 1000, expiresMs: 4000), 501000, -500000);
            _changes.Clear();
            _queue.Expire(503999, _changes);
            Assert.That(_changes, Is.Empty);
            _queue.Expire(504000, _changes);
            Assert.That(_changes[0].Kind, Is.EqualTo(AlertChangeKind.Expired));
            Assert.That(_queue.Count, Is.EqualTo(0));
        }

        [Test]
        public void WithoutTheDaemonsClockItLastsFromItsArrival()
        {
            AlertChange change = Take(TestAlerts.Alert("a"), 77, double.NaN);
            Assert.That(change.CaptureToShownMs, Is.NaN);
            Assert.That(_queue[0].ExpiresMs, Is.EqualTo(3077));
        }

        [Test]
        public void WhatComesTooLateIsNotShown()
        {
            AlertChange change = Take(TestAlerts.Alert("a"), 4000);
            Assert.That(change.Kind, Is.EqualTo(AlertChangeKind.Expired));
            Assert.That(change.Reason, Is.EqualTo("expired_on_arrival"));
            Assert.That(_queue.Count, Is.EqualTo(0));
            Assert.That(_queue.ExpiredOnArrival, Is.EqualTo(1));
        }

        [Test]
        public void NothingStaysForEver()
        {
            Take(TestAlerts.Alert("a", expiresMs: 1e300));
            _queue.Expire(1000 + AlertQueue.LongestMs, _changes);
            Assert.That(_queue.Count, Is.EqualTo(0));
        }

        [Test]
        public void TheLeastSevereGivesWay()
        {
            Take(TestAlerts.Alert("a", severity: "info"));
            Take(TestAlerts.Alert("b"));
            Take(TestAlerts.Alert("c"));
            AlertChange last = Take(TestAlerts.Alert("d", severity: "critical"));
            Assert.That(last.Kind, Is.EqualTo(AlertChangeKind.Refused));
            Assert.That(last.Alert.Id, Is.EqualTo("a"));
            Assert.That(_changes[0].Kind, Is.EqualTo(AlertChangeKind.Shown));
            Take(TestAlerts.Alert("e", severity: "info"));
            Assert.That(_changes.Count, Is.EqualTo(1), "it was never shown");
            Assert.That(_changes[0].Kind, Is.EqualTo(AlertChangeKind.Refused));
            Assert.That(_queue.Count, Is.EqualTo(3));
        }

        [Test]
        public void WhatIsDismissedStaysAwayUntilItIsMoreSevere()
        {
            Take(TestAlerts.Alert("a"));
            _changes.Clear();
            Assert.That(_queue.Dismiss("a", 1100, _changes), Is.True);
            Assert.That(_changes[0].Kind, Is.EqualTo(AlertChangeKind.Dismissed));
            Assert.That(_queue.Dismiss("a", 1100, _changes), Is.False);
            Assert.That(Take(TestAlerts.Alert("a", 2)).Kind, Is.EqualTo(AlertChangeKind.Suppressed));
            Assert.That(_queue.Count, Is.EqualTo(0));
            AlertChange worse = Take(TestAlerts.Alert("a", 3, severity: "critical"));
            Assert.That(worse.Kind, Is.EqualTo(AlertChangeKind.Shown));
        }

        [Test]
        public void AnotherRunOfTheDaemonEndsEverything()
        {
            Take(TestAlerts.Alert("a", 5));
            Take(TestAlerts.Alert("a", 1, epoch: "e2"));
            Assert.That(_changes[0].Kind, Is.EqualTo(AlertChangeKind.Ended));
            Assert.That(_changes[0].Reason, Is.EqualTo("daemon_restarted"));
            Assert.That(_changes[1].Kind, Is.EqualTo(AlertChangeKind.Shown), "revisions start anew");
        }

        [Test]
        public void ItsMemoryIsBounded()
        {
            for (int i = 0; i < 3000; i++)
            {
                Take(TestAlerts.Alert("a" + i, severity: i % 2 == 0 ? "info" : "warning"));
            }
            Assert.That(_queue.Count, Is.EqualTo(3));
            _changes.Clear();
            _queue.Take(TestAlerts.Alert("a2999"), 1000, 0, _changes);
            Assert.That(_changes, Is.Empty, "the newest ids are remembered");
        }
    }
}

using System;
using System.Collections.Generic;
using Arwarden.Core;
using Arwarden.Unity;
using NUnit.Framework;
using UnityEngine;

namespace Arwarden.EngineTests
{
    [TestFixture]
    internal sealed class ClientTests : Stage
    {
        [Test]
        public void SettingsComeFromTheAssetOrFromTheApp()
        {
            BridgeSettings typed = ScriptableObject.CreateInstance<ArwardenSettings>().ToSettings();
            Assert.That(typed.DeviceId, Is.EqualTo("quest-1"));
            Assert.That(typed.TopicPrefix, Is.EqualTo(Topics.DefaultPrefix));
            Assert.That(new[] { typed.MaxFps, typed.MaxKbps, typed.MaxWidthPx }, Is.EqualTo(new[] { 15, 4000, 1280 }));
            Values.BrokerHost = " 192.0.2.1 ";
            Values.WhipToken = "t\n";
            ArwardenSettings given = ArwardenSettings.From(Values);
            Values.MaxFps = 5;
            Assert.That(given.ToSettings().BrokerHost, Is.EqualTo("192.0.2.1"));
            Assert.That(given.ToSettings().WhipToken, Is.EqualTo("t"));
            Assert.That(given.ToSettings().MaxFps, Is.EqualTo(15), "what was given, not what became of it");
        }

        [Test]
        public void WithoutSettingsItSaysSoAndGoesOn()
        {
            ArwardenClient client = AddClient(null);
            Frames(0.1);
            Assert.That(client.Monitor.State, Is.EqualTo(MonitorState.NotSetUp));
            Assert.That(client.Monitor.Text, Contains.Substring("there are no settings"));
            Assert.That(client.Alerts, Is.Null);
            Assert.That(client.Values, Is.Null);
            Assert.That(client.Dismiss("a"), Is.False);
            Assert.That(Debug.Lines, Has.Count.EqualTo(1));
            Assert.That(Debug.Lines[0], Contains.Substring("Assets > Create > arwarden > Settings"));
        }

        [Test]
        public void WithBetterSettingsItConnects()
        {
            Values.BrokerHost = "";
            AddClient();
            Assert.That(Client.Monitor.SettingsFault, Contains.Substring("broker host"));
            Assert.That(Link, Is.Null);
            Values.BrokerHost = "192.0.2.1";
            Client.Use(ArwardenSettings.From(Values));
            Frames(0.1);
            Assert.That(Link.State, Is.EqualTo(LinkState.Online));
            Assert.That(Client.Monitor.State, Is.EqualTo(MonitorState.Starting));
        }

        [Test]
        public void AnAlertIsToldAndAcknowledged()
        {
            AddClient();
            var told = new List<string>();
            Client.AlertChanged += change => told.Add(change.Kind + " " + change.Alert.Id);
            Frames(0.1);
            AlertComes("a");
            Frames(0.1);
            Assert.That(Client.Alerts.Count, Is.EqualTo(1));
            Assert.That(Client.Dismiss("a"), Is.True);
            Frames(0.1);
            Assert.That(told, Is.EqualTo(new[] { "Shown a", "Dismissed a" }));
            Assert.That(Acks(), Is.EqualTo(new[] { "a received", "a shown", "a dismissed dismissed" }));
            Assert.That(Client.Counters.Malformed, Is.EqualTo(0));
        }

        [Test]
        public void TheMonitorsStateIsTold()
        {
            AddClient();
            var told = new List<MonitorState>();
            Client.MonitorChanged += told.Add;
            for (int i = 0; i < 4; i++)
            {
                HealthComes("ok");
                Frames(1);
            }
            Link.Breaks("gone");
            Frames(3);
            Assert.That(told, Is.EqualTo(new[] { MonitorState.Watching, MonitorState.Offline }));
        }

        [Test]
        public void ThereIsOneClient()
        {
            AddClient();
            var other = new GameObject("other").AddComponent<ArwardenClient>();
            Assert.That(other.enabled, Is.False);
            Assert.That(ArwardenClient.Active == Client, Is.True);
            Assert.That(Debug.Lines[0], Contains.Substring("another client"));
        }

        [Test]
        public void SwitchedOffItLetsGoAndComesBack()
        {
            AddClient();
            Frames(0.1);
            TestLink first = Link;
            Client.enabled = false;
            Assert.That(first.IsDisposed, Is.True);
            Assert.That(ArwardenClient.Active == null, Is.True);
            Frames(0.1);
            Client.enabled = true;
            Frames(0.1);
            Assert.That(Link, Is.Not.SameAs(first));
            AlertComes("a");
            Frames(0.1);
            Assert.That(Client.Alerts.Count, Is.EqualTo(1));
        }

        [Test]
        public void AfterAPauseTheClocksAreComparedAnew()
        {
            AddClient();
            HealthComes("ok");
            Frames(5);
            Assert.That(Client.Offset.OffsetMs(Clock.NowMs), Is.Not.NaN);
            Assert.That(Client.Views.IsEmpty, Is.False);
            StubEngine.CallAll("OnApplicationPause", true);
            Assert.That(Client.Views.IsEmpty, Is.False);
            StubEngine.CallAll("OnApplicationPause", false);
            Assert.That(Client.Offset.OffsetMs(Clock.NowMs), Is.NaN);
            Assert.That(Client.Views.IsEmpty, Is.True);
            Assert.That(Client.Monitor.State, Is.EqualTo(MonitorState.Starting));
        }

        [Test]
        public void AWarningIsNotOlderForASleepThanItIs()
        {
            var wall = new DateTime(1970, 1, 1, 0, 1, 40, DateTimeKind.Utc);
            AddClient();
            Client.Clock = new StopwatchClock(() => wall);
            Client.Use(ArwardenSettings.From(Values));
            AlertComes("a", usefulMs: 60000);
            Frames(0.1);
            Assert.That(Client.Alerts.Count, Is.EqualTo(1));
            StubEngine.CallAll("OnApplicationPause", true);
            wall = wall.AddHours(1);
            StubEngine.CallAll("OnApplicationPause", false);
            Frames(0.1);
            Assert.That(Client.Alerts.Count, Is.EqualTo(0), "it was about an hour ago");
            Assert.That(Acks(), Has.Member("a expired expired"));
        }

        [Test]
        public void WhatTheAppDrawsIsReported()
        {
            AddClient();
            AddThing("cup", new Vector3(0, 1.6f, 2));
            AddThing("behind", new Vector3(0, 1.6f, -2));
            Frames(0.5);
            List<string> reports = Link.Of("scene");
            Assert.That(reports, Has.Count.EqualTo(1), "nothing changes");
            Assert.That(reports[0], Contains.Substring("\"id\":\"cup\""));
            Assert.That(reports[0], Contains.Substring("\"expected_size_m\":[0.0799"));
            Assert.That(reports[0].Contains("behind"), Is.False, "only what is in the picture");
            Called("cup").transform.position = new Vector3(0.5f, 1.6f, 2);
            Frames(0.5);
            Assert.That(Link.Of("scene"), Has.Count.EqualTo(2));
            UnityEngine.Object.Destroy(Called("cup"));
            Frames(0.5);
            Assert.That(Link.Of("scene")[2], Contains.Substring("\"removed\":[\"cup\"]"));
        }

        [Test]
        public void AnObjectWithoutIdHasItsName()
        {
            var thing = new GameObject("a cup on a table").AddComponent<ReportedObject>();
            Assert.That(thing.Id, Is.EqualTo("a cup on a table"));
            Assert.That(ReportedObject.Find("a cup on a table") == thing, Is.True);
            Assert.That(ReportedObject.Find("another") == null, Is.True);
            SceneObject described;
            Assert.That(thing.TryDescribe(CameraView.OfAngle(Pose3D.Origin, 60, 1), out described), Is.False);
        }

        [Test]
        public void WhatIsDrawnMayLieBelow()
        {
            var prefab = new GameObject("prefab");
            var reported = prefab.AddComponent<ReportedObject>();
            var mesh = new GameObject("mesh");
            mesh.transform.SetParent(prefab.transform, false);
            prefab.transform.position = new Vector3(0, 0, 2);
            SceneObject described;
            CameraView view = CameraView.OfAngle(Pose3D.Origin, 60, 1);
            Assert.That(reported.TryDescribe(view, out described), Is.False);
            mesh.AddComponent<MeshRenderer>();
            Assert.That(reported.TryDescribe(view, out described), Is.True);
            Assert.That(described.Id, Is.EqualTo("prefab"));
        }

        [Test]
        public void AFrameAllocatesNothing()
        {
            AddClient();
            AddThing("cup", new Vector3(0, 1.6f, 2));
            AlertComes("a", usefulMs: 1e9);
            Frames(1);
            Action pump = (Action)Delegate.CreateDelegate(typeof(Action), Client, "Update");
            double began = Clock.NowMs;
            // The same instant: no report is due, which would rightly allocate five times a second.
            for (int i = 0; i < 100; i++)
            {
                pump();
            }
            long bytes = GC.GetTotalMemory(true);
            for (int i = 0; i < 20000; i++)
            {
                pump();
            }
            Assert.That(Clock.NowMs, Is.EqualTo(began));
            Assert.That(GC.GetTotalMemory(false) - bytes, Is.LessThan(65536), "not a byte a frame");
        }
    }

    [TestFixture]
    internal sealed class AdjustableTests : Stage
    {
        private GameObject _cup;
        private Adjustable _adjustable;

        private void AddCup()
        {
            AddClient();
            _cup = AddThing("cup", new Vector3(0, 1.6f, 2));
            _adjustable = _cup.AddComponent<Adjustable>();
            Frames(0.5);
            HealthComes("ok");
            Frames(0.1);
        }

        private void IsAt(float x, float y, float z)
        {
            Vector3 off = _cup.transform.position - new Vector3(x, y, z);
            Assert.That(off.magnitude, Is.LessThan(0.002f), "at " + _cup.transform.position.x + " "
                + _cup.transform.position.y + " " + _cup.transform.position.z);
        }

        [Test]
        public void OneTooManyIsSaid()
        {
            AddClient();
            for (int i = 0; i <= AdjustmentDesk.MaxObjects; i++)
            {
                AddThing("cup" + i, new Vector3(0, 1.6f, 2)).AddComponent<Adjustable>();
            }
            Frames(1);
            Assert.That(Debug.Lines, Has.Count.EqualTo(1));
            Assert.That(Debug.Lines[0], Contains.Substring("one too many"));
        }

        [Test]
        public void ACorrectionIsAppliedSmoothly()
        {
            AddCup();
            AdjustmentComes(1, 0.2, 1.5);
            Frames(0.2);
            Assert.That(_cup.transform.position.x, Is.InRange(0.001f, 0.1f));
            Assert.That(_adjustable.IsCorrected, Is.True);
            Frames(4);
            IsAt(0.2f, 1.6f, 2);
            Assert.That(_cup.transform.localScale.x, Is.EqualTo(1.5f).Within(0.001f));
            Assert.That(Acks(), Is.EqualTo(new[] { "j1 received", "j1 applied" }));
            string report = Link.Of("scene")[Link.Of("scene").Count - 1];
            Assert.That(report, Contains.Substring("\"corrected_scale\":1.49"));
        }

        [Test]
        public void RightIsWhatItWasWhenTheFrameWasTaken()
        {
            AddCup();
            Head.rotation = Quaternion.Euler(0, 90, 0);
            Frames(0.5);
            AdjustmentComes(1, 0.2);
            Head.rotation = Quaternion.Euler(0, -90, 0);
            Frames(4);
            IsAt(0, 1.6f, 1.8f);
        }

        [Test]
        public void WhatIsTooMuchIsClamped()
        {
            AddCup();
            AdjustmentComes(1, 3, 9);
            Frames(8);
            IsAt(0.5f, 1.6f, 2);
            Assert.That(_cup.transform.localScale.x, Is.EqualTo(2).Within(0.001f));
            Assert.That(Acks(), Is.EqualTo(new[] { "j1 received", "j1 clamped" }));
        }

        [Test]
        public void TheAppGoesOnMovingIt()
        {
            AddCup();
            AdjustmentComes(1, 0.2);
            Frames(4);
            _cup.transform.position = _cup.transform.position + new Vector3(0, 0.3f, 0);
            Frames(1);
            IsAt(0.2f, 1.9f, 2);
            AdjustmentComes(2, 0, 1, "revert");
            Frames(4);
            IsAt(0, 1.9f, 2);
            Assert.That(_adjustable.IsCorrected, Is.False);
        }

        [Test]
        public void WhoHoldsItHasIt()
        {
            AddCup();
            AdjustmentComes(1, 0.2);
            Frames(0.3);
            _adjustable.Hold();
            Vector3 before = _cup.transform.position;
            Frames(1);
            Assert.That(_cup.transform.position == before, Is.True);
            _cup.transform.position = new Vector3(1, 1, 1);
            AdjustmentComes(2, 0.4);
            Frames(1);
            IsAt(1, 1, 1);
            Assert.That(Acks(), Is.EqualTo(new[]
            {
                "j1 received", "j1 refused held_by_user", "j2 refused held_by_user",
            }));
            Assert.That(_adjustable.IsHeld, Is.True);
            _adjustable.Release();
            Frames(1);
            IsAt(1, 1, 1);
            AdjustmentComes(3, 0.1);
            Frames(4);
            IsAt(1.1f, 1, 1);
        }

        [Test]
        public void AnUnknownViewMovesNothing()
        {
            AddCup();
            AdjustmentComes(1, 0.2, capturedAgoMs: 60000);
            Frames(1);
            IsAt(0, 1.6f, 2);
            Assert.That(Acks(), Is.EqualTo(new[] { "j1 refused view_unknown" }));
            AdjustmentComes(2, 0, 1, "revert", capturedAgoMs: 60000);
            Frames(1);
            Assert.That(Acks()[1], Is.EqualTo("j2 received"));
        }

        [Test]
        public void WhatIsNotThereIsRefused()
        {
            AddCup();
            AdjustmentComes(1, 0.2, id: "plate");
            Frames(0.1);
            Assert.That(Acks(), Is.EqualTo(new[] { "j1 refused unknown_object" }));
        }

        [Test]
        public void SwitchedOffItStandsWhereTheAppPutIt()
        {
            AddCup();
            AdjustmentComes(1, 0.2, 2);
            Frames(4);
            _adjustable.enabled = false;
            IsAt(0, 1.6f, 2);
            Assert.That(_cup.transform.localScale.x, Is.EqualTo(1).Within(0.001f));
            AdjustmentComes(2, 0.1);
            Frames(0.1);
            Assert.That(Acks()[2], Is.EqualTo("j2 refused unknown_object"));
            _adjustable.enabled = true;
            AdjustmentComes(3, 0.1);
            Frames(4);
            IsAt(0.1f, 1.6f, 2);
        }

        [Test]
        public void OneThatComesBeforeTheClientJoinsLater()
        {
            _cup = AddThing("cup", new Vector3(0, 1.6f, 2));
            _adjustable = _cup.AddComponent<Adjustable>();
            Frames(0.1);
            AddClient();
            Frames(0.5);
            HealthComes("ok");
            Frames(0.1);
            AdjustmentComes(1, 0.1);
            Frames(3);
            IsAt(0.1f, 1.6f, 2);
        }

        [Test]
        public void TwoOfOneNameAreSaid()
        {
            AddCup();
            AddThing("cup", Vector3.zero).AddComponent<Adjustable>();
            Assert.That(Debug.Lines[0], Contains.Substring("another object's id"));
        }

        [Test]
        public void AnyComponentBringsWhatItNeeds()
        {
            AddClient();
            var bare = new GameObject("bare");
            bare.AddComponent<Adjustable>();
            Assert.That(bare.GetComponent<ReportedObject>().Id, Is.EqualTo("bare"));
        }
    }
}

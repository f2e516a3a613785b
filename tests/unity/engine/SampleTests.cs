using Arwarden.Samples;
using NUnit.Framework;
using UnityEngine;

namespace Arwarden.EngineTests
{
    [TestFixture]
    internal sealed class SampleTests : Stage
    {
        private DemoScene _demo;

        private void AddDemo()
        {
            AddClient();
            _demo = new GameObject("demo").AddComponent<DemoScene>();
            Frames(0.5);
        }

        [Test]
        public void WhatItDrawsIsReported()
        {
            AddDemo();
            string report = Link.Of("scene")[0];
            foreach (string id in new[] { "sign-1", "sign-2", "microwave" })
            {
                Assert.That(report, Contains.Substring("\"id\":\"" + id + "\""));
            }
        }

        [Test]
        public void TheSignsDisagreeHalfOfTheTime()
        {
            AddDemo();
            Assert.That(_demo.Contradicts, Is.False);
            Assert.That(Written("sign-1 text"), Is.EqualTo(Written("sign-2 text")));
            Frames(12);
            Assert.That(_demo.Contradicts, Is.True);
            Assert.That(Written("sign-2 text"), Is.EqualTo("Door unlocked"));
            Frames(12);
            Assert.That(Written("sign-2 text"), Is.EqualTo("Door locked"));
        }

        [Test]
        public void TheMicrowaveCanBeCorrected()
        {
            AddDemo();
            HealthComes("ok");
            Frames(0.1);
            AdjustmentComes(1, 0.2, id: "microwave");
            Frames(4);
            Assert.That(Called("microwave").transform.position.x, Is.EqualTo(0.2f).Within(0.002f));
        }

        [Test]
        public void TheLabelSaysHowItGoes()
        {
            Assert.That(MonitorLabel.Describe(null), Is.EqualTo("no client"));
            AddClient();
            new GameObject("label").AddComponent<MonitorLabel>();
            for (int i = 0; i < 5; i++)
            {
                HealthComes("degraded", "\"capture_clock_unsynced\"");
                Frames(1);
            }
            Assert.That(Written("label"), Contains.Substring("state: Degraded"));
            Assert.That(Written("label"), Contains.Substring("received 15.0 analysed 4.0 a second"));
            Assert.That(Written("label"), Contains.Substring("- capture_clock_unsynced"));
            Client.Monitor.StreamFault = "refused";
            Client.Monitor.SettingsFault = "no host";
            Assert.That(MonitorLabel.Describe(Client), Contains.Substring("no host"));
        }
    }
}

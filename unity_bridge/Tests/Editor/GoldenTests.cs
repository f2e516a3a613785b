using System;
using System.Collections.Generic;
using System.IO;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    /// <summary>The contract's golden messages, which the daemon's side is tested with as well.</summary>
    [TestFixture]
    public class GoldenTests
    {
        public const string FolderVariable = "ARWARDEN_GOLDEN";

        private delegate bool Reader(JsonValue json, out string fault);

        public static JsonValue Load(string stem)
        {
            string folder = Environment.GetEnvironmentVariable(FolderVariable);
            if (string.IsNullOrEmpty(folder))
            {
                Assert.Ignore(FolderVariable + " does not name the folder tests/contract/golden of the repository");
            }
            JsonValue value;
            string fault;
            byte[] content = File.ReadAllBytes(Path.Combine(folder, stem + ".json"));
            var limits = new JsonLimits(1 << 24, 32, 1 << 20);
            Assert.That(JsonReader.TryRead(content, limits, out value, out fault), Is.True, fault);
            return value;
        }

        /// <summary>The message with everything in it.</summary>
        public static JsonValue Full(string stem)
        {
            return Load(stem).Items[0].Member("payload");
        }

        private static void Check(string stem, Reader reads)
        {
            var wrong = new List<string>();
            foreach (JsonValue item in Load(stem).Items)
            {
                string fault;
                bool taken = reads(item.Member("payload"), out fault);
                Assert.That(taken, Is.EqualTo(fault == null));
                if (taken != item.Member("valid").Boolean)
                {
                    wrong.Add(item.Member("name").Text + " " + fault);
                }
            }
            Assert.That(wrong, Is.Empty);
        }

        [Test]
        public void Alerts()
        {
            Alert read;
            Check("alert", (JsonValue json, out string fault) => Alert.TryRead(json, out read, out fault));
        }

        [Test]
        public void HealthMessages()
        {
            Health read;
            Check("health", (JsonValue json, out string fault) => Health.TryRead(json, out read, out fault));
        }

        [Test]
        public void DaemonStatuses()
        {
            DaemonStatus read;
            Check("daemonstatus", (JsonValue json, out string fault) =>
                DaemonStatus.TryRead(json, out read, out fault));
        }

        [Test]
        public void Adjustments()
        {
            Adjustment read;
            Check("adjustment", (JsonValue json, out string fault) =>
                Adjustment.TryRead(json, out read, out fault));
        }

        [Test]
        public void Acks()
        {
            Ack read;
            Check("ack", (JsonValue json, out string fault) => Ack.TryRead(json, out read, out fault));
        }

        [TestCase("clock-hello")]
        [TestCase("clock-ping")]
        [TestCase("clock-pong")]
        public void ClockMessages(string stem)
        {
            ClockMessage read;
            Check(stem, (JsonValue json, out string fault) => ClockMessage.TryRead(json, out read, out fault));
        }

        [Test]
        public void AnAlertIsReadWhole()
        {
            Alert alert;
            string fault;
            Assert.That(Alert.TryRead(Full("alert"), out alert, out fault), Is.True, fault);
            Assert.That(alert.State, Is.EqualTo(AlertState.Confirmed));
            Assert.That(alert.Severity, Is.EqualTo(Severity.Warning));
            Assert.That(alert.Confirmation, Is.EqualTo(Confirmation.Confirmed));
            Assert.That(alert.Judge.Verdict, Is.EqualTo(Verdict.Yes));
            Assert.That(alert.Judge.LatencyMs, Is.EqualTo(812.5));
            Assert.That(alert.Elements[0].Claim.Value, Is.EqualTo("france"));
            Assert.That(alert.Elements[0].Box.Height, Is.EqualTo(0.05));
            Assert.That(alert.Elements[0].DirectionDeg, Is.EqualTo(179.5));
            Assert.That(alert.StagesMs["ocr"], Is.EqualTo(80.5));
            Assert.That(alert.Ends, Is.False);
        }

        [Test]
        public void AHealthMessageIsReadWhole()
        {
            Health health;
            string fault;
            Assert.That(Health.TryRead(Full("health"), out health, out fault), Is.True, fault);
            Assert.That(health.State, Is.EqualTo(SessionState.Degraded));
            Assert.That(health.View, Is.EqualTo(View.Passthrough));
            Assert.That(health.Reasons[0], Is.EqualTo("passthrough_has_no_virtual_content"));
            Assert.That(health.CaptureToPublish.P95Ms, Is.EqualTo(300));
            Assert.That(health.SecondOpinion.SavedCalls, Is.EqualTo(7));
        }

        [Test]
        public void WhatIsWrittenIsReadAgain()
        {
            JsonValue json;
            string fault;
            var ack = new Ack(new string('i', 70), 3, AckAction.Refused, 12.5, new string('r', 300));
            Assert.That(JsonReader.TryRead(ack.ToJson(), JsonLimits.Message, out json, out fault), Is.True, fault);
            Ack readAck;
            Assert.That(Ack.TryRead(json, out readAck, out fault), Is.True, fault);
            Assert.That(readAck.ToJson(), Is.EqualTo(ack.ToJson()));
            ClockMessage ping = ClockMessage.Ping(7, 1.5);
            foreach (ClockMessage message in new[]
            {
                ping, ClockMessage.Pong(ping, 2, 3.25), ClockMessage.Hello(View.Composited, "bridge"),
            })
            {
                JsonReader.TryRead(message.ToJson(), ClockMessage.Limits, out json, out fault);
                ClockMessage read;
                Assert.That(ClockMessage.TryRead(json, out read, out fault), Is.True, fault);
                Assert.That(read.ToJson(), Is.EqualTo(message.ToJson()));
            }
        }

        [Test]
        public void DeviceIdsAreChecked()
        {
            Assert.That(new Topics("quest-3").Alerts, Is.EqualTo("arwarden/v1/quest-3/alerts"));
            foreach (string id in new[] { null, "", "_a", "a/b", "a+", "é", new string('a', 65) })
            {
                Assert.Throws<ArgumentException>(() => new Topics(id));
            }
        }
    }
}

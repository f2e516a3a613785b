using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using Arwarden.Core;
using Arwarden.Mqtt;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class MqttTests : IMqttListener
    {
        private readonly List<string> _heard = new List<string>();

        void IMqttListener.OnMqttMessage(string topic, byte[] payload, bool retained, double receivedMs)
        {
            _heard.Add(topic);
        }

        void IMqttListener.OnMqttState(LinkState state, string reason)
        {
            _heard.Add(state + " " + reason);
        }

        private static string Hex(byte[] bytes)
        {
            return BitConverter.ToString(bytes).Replace("-", "");
        }

        private static byte[] Bytes(string hex)
        {
            var bytes = new byte[hex.Length / 2];
            for (int i = 0; i < bytes.Length; i++)
            {
                bytes[i] = Convert.ToByte(hex.Substring(2 * i, 2), 16);
            }
            return bytes;
        }

        [Test]
        public void ConnectIsWrittenByTheBook()
        {
            var options = new MqttOptions { Username = "u", Password = "p", WillTopic = "w", KeepAliveS = 10 };
            options.WillPayload = new byte[] { 1 };
            options.MaxPacketBytes = 65536;
            Assert.That(Hex(MqttPackets.Connect(options, 4, "id")), Is.EqualTo(
                "101A00044D51545404CE000A000269640001770001010001750001" + "70"));
            Assert.That(Hex(MqttPackets.Connect(options, 5, "id")), Is.EqualTo(
                "102400044D51545405CE000A082100102700010000" + "000269640000017700010100017500" + "0170"));
        }

        [Test]
        public void PublishIsWrittenByTheBook()
        {
            byte[] payload = { 0x78 };
            Assert.That(Hex(MqttPackets.Publish(4, 7, "t", payload, 1, false, 9)), Is.EqualTo("320600017400" + "0778"));
            Assert.That(Hex(MqttPackets.Publish(5, 0, "t", payload, 0, true, 0)), Is.EqualTo("3105000174" + "0078"));
            Assert.That(
                Hex(MqttPackets.Publish(5, 7, "t", payload, 1, false, 3)),
                Is.EqualTo("320C000174" + "0007" + "050200000003" + "78"));
            byte[] large = MqttPackets.Publish(4, 0, "t", new byte[300], 0, false, 0);
            Assert.That(large[1], Is.EqualTo(0xAF));
            Assert.That(large[2], Is.EqualTo(0x02));
        }

        [Test]
        public void SubscribeIsWrittenByTheBook()
        {
            var topics = new List<KeyValuePair<string, int>> { new KeyValuePair<string, int>("a", 1) };
            Assert.That(Hex(MqttPackets.Subscribe(5, 2, topics)), Is.EqualTo("8207" + "0002" + "00" + "000161" + "01"));
            Assert.That(Hex(MqttPackets.Subscribe(4, 2, topics)), Is.EqualTo("8206" + "0002" + "000161" + "01"));
        }

        [Test]
        public void TheBrokersLimitsAreRead()
        {
            Connack connack = MqttPackets.ReadConnack(Bytes("00000D" + "210005" + "2400" + "2700001000" + "130007"), 5);
            Assert.That(connack.ReceiveMaximum, Is.EqualTo(5));
            Assert.That(connack.MaximumQos, Is.EqualTo(0));
            Assert.That(connack.MaximumPacketSize, Is.EqualTo(4096));
            Assert.That(connack.ServerKeepAliveS, Is.EqualTo(7));
            Assert.That(MqttPackets.ReadConnack(Bytes("0005"), 4).ReasonCode, Is.EqualTo(5));
        }

        [Test]
        public void APublicationIsRead()
        {
            ReceivedPublish read = MqttPackets.ReadPublish(Bytes("000174" + "0102" + "050200000003" + "7879"), 3, 5);
            Assert.That(read.Topic, Is.EqualTo("t"));
            Assert.That(read.PacketId, Is.EqualTo(0x102));
            Assert.That(read.Retain, Is.True);
            Assert.That(Encoding.ASCII.GetString(read.Payload), Is.EqualTo("xy"));
        }

        [Test]
        public void BrokenPacketsAreErrorsOfTheirKindOnly()
        {
            var random = new Random(3);
            int refused = 0;
            for (int i = 0; i < 20000; i++)
            {
                var body = new byte[random.Next(0, 24)];
                random.NextBytes(body);
                int level = 4 + (i % 2);
                try
                {
                    int packetId;
                    MqttPackets.ReadPublish(body, random.Next(16), level);
                    MqttPackets.ReadConnack(body, level);
                    MqttPackets.ReadPuback(body, out packetId);
                    MqttPackets.ReadSuback(body, level);
                }
                catch (MqttProtocolException)
                {
                    refused++;
                }
            }
            Assert.That(refused, Is.GreaterThan(10000));
        }

        [TestCase("300D820B62726F6B65722E74657374", "broker.test", true)]
        [TestCase("300D820B62726F6B65722E74657374", "BROKER.TEST.", true)]
        [TestCase("300D820B62726F6B65722E74657374", "other.test", false)]
        [TestCase("300D820B62726F6B65722E74657374", "a.broker.test", false)]
        [TestCase("3008820" + "62A2E612E6363", "b.a.cc", true)]
        [TestCase("3008820" + "62A2E612E6363", "c.b.a.cc", false)]
        [TestCase("3008820" + "62A2E612E6363", "a.cc", false)]
        [TestCase("300682042A2E6363", "a.cc", false)]
        [TestCase("300687047F000001", "127.0.0.1", true)]
        [TestCase("300687047F000001", "127.0.0.2", false)]
        [TestCase("300B82093132372E302E302E31", "127.0.0.1", false)]
        [TestCase("3008820FF2A2E612E6363", "b.a.cc", false)]
        [TestCase("3082", "a", false)]
        [TestCase("", "a", false)]
        public void AHostsNameIsLookedForAmongTheCertificates(string der, string host, bool found)
        {
            der = der.Length % 2 == 0 ? der : der.Substring(0, der.Length - 1);
            Assert.That(TlsCheck.Names(Bytes(der), host), Is.EqualTo(found));
        }

        [Test]
        public void WithoutABrokerItSaysWhyAndGoesOnTrying()
        {
            _heard.Clear();
            var options = new MqttOptions { Port = 1, OutboxMessages = 3 };
            using (var client = new MqttClient(options, new StopwatchClock()))
            {
                client.Start();
                for (int i = 0; i < 5; i++)
                {
                    Assert.That(client.Publish("t", new byte[0], 1, false, 0), Is.True);
                }
                for (int i = 0; i < 500 && client.Counters.Lost < 2; i++)
                {
                    Thread.Sleep(20);
                }
                client.Pump(this);
                Assert.That(client.Pending, Is.EqualTo(3));
                Assert.That(client.Counters.OutboxDropped, Is.EqualTo(2));
                Assert.Throws<InvalidOperationException>(() => client.Subscribe("t", 0));
            }
            string all = string.Join(";", _heard.ToArray());
            Assert.That(all, Contains.Substring(
                "Offline the broker at 127.0.0.1:1 cannot be reached: nobody listens there"));
        }

        [Test]
        public void AStoppedClientTakesNothing()
        {
            var client = new MqttClient(new MqttOptions { Port = 1 }, new StopwatchClock());
            client.Start();
            client.Dispose();
            Assert.That(client.State, Is.EqualTo(LinkState.Stopped));
            Assert.That(client.Publish("t", new byte[0], 0, false, 0), Is.False);
        }

        [Test]
        public void WhatCannotBePublishedIsSaidAtOnce()
        {
            using (var client = new MqttClient(new MqttOptions(), new StopwatchClock()))
            {
                Assert.Throws<ArgumentException>(() => client.Publish("", new byte[0], 0, false, 0));
                Assert.Throws<ArgumentException>(() => client.Publish("t", null, 0, false, 0));
                Assert.Throws<ArgumentException>(
                    () => client.Publish(new string('t', 1025), new byte[0], 0, false, 0));
            }
        }

        [Test]
        public void AnEmptyPumpAllocatesNothing()
        {
            using (var client = new MqttClient(new MqttOptions(), new StopwatchClock()))
            {
                client.Pump(this);
                long bytes = GC.GetTotalMemory(true);
                int collections = GC.CollectionCount(0);
                for (int i = 0; i < 200000; i++)
                {
                    client.Pump(this);
                }
                Assert.That(GC.CollectionCount(0), Is.EqualTo(collections));
                Assert.That(GC.GetTotalMemory(false) - bytes, Is.LessThan(65536));
            }
        }
    }
}

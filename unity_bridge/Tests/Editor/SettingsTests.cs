using System;
using System.Security.Cryptography;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class SettingsTests
    {
        private const string Certificate = "MIIBHDCBw6ADAgECAgEHMAoGCCqGSM49BAMCMBgxFjAUBgNVBAMMDWFyd2FyZGVuIHRlc3QwHhcNMjYwMTAxMDAw"
            + "MDAwWhcNMzYwMTAxMDAwMDAwWjAYMRYwFAYDVQQDDA1hcndhcmRlbiB0ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0D"
            + "AQcDQgAE+YXIMFLoDU39ECjXodmunlCKY/thJaGJSmw1hF6sytFQb8IRJLf+wAbO3I4+kG8yxYwTKTsAtn/g2VJ8"
            + "8Jp1/TAKBggqhkjOPQQDAgNIADBFAiEAv1YQxSm4dAGXtIN/+G0C0xfxCDhddoKIx5joK/hdQ7QCIFDltYGa3L96"
            + "Bf8hWv4NiXHEsChRZKHXb05dJAc4pnOi";

        private const string KeyPin = "2j5CFw1XPcKaaSdQIcAkmYMMGppi4vX6dAzec3HQT9g=";

        private BridgeSettings _settings;

        [SetUp]
        public void MakeSettings()
        {
            _settings = new BridgeSettings
            {
                BrokerHost = "192.168.1.10",
                WhipUrl = "http://192.168.1.10:8080/whip",
            };
        }

        private string Faults
        {
            get { return string.Join("; ", SettingsCheck.Faults(_settings).ToArray()); }
        }

        [Test]
        public void GoodOnesHaveNoFault()
        {
            Assert.That(Faults, Is.EqualTo(""));
            _settings.WhipUrl = "";
            _settings.BrokerHost = "fd00::1";
            Assert.That(Faults, Is.EqualTo(""));
            Assert.That(SettingsCheck.Notes(_settings), Has.Count.EqualTo(1));
        }

        [Test]
        public void NoneAtAllIsAFault()
        {
            Assert.That(SettingsCheck.Faults(null), Has.Count.EqualTo(1));
            Assert.That(new BridgeSettings().BrokerHost, Is.EqualTo(""));
            Assert.That(SettingsCheck.Faults(new BridgeSettings())[0], Contains.Substring("broker host"));
        }

        [TestCase("")]
        [TestCase("http://x")]
        [TestCase("a b")]
        [TestCase("x/y")]
        public void AHostIsAHost(string host)
        {
            _settings.BrokerHost = host;
            Assert.That(Faults, Contains.Substring("broker host"));
        }

        [Test]
        public void EachFaultSaysWhatToDo()
        {
            _settings.DeviceId = "quest 1";
            _settings.BrokerPort = 70000;
            _settings.TopicPrefix = "a/#";
            _settings.PinnedSha256 = new[] { "abc", "def" };
            _settings.WhipUrl = "192.168.1.10:8080/whip";
            _settings.MaxFps = 60;
            _settings.MaxKbps = 1;
            _settings.MaxWidthPx = 4000;
            Assert.That(SettingsCheck.Faults(_settings), Has.Count.EqualTo(8));
            foreach (string part in new[] { "device id", "port", "prefix", "fingerprint", "http://", "rate", "wide" })
            {
                Assert.That(Faults, Contains.Substring(part));
            }
        }

        [Test]
        public void SecretsInPlainTextAreNoted()
        {
            Assert.That(SettingsCheck.Notes(_settings), Is.Empty);
            _settings.WhipToken = "t";
            _settings.BrokerPassword = "p";
            Assert.That(SettingsCheck.Notes(_settings), Has.Count.EqualTo(3));
            _settings.WhipUrl = "https://192.168.1.10:8443/whip";
            _settings.BrokerTls = true;
            Assert.That(SettingsCheck.Notes(_settings), Has.Count.EqualTo(1));
        }

        [Test]
        public void APinIsAFingerprint()
        {
            byte[] certificate = { 1, 2, 3 };
            string pin;
            using (SHA256 sha = SHA256.Create())
            {
                pin = BitConverter.ToString(sha.ComputeHash(certificate)).Replace("-", ":");
            }
            Assert.That(Sha256Pin.IsPin(pin), Is.True);
            Assert.That(Sha256Pin.IsPin(pin.Replace(":", "").ToLowerInvariant()), Is.True);
            Assert.That(Sha256Pin.IsPin(null), Is.False);
            Assert.That(Sha256Pin.IsPin(pin.Replace("A", "g").Replace("0", "g") + "g"), Is.False);
            Assert.That(Sha256Pin.Matches(certificate, new[] { "ab", pin.ToLowerInvariant() }), Is.True);
            Assert.That(Sha256Pin.Matches(new byte[] { 1, 2, 4 }, new[] { pin }), Is.False);
            Assert.That(Sha256Pin.Matches(certificate, new string[0]), Is.False);
        }

        [Test]
        public void AKeyIsKnownThroughAllItsCertificates()
        {
            byte[] certificate = System.Convert.FromBase64String(Certificate);
            Assert.That(Sha256Pin.IsPin(KeyPin), Is.True);
            Assert.That(Sha256Pin.IsPin(KeyPin.Substring(1)), Is.False);
            Assert.That(Sha256Pin.IsPin("-" + KeyPin.Substring(1)), Is.False);
            Assert.That(Sha256Pin.Matches(certificate, new[] { " " + KeyPin }), Is.True);
            certificate[certificate.Length - 1] ^= 1;
            Assert.That(Sha256Pin.Matches(certificate, new[] { KeyPin }), Is.True, "another signature");
            Assert.That(Sha256Pin.Matches(certificate, new[] { KeyPin.ToLowerInvariant() }), Is.False);
        }

        [Test]
        public void DamagedCertificatesMatchNothing()
        {
            byte[] certificate = System.Convert.FromBase64String(Certificate);
            var random = new Random(4);
            for (int i = 0; i < 3000; i++)
            {
                var damaged = (byte[])certificate.Clone();
                Array.Resize(ref damaged, random.Next(certificate.Length));
                if (damaged.Length > 0)
                {
                    damaged[random.Next(Math.Min(12, damaged.Length))] = (byte)random.Next(256);
                }
                Assert.That(Sha256Pin.Matches(damaged, new[] { "" }), Is.False);
            }
        }
    }
}

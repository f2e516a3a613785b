using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>What a headset has to know, as one person types it in.</summary>
    public sealed class BridgeSettings
    {
        public string DeviceId = "quest-1";

        /// <summary>Where the broker is.</summary>
        public string BrokerHost = "";

        /// <summary>0: 1883, or 8883 with TLS.</summary>
        public int BrokerPort;

        public bool BrokerTls;
        public string BrokerUser = "";
        public string BrokerPassword = "";
        public string TopicPrefix = Topics.DefaultPrefix;

        /// <summary>Empty: this headset does not stream.</summary>
        public string WhipUrl = "";

        /// <summary>The device's own token at the daemon; empty: none.</summary>
        public string WhipToken = "";

        /// <summary>Certificates or keys to trust without an authority, as <see cref="Sha256Pin"/> knows them.</summary>
        public string[] PinnedSha256 = new string[0];

        public int MaxFps = 15;
        public int MaxKbps = 4000;
        public int MaxWidthPx = 1280;

        public BridgeSettings Copy()
        {
            return (BridgeSettings)MemberwiseClone();
        }
    }

    /// <summary>Finds what cannot work before it fails somewhere else.</summary>
    public static class SettingsCheck
    {
        /// <summary>Every fault, each saying what to do; empty where the settings can work.</summary>
        public static List<string> Faults(BridgeSettings settings)
        {
            var faults = new List<string>();
            if (settings == null)
            {
                faults.Add("there are no settings: create them by Assets > Create > arwarden > Settings");
                return faults;
            }
            if (!Topics.IsDeviceId(settings.DeviceId))
            {
                faults.Add("the device id must be 1 to 64 letters, digits, '_' or '-', as in the daemon's configuration");
            }
            if (!IsHost(settings.BrokerHost))
            {
                faults.Add("the broker host must be a name or an address, such as 192.168.1.10");
            }
            if (settings.BrokerPort < 0 || settings.BrokerPort > 65535)
            {
                faults.Add("the broker port must be from 1 to 65535, or 0 for the usual one");
            }
            if (string.IsNullOrEmpty(settings.TopicPrefix) || settings.TopicPrefix.IndexOfAny(new[] { '#', '+' }) >= 0)
            {
                faults.Add("the topic prefix must be the daemon's, usually " + Topics.DefaultPrefix);
            }
            CheckPins(settings, faults);
            CheckStream(settings, faults);
            return faults;
        }

        /// <summary>What works and should be known; empty where there is nothing to say.</summary>
        public static List<string> Notes(BridgeSettings settings)
        {
            var notes = new List<string>();
            bool secret = settings.WhipToken.Length > 0 || settings.BrokerPassword.Length > 0;
            if (secret)
            {
                notes.Add("whoever has the app can read the token and the password out of it");
            }
            bool plain = settings.WhipUrl.StartsWith("http:", StringComparison.OrdinalIgnoreCase);
            if (plain && settings.WhipToken.Length > 0)
            {
                notes.Add("the token goes over the network in plain text; use https with a pinned certificate");
            }
            if (settings.BrokerPassword.Length > 0 && !settings.BrokerTls)
            {
                notes.Add("the broker's password goes over the network in plain text; switch on TLS");
            }
            if (settings.WhipUrl.Length == 0)
            {
                notes.Add("without a WHIP address this headset shows warnings and streams nothing");
            }
            return notes;
        }

        private static void CheckPins(BridgeSettings settings, List<string> faults)
        {
            foreach (string pin in settings.PinnedSha256 ?? new string[0])
            {
                if (!Sha256Pin.IsPin(pin))
                {
                    faults.Add("a pinned fingerprint must be SHA-256: 64 hexadecimal digits, or the key's in 44 of base64");
                    return;
                }
            }
        }

        private static void CheckStream(BridgeSettings settings, List<string> faults)
        {
            string address;
            string fault;
            if (settings.WhipUrl.Length == 0)
            {
                return;
            }
            if (!WhipAddress.TryEndpoint(settings.WhipUrl, View.Composited, null, out address, out fault))
            {
                faults.Add(fault);
            }
            if (settings.MaxFps < StreamGovernor.MinFps || settings.MaxFps > 30)
            {
                faults.Add("the frame rate must be from 5 to 30: the daemon looks four times a second");
            }
            if (settings.MaxKbps < 500 || settings.MaxKbps > 20000)
            {
                faults.Add("the bitrate must be from 500 to 20000 kbit/s: below that small writing is lost");
            }
            if (settings.MaxWidthPx < 320 || settings.MaxWidthPx > 1920)
            {
                faults.Add("the picture must be 320 to 1920 pixels wide");
            }
        }

        private static bool IsHost(string host)
        {
            UriHostNameType kind = Uri.CheckHostName(host ?? "");
            return kind != UriHostNameType.Unknown && kind != UriHostNameType.Basic;
        }
    }
}

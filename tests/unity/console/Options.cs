using System;
using System.Collections.Generic;
using System.IO;
using Arwarden.Mqtt;

namespace Arwarden.ConsoleTools
{
    /// <summary>Arguments of the form name=value, as the tests give them.</summary>
    internal sealed class Options
    {
        private readonly Dictionary<string, string> _values = new Dictionary<string, string>();

        public Options(string[] arguments)
        {
            foreach (string argument in arguments)
            {
                int equals = argument.IndexOf('=');
                _values[argument.Substring(0, equals)] = argument.Substring(equals + 1);
            }
        }

        public string Text(string name, string otherwise)
        {
            string value;
            return _values.TryGetValue(name, out value) ? value : otherwise;
        }

        public int Number(string name, int otherwise)
        {
            return int.Parse(Text(name, otherwise.ToString()));
        }

        public MqttOptions Mqtt()
        {
            var options = new MqttOptions
            {
                Host = Text("host", "127.0.0.1"),
                Port = Number("port", 1883),
                Username = Text("username", null),
                Password = Text("password", null),
                ProtocolLevel = Number("level", 5),
                KeepAliveS = Number("keepalive", 2),
                ConnectTimeoutMs = Number("timeout", 5000),
                MaxPacketBytes = Number("maxpacket", 131072),
                OutboxMessages = Number("outbox", 256),
                UnheardPauseMs = Number("again", 2000),
                UnheardTries = Number("tries", 30),
            };
            string will = Text("will", null);
            if (will != null)
            {
                options.WillTopic = will;
                options.WillPayload = new byte[] { (byte)'0' };
            }
            string authority = Text("ca", null);
            string pin = Text("pin", null);
            if (authority != null || pin != null || Text("tls", null) != null)
            {
                options.Tls = new TlsOptions();
                if (authority != null)
                {
                    options.Tls.Authorities.Add(File.ReadAllBytes(authority));
                }
                if (pin != null)
                {
                    options.Tls.PinnedSha256.Add(pin);
                }
            }
            return options;
        }

        public static void Say(string line)
        {
            lock (typeof(Options))
            {
                Console.Out.WriteLine(line);
                Console.Out.Flush();
            }
        }
    }
}

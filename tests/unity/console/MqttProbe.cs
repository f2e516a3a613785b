using System;
using System.Text;
using System.Threading;
using Arwarden.Core;
using Arwarden.Mqtt;

namespace Arwarden.ConsoleTools
{
    /// <summary>
    /// The package's MQTT client for tests. Says what it hears; takes lines "pub TOPIC QOS TEXT", "size TOPIC QOS
    /// BYTES", "counters" and "quit".
    /// </summary>
    internal sealed class MqttProbe : IMqttListener
    {
        private static volatile bool _quit;

        public static int Main(string[] arguments)
        {
            var options = new Options(arguments);
            using (var client = new MqttClient(options.Mqtt(), new StopwatchClock()))
            {
                foreach (string topic in options.Text("sub", "").Split(','))
                {
                    if (topic.Length > 0)
                    {
                        client.Subscribe(topic, 1);
                    }
                }
                client.Start();
                var commands = new Thread(() => Command(client)) { IsBackground = true };
                commands.Start();
                var probe = new MqttProbe();
                while (!_quit)
                {
                    client.Pump(probe);
                    Thread.Sleep(5);
                }
            }
            Options.Say("bye");
            return 0;
        }

        void IMqttListener.OnMqttMessage(string topic, byte[] payload, bool retained, double receivedMs)
        {
            string text = payload.Length > 100 ? payload.Length + " bytes" : Encoding.UTF8.GetString(payload);
            Options.Say("message " + topic + " " + (retained ? "retained" : "live") + " " + text);
        }

        void IMqttListener.OnMqttState(LinkState state, string reason)
        {
            Options.Say("state " + state + " " + reason);
        }

        private static void Command(MqttClient client)
        {
            string line;
            while ((line = Console.In.ReadLine()) != null)
            {
                string[] words = line.Split(new[] { ' ' }, 4);
                if (words[0] == "pub")
                {
                    client.Publish(words[1], Encoding.UTF8.GetBytes(words[3]), int.Parse(words[2]), false, 30);
                }
                else if (words[0] == "size")
                {
                    client.Publish(words[1], new byte[int.Parse(words[3])], int.Parse(words[2]), false, 0);
                }
                else if (words[0] == "counters")
                {
                    MqttCounters counters = client.Counters;
                    Options.Say("counters level=" + client.ProtocolLevel + " pending=" + client.Pending
                        + " delivered=" + counters.Delivered + " oversized=" + counters.Oversized
                        + " connections=" + counters.Connections + " dropped=" + counters.OutboxDropped
                        + " unheard=" + counters.Unheard + " expired=" + counters.Expired);
                }
                else
                {
                    break;
                }
            }
            _quit = true;
        }
    }
}

using System;
using System.IO;
using System.Text;
using Arwarden.Core;

namespace Arwarden.ConsoleTools
{
    /// <summary>
    /// The package's readers for tests. Takes a file of lines "NAME, tab, JSON" and says for each "taken", or "refused"
    /// and why.
    /// </summary>
    internal static class ContractProbe
    {
        public static int Main(string[] arguments)
        {
            foreach (string line in File.ReadLines(new Options(arguments).Text("messages", "")))
            {
                int tab = line.IndexOf('\t');
                JsonValue json;
                string fault;
                byte[] message = Encoding.UTF8.GetBytes(line.Substring(tab + 1));
                bool taken = JsonReader.TryRead(message, JsonLimits.Message, out json, out fault)
                    && Takes(line.Substring(0, tab), json, out fault);
                Options.Say(taken ? "taken" : "refused " + fault);
            }
            return 0;
        }

        private static bool Takes(string name, JsonValue json, out string fault)
        {
            Alert alert;
            Adjustment adjustment;
            Health health;
            DaemonStatus status;
            Ack ack;
            ClockMessage clock;
            switch (name)
            {
                case "alert":
                    return Alert.TryRead(json, out alert, out fault);
                case "adjustment":
                    return Adjustment.TryRead(json, out adjustment, out fault);
                case "health":
                    return Health.TryRead(json, out health, out fault);
                case "daemonstatus":
                    return DaemonStatus.TryRead(json, out status, out fault);
                case "ack":
                    return Ack.TryRead(json, out ack, out fault);
                case "clock-hello":
                case "clock-ping":
                case "clock-pong":
                    return ClockMessage.TryRead(json, out clock, out fault);
                default:
                    throw new ArgumentException("no reader for " + name);
            }
        }
    }
}

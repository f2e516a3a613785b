using Arwarden.Core;
using Arwarden.Unity;
using UnityEngine;

namespace Arwarden.Samples
{
    /// <summary>Writes on a TextMesh how the monitoring is doing: for whoever sets it up, not for the wearer.</summary>
    [RequireComponent(typeof(TextMesh))]
    public sealed class MonitorLabel : MonoBehaviour
    {
        private const float EveryS = 1f;

        private TextMesh _text;
        private float _sinceWritten = EveryS;

        /// <summary>What stands there: state, rates and latency, one on a line.</summary>
        public static string Describe(ArwardenClient client)
        {
            if (client == null)
            {
                return "no client";
            }
            MonitorBoard monitor = client.Monitor;
            string text = "state: " + monitor.State;
            if (monitor.SettingsFault != null)
            {
                return text + "\n" + monitor.SettingsFault;
            }
            if (monitor.LinkReason.Length > 0)
            {
                text += "\nbroker: " + monitor.LinkReason;
            }
            if (monitor.StreamFault != null)
            {
                text += "\nstream: " + monitor.StreamFault;
            }
            Health health = monitor.Health;
            if (health != null)
            {
                text += "\nreceived " + health.ReceivedFps.ToString("F1") + " analysed "
                    + health.AnalysedFps.ToString("F1") + " a second";
                text += "\nclock: " + health.CaptureClock + ", view: " + health.View;
                foreach (string reason in health.Reasons)
                {
                    text += "\n- " + reason;
                }
            }
            return text;
        }

        private void OnEnable()
        {
            _text = GetComponent<TextMesh>();
        }

        private void Update()
        {
            _sinceWritten += Time.unscaledDeltaTime;
            if (_sinceWritten >= EveryS)
            {
                _sinceWritten = 0f;
                _text.text = Describe(ArwardenClient.Active);
            }
        }
    }
}

using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>
    /// What was acknowledged already, so that each thing is said once however often it happens. That what is said
    /// arrives at least once is the link's part: QoS 1, and kept until the broker has it for somebody.
    /// </summary>
    public sealed class AckBook
    {
        public const int Remembered = 1024;

        private readonly HashSet<string> _said = new HashSet<string>(StringComparer.Ordinal);
        private readonly Queue<string> _order = new Queue<string>();

        /// <summary>An acknowledgement to send; false where the same was said before or cannot be said.</summary>
        public bool TryWrite(
            string id, long revision, AckAction action, double nowMs, string reason, out Ack ack)
        {
            ack = null;
            if (string.IsNullOrEmpty(id) || revision < 1 || revision > Ack.MaxRevision)
            {
                return false;
            }
            string key = (int)action + " " + revision + " " + id;
            if (!_said.Add(key))
            {
                return false;
            }
            _order.Enqueue(key);
            if (_order.Count > Remembered)
            {
                _said.Remove(_order.Dequeue());
            }
            ack = new Ack(id, revision, action, Math.Max(0, nowMs), reason);
            return true;
        }

        /// <summary>Another run of the daemon gives its ids anew.</summary>
        public void Clear()
        {
            _said.Clear();
            _order.Clear();
        }
    }
}

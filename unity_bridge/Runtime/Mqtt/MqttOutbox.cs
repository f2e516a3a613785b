using System.Collections.Generic;

namespace Arwarden.Mqtt
{
    internal sealed class Outgoing
    {
        public string Topic;
        public byte[] Payload;
        public int Qos;
        public bool Retain;

        /// <summary>On the client's stopwatch; infinity: never.</summary>
        public double ExpiresMs;

        /// <summary>When it is told again, on the same stopwatch, where the broker had it for nobody.</summary>
        public double AgainMs;

        /// <summary>How often the broker had it for nobody.</summary>
        public int Unheard;
    }

    /// <summary>
    /// What waits for the broker: at most so many, the oldest gives way. QoS 1 stays until it is acknowledged and goes
    /// back to the front, in order, when the connection is lost. What the broker takes and has for nobody is told again
    /// after a pause: a broker that has just come back may have us before its other clients. Not thread-safe.
    /// </summary>
    internal sealed class MqttOutbox
    {
        private readonly MqttOptions _options;
        private readonly MqttCounters _counters;
        private readonly LinkedList<Outgoing> _waiting = new LinkedList<Outgoing>();
        private readonly Queue<Outgoing> _unheard = new Queue<Outgoing>();
        private readonly List<KeyValuePair<int, Outgoing>> _inFlight = new List<KeyValuePair<int, Outgoing>>();
        private int _lastId;

        public MqttOutbox(MqttOptions options, MqttCounters counters)
        {
            _options = options;
            _counters = counters;
        }

        public int Waiting
        {
            get { return _waiting.Count + _unheard.Count; }
        }

        public int InFlight
        {
            get { return _inFlight.Count; }
        }

        public void Add(Outgoing item)
        {
            _waiting.AddLast(item);
            MakeRoom();
        }

        /// <summary>The next one to send, or null; <paramref name="packetId"/> is 0 for QoS 0.</summary>
        public Outgoing Next(double nowMs, int maxInFlight, out int packetId)
        {
            packetId = 0;
            while (true)
            {
                bool again = _unheard.Count > 0 && _unheard.Peek().AgainMs <= nowMs;
                if (!again && _waiting.Count == 0)
                {
                    return null;
                }
                Outgoing item = again ? _unheard.Peek() : _waiting.First.Value;
                bool expired = item.ExpiresMs <= nowMs;
                if (!expired && item.Qos > 0 && _inFlight.Count >= maxInFlight)
                {
                    return null;
                }
                Remove(again);
                if (expired)
                {
                    _counters.Expired++;
                    continue;
                }
                if (item.Qos > 0)
                {
                    packetId = NewId();
                    _inFlight.Add(new KeyValuePair<int, Outgoing>(packetId, item));
                }
                return item;
            }
        }

        /// <summary>The broker has answered; false where it answers what was never sent.</summary>
        public bool Answered(int packetId)
        {
            return _inFlight.RemoveAll(entry => entry.Key == packetId) > 0;
        }

        /// <summary>The broker has taken it, and has it for nobody. What is retained waits there for whoever comes.</summary>
        public void AnsweredForNobody(int packetId, double nowMs)
        {
            int at = _inFlight.FindIndex(entry => entry.Key == packetId);
            if (at < 0)
            {
                return;
            }
            Outgoing item = _inFlight[at].Value;
            _inFlight.RemoveAt(at);
            item.Unheard++;
            if (item.Retain)
            {
                _counters.Delivered++;
            }
            else if (item.Unheard >= _options.UnheardTries)
            {
                _counters.Unheard++;
            }
            else
            {
                item.AgainMs = nowMs + _options.UnheardPauseMs;
                _unheard.Enqueue(item);
                MakeRoom();
            }
        }

        /// <summary>The connection is gone: what was not acknowledged is sent again.</summary>
        public void GiveBack()
        {
            for (int i = _inFlight.Count - 1; i >= 0; i--)
            {
                _waiting.AddFirst(_inFlight[i].Value);
            }
            _inFlight.Clear();
            MakeRoom();
        }

        public int NewId()
        {
            do
            {
                _lastId = (_lastId % 65535) + 1;
            }
            while (_inFlight.Exists(entry => entry.Key == _lastId));
            return _lastId;
        }

        private void Remove(bool unheard)
        {
            if (unheard)
            {
                _unheard.Dequeue();
            }
            else
            {
                _waiting.RemoveFirst();
            }
        }

        private void MakeRoom()
        {
            while (Waiting > _options.OutboxMessages)
            {
                Remove(_unheard.Count > 0);
                _counters.OutboxDropped++;
            }
        }
    }
}

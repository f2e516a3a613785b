using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using Arwarden.Core;

namespace Arwarden.Mqtt
{
    /// <summary>
    /// An MQTT client of QoS 0 and 1 on two background threads: one connects and reads, one writes and watches the
    /// time. Speaks MQTT 5, or 3.1.1 to a broker that knows only that. What it has to say waits for <see cref="Pump"/>.
    /// </summary>
    public sealed class MqttClient : IMqttLink
    {
        public readonly MqttCounters Counters = new MqttCounters();

        private const int MaxTopicLength = 1024;
        private const int StatesKept = 16;
        private const int MessagesPerPump = 64;
        private const int LongestWaitMs = 100;
        private const int JoinMs = 500;
        private const double RefusedPauseMs = 10000;

        private struct Incoming
        {
            public string Topic;
            public byte[] Payload;
            public bool Retained;
            public double ReceivedMs;
        }

        private readonly object _gate = new object();
        private readonly MqttOptions _options;
        private readonly IClock _clock;
        private readonly string _clientId;
        private readonly Backoff _backoff;
        private readonly Stopwatch _watch = Stopwatch.StartNew();
        private readonly MqttOutbox _outbox;
        private readonly Queue<Incoming> _inbox = new Queue<Incoming>();
        private readonly Queue<KeyValuePair<LinkState, string>> _states =
            new Queue<KeyValuePair<LinkState, string>>();

        private readonly Queue<int> _pubacks = new Queue<int>();
        private readonly List<KeyValuePair<string, int>> _topics = new List<KeyValuePair<string, int>>();
        private Thread _reader;
        private Thread _writer;
        private MqttConnection _connection;
        private LinkState _state = LinkState.Offline;
        private Connack _limits;
        private int _level;
        private bool _stopping;
        private bool _writable;
        private string _abortReason;
        private double _deadlineMs;
        private double _lastSentMs;
        private double _onlineMs;

        public MqttClient(MqttOptions options, IClock clock)
        {
            Guid id = Guid.NewGuid();
            _options = options;
            _clock = clock;
            _level = options.ProtocolLevel;
            _clientId = options.ClientIdPrefix + "-" + id.ToString("N").Substring(0, 8);
            _backoff = new Backoff(id.GetHashCode());
            _outbox = new MqttOutbox(options, Counters);
        }

        public LinkState State
        {
            get
            {
                lock (_gate)
                {
                    return _state;
                }
            }
        }

        /// <summary>5, or 4 for MQTT 3.1.1: what is spoken with the broker now, or tried next.</summary>
        public int ProtocolLevel
        {
            get
            {
                lock (_gate)
                {
                    return _level;
                }
            }
        }

        /// <summary>Publications that the broker does not have yet, or has for nobody.</summary>
        public int Pending
        {
            get
            {
                lock (_gate)
                {
                    return _outbox.Waiting + _outbox.InFlight;
                }
            }
        }

        public void Subscribe(string topic, int qos)
        {
            if (_reader != null)
            {
                throw new InvalidOperationException("the link has been started");
            }
            _topics.Add(new KeyValuePair<string, int>(topic, Math.Min(qos, 1)));
        }

        public void Start()
        {
            if (_reader != null)
            {
                throw new InvalidOperationException("the link has been started");
            }
            _reader = new Thread(Connect) { IsBackground = true, Name = "arwarden mqtt reader" };
            _writer = new Thread(Write) { IsBackground = true, Name = "arwarden mqtt writer" };
            _reader.Start();
            _writer.Start();
        }

        public bool Publish(string topic, byte[] payload, int qos, bool retain, int expiryS)
        {
            if (string.IsNullOrEmpty(topic) || topic.Length > MaxTopicLength || payload == null)
            {
                throw new ArgumentException("a publication needs a topic of 1 to 1024 characters and a payload");
            }
            lock (_gate)
            {
                if (_stopping)
                {
                    return false;
                }
                _outbox.Add(new Outgoing
                {
                    Topic = topic,
                    Payload = payload,
                    Qos = Math.Min(qos, 1),
                    Retain = retain,
                    ExpiresMs = expiryS > 0 ? NowMs + (1000.0 * expiryS) : double.PositiveInfinity,
                });
                Monitor.PulseAll(_gate);
                return true;
            }
        }

        public void Pump(IMqttListener listener)
        {
            for (int i = 0; i < MessagesPerPump; i++)
            {
                var state = default(KeyValuePair<LinkState, string>);
                var message = default(Incoming);
                lock (_gate)
                {
                    if (_states.Count > 0)
                    {
                        state = _states.Dequeue();
                    }
                    else if (_inbox.Count > 0)
                    {
                        message = _inbox.Dequeue();
                    }
                    else
                    {
                        return;
                    }
                }
                if (message.Topic == null)
                {
                    listener.OnMqttState(state.Key, state.Value);
                }
                else
                {
                    listener.OnMqttMessage(message.Topic, message.Payload, message.Retained, message.ReceivedMs);
                }
            }
        }

        /// <summary>Sends what can be sent at once, says goodbye so that there is no last will, and ends.</summary>
        public void Dispose()
        {
            lock (_gate)
            {
                _stopping = true;
                Monitor.PulseAll(_gate);
            }
            if (_reader != null)
            {
                _writer.Join(JoinMs);
                _reader.Join(JoinMs);
            }
        }

        private double NowMs
        {
            get { return _watch.Elapsed.TotalMilliseconds; }
        }

        // The reader's thread -------------------------------------------------------------------------------------

        private void Connect()
        {
            while (true)
            {
                bool refused = false;
                string reason;
                try
                {
                    Serve(out refused, out reason);
                }
                catch (LinkLostException error)
                {
                    reason = error.Message;
                }
                catch (MqttProtocolException error)
                {
                    reason = "the broker breaks the protocol: " + error.Message;
                }
                catch (Exception error)
                {
                    // Such as a device that may not open sockets: a thread that ends without a word tells nobody.
                    reason = "no connection can be made: " + error.Message;
                }
                lock (_gate)
                {
                    double heldMs = _state == LinkState.Online ? NowMs - _onlineMs : 0;
                    Drop(refused, reason);
                    double untilMs = NowMs + Math.Max(_backoff.PauseMs(heldMs), refused ? RefusedPauseMs : 0);
                    while (!_stopping && NowMs < untilMs)
                    {
                        Monitor.Wait(_gate, Math.Max(1, (int)(untilMs - NowMs)));
                    }
                    if (_stopping)
                    {
                        SetState(LinkState.Stopped, "");
                        return;
                    }
                }
            }
        }

        /// <summary>One connection from its beginning to its end; always ends with a reason or an exception.</summary>
        private void Serve(out bool refused, out string reason)
        {
            refused = false;
            lock (_gate)
            {
                _abortReason = null;
                SetState(LinkState.Connecting, "");
            }
            MqttConnection connection = MqttConnection.Open(
                _options.Host, _options.EffectivePort, _options.ConnectTimeoutMs, _options.MaxPacketBytes);
            lock (_gate)
            {
                if (_stopping)
                {
                    // Nobody is left to write, or to close it later.
                    connection.Dispose();
                    throw new LinkLostException("stopped");
                }
                _connection = connection;
                _deadlineMs = NowMs + _options.ConnectTimeoutMs;
            }
            if (_options.Tls != null)
            {
                connection.StartTls(_options.Host, _options.Tls);
            }
            connection.Write(MqttPackets.Connect(_options, _level, _clientId));
            Connack connack = Greeted(connection);
            if (connack.ReasonCode != 0)
            {
                refused = Refuses(connack.ReasonCode, out reason);
                return;
            }
            lock (_gate)
            {
                _limits = connack;
            }
            if (_topics.Count > 0)
            {
                connection.Write(MqttPackets.Subscribe(_level, _outbox.NewId(), _topics));
            }
            lock (_gate)
            {
                _lastSentMs = NowMs;
                _writable = true;
                if (_topics.Count == 0)
                {
                    Online();
                }
                Monitor.PulseAll(_gate);
            }
            while (true)
            {
                byte[] body;
                int first = connection.Read(out body);
                string refusal = Take(first, body, connection.WasCut);
                if (refusal != null)
                {
                    refused = true;
                    reason = refusal;
                    return;
                }
            }
        }

        private Connack Greeted(MqttConnection connection)
        {
            try
            {
                byte[] body;
                int first = connection.Read(out body);
                if (first >> 4 != MqttPackets.TypeConnack)
                {
                    throw new MqttProtocolException("no CONNACK");
                }
                return MqttPackets.ReadConnack(body, _level);
            }
            catch (LinkLostException error)
            {
                lock (_gate)
                {
                    if (_abortReason == null)
                    {
                        // An old broker may just hang up on a version that it does not know.
                        SwitchLevel();
                    }
                }
                throw new LinkLostException(error.Message + TlsHint);
            }
        }

        /// <summary>What a refusal means; true where trying again soon is of no use.</summary>
        private bool Refuses(int code, out string reason)
        {
            bool badVersion = code == 0x84 || code == 0x01;
            if (badVersion)
            {
                lock (_gate)
                {
                    SwitchLevel();
                }
                reason = "the broker does not speak this version of MQTT";
                return false;
            }
            bool badUser = code == 0x86 || code == 0x87 || code == 0x8A || code == 0x8C || code == 4 || code == 5;
            reason = badUser
                ? "the broker refuses the user name or password"
                : "the broker refuses the connection with code " + code;
            return badUser || code == 0x85 || code == 2;
        }

        private string TlsHint
        {
            get { return _options.Tls == null ? "; where it speaks TLS at this port, switch on TLS" : ""; }
        }

        private void SwitchLevel()
        {
            _level = _level == 5 ? 4 : 5;
        }

        /// <summary>Takes a packet; returns why the broker does not want us, or null.</summary>
        private string Take(int first, byte[] body, bool wasCut)
        {
            lock (_gate)
            {
                _deadlineMs = NowMs + SilenceMs;
                switch (first >> 4)
                {
                    case MqttPackets.TypePublish:
                        TakePublish(MqttPackets.ReadPublish(body, first & 0x0F, _level), wasCut);
                        return null;
                    case MqttPackets.TypePuback:
                        int packetId;
                        int code = MqttPackets.ReadPuback(body, out packetId);
                        if (code == MqttPackets.NoMatchingSubscribers)
                        {
                            _outbox.AnsweredForNobody(packetId, NowMs);
                        }
                        else if (_outbox.Answered(packetId))
                        {
                            Counters.Rejected += code >= 0x80 ? 1 : 0;
                            Counters.Delivered += code >= 0x80 ? 0 : 1;
                        }
                        Monitor.PulseAll(_gate);
                        return null;
                    case MqttPackets.TypeSuback:
                        if (MqttPackets.ReadSuback(body, _level) != 0)
                        {
                            return "the broker does not allow reading our topics";
                        }
                        Online();
                        return null;
                    case MqttPackets.TypePingresp:
                        return null;
                    case MqttPackets.TypeDisconnect:
                        throw new LinkLostException(
                            "the broker ends the connection with code " + (body.Length > 0 ? body[0] : 0));
                    default:
                        throw new MqttProtocolException("an unexpected packet");
                }
            }
        }

        private void TakePublish(ReceivedPublish publish, bool wasCut)
        {
            if (publish.Qos == 1)
            {
                _pubacks.Enqueue(publish.PacketId);
                Monitor.PulseAll(_gate);
            }
            if (wasCut)
            {
                Counters.Oversized++;
                return;
            }
            if (_inbox.Count >= _options.InboxMessages)
            {
                _inbox.Dequeue();
                Counters.InboxDropped++;
            }
            _inbox.Enqueue(new Incoming
            {
                Topic = publish.Topic,
                Payload = publish.Payload,
                Retained = publish.Retain,
                ReceivedMs = _clock.NowMs,
            });
        }

        private void Online()
        {
            Counters.Connections++;
            _onlineMs = NowMs;
            _deadlineMs = NowMs + SilenceMs;
            SetState(LinkState.Online, "");
        }

        private void Drop(bool refused, string reason)
        {
            if (_connection != null)
            {
                _connection.Dispose();
                _connection = null;
            }
            _writable = false;
            _pubacks.Clear();
            _outbox.GiveBack();
            if (!_stopping)
            {
                Counters.Lost++;
                SetState(refused ? LinkState.Refused : LinkState.Offline, _abortReason ?? reason);
            }
        }

        private void SetState(LinkState state, string reason)
        {
            _state = state;
            if (_states.Count >= StatesKept)
            {
                _states.Dequeue();
            }
            _states.Enqueue(new KeyValuePair<LinkState, string>(state, reason));
        }

        /// <summary>No packet for this long, although we ask twice as often: the broker is gone.</summary>
        private double SilenceMs
        {
            get { return KeepAliveMs * 1.5; }
        }

        private double KeepAliveMs
        {
            get
            {
                int seconds = _limits.ServerKeepAliveS > 0 ? _limits.ServerKeepAliveS : _options.KeepAliveS;
                return seconds > 0 ? seconds * 1000.0 : 3600000.0;
            }
        }

        // The writer's thread -------------------------------------------------------------------------------------

        private void Write()
        {
            while (true)
            {
                MqttConnection connection;
                byte[] packet;
                bool last;
                lock (_gate)
                {
                    packet = NextPacket(out last);
                    connection = _connection;
                    if (packet == null && !last)
                    {
                        Monitor.Wait(_gate, LongestWaitMs);
                        continue;
                    }
                    _lastSentMs = NowMs;
                }
                try
                {
                    if (packet != null)
                    {
                        connection.Write(packet);
                    }
                    if (last && connection != null)
                    {
                        connection.Dispose();
                    }
                }
                catch (LinkLostException)
                {
                    connection.Dispose();
                }
                if (last)
                {
                    return;
                }
            }
        }

        private byte[] NextPacket(out bool last)
        {
            last = false;
            double nowMs = NowMs;
            if (_connection != null && nowMs > _deadlineMs && _abortReason == null)
            {
                _abortReason = "the broker does not answer" + (_writable ? "" : TlsHint);
                _connection.Dispose();
            }
            if (_connection == null || !_writable || _abortReason != null)
            {
                last = _stopping;
                return null;
            }
            if (_pubacks.Count > 0)
            {
                return MqttPackets.Puback(_pubacks.Dequeue());
            }
            byte[] packet = NextPublish(nowMs);
            if (packet == null && _stopping)
            {
                last = true;
                return MqttPackets.Disconnect();
            }
            return packet == null && nowMs - _lastSentMs >= KeepAliveMs / 2 ? MqttPackets.Pingreq() : packet;
        }

        private byte[] NextPublish(double nowMs)
        {
            int inFlight = Math.Min(MqttPackets.MaxInFlight, _limits.ReceiveMaximum);
            while (true)
            {
                int packetId;
                Outgoing item = _outbox.Next(nowMs, inFlight, out packetId);
                if (item == null)
                {
                    return null;
                }
                bool never = double.IsPositiveInfinity(item.ExpiresMs);
                long expiryS = never ? 0 : Math.Max(1, (long)Math.Ceiling((item.ExpiresMs - nowMs) / 1000));
                int qos = Math.Min(item.Qos, _limits.MaximumQos);
                byte[] packet = MqttPackets.Publish(
                    _level, packetId, item.Topic, item.Payload, qos, item.Retain, expiryS);
                bool fits = _limits.MaximumPacketSize == 0 || packet.Length <= _limits.MaximumPacketSize;
                if (!fits || qos < item.Qos)
                {
                    _outbox.Answered(packetId);
                }
                if (fits)
                {
                    return packet;
                }
                Counters.Oversized++;
            }
        }
    }
}

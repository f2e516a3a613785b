using System;

namespace Arwarden.Core
{
    /// <summary>
    /// The headset's end of the data channel "clock": says what it streams, asks for the daemon's time, answers when it
    /// is asked. The channel itself is somebody else's; its messages come in by <see cref="Take"/>.
    /// </summary>
    public sealed class ClockTalk
    {
        /// <summary>The daemon asks five times a second; more than this is not answered.</summary>
        public const double AnswersPerS = 25;

        private readonly ClockOffset _offset;
        private readonly IClock _clock;
        private readonly Action<string> _send;
        private readonly ClockMessage _hello;
        private double _answers = AnswersPerS;
        private double _refilledMs;

        /// <summary><paramref name="send"/> sends a text on the channel, and is called only while it is open.</summary>
        public ClockTalk(ClockOffset offset, IClock clock, View view, string client, Action<string> send)
        {
            _offset = offset;
            _clock = clock;
            _send = send;
            _hello = ClockMessage.Hello(view, client);
            HeardMs = double.NegativeInfinity;
        }

        public bool IsOpen { get; private set; }

        /// <summary>When the daemon last said something; minus infinity before.</summary>
        public double HeardMs { get; private set; }

        public long Malformed { get; private set; }

        /// <summary>Questions that were not answered, because there were too many.</summary>
        public long Unanswered { get; private set; }

        public void Opened()
        {
            IsOpen = true;
            HeardMs = _clock.NowMs;
            _refilledMs = _clock.NowMs;
            _offset.Exchange.Restart();
            _send(_hello.ToJson());
        }

        public void Closed()
        {
            IsOpen = false;
        }

        /// <summary>Once a frame.</summary>
        public void Step()
        {
            double nowMs = _clock.NowMs;
            if (IsOpen && _offset.Exchange.IsDue(nowMs))
            {
                _send(_offset.Exchange.Ask(nowMs).ToJson());
            }
        }

        /// <summary>Takes what came on the channel: UTF-8.</summary>
        public void Take(byte[] bytes)
        {
            double nowMs = _clock.NowMs;
            JsonValue json;
            string fault;
            ClockMessage message = default(ClockMessage);
            bool read = JsonReader.TryRead(bytes, ClockMessage.Limits, out json, out fault)
                && ClockMessage.TryRead(json, out message, out fault);
            if (!read)
            {
                Malformed++;
                return;
            }
            HeardMs = nowMs;
            if (message.Kind == ClockMessageKind.Ping)
            {
                Answer(message, nowMs);
            }
            else if (message.Kind == ClockMessageKind.Pong)
            {
                _offset.Exchange.Answered(message, nowMs);
            }
        }

        private void Answer(ClockMessage ping, double arrivedMs)
        {
            _answers = Math.Min(AnswersPerS, _answers + ((arrivedMs - _refilledMs) * AnswersPerS / 1000));
            _refilledMs = arrivedMs;
            if (!IsOpen || _answers < 1)
            {
                Unanswered++;
                return;
            }
            _answers--;
            _send(ClockMessage.Pong(ping, arrivedMs, _clock.NowMs).ToJson());
        }
    }
}

using System;

namespace Arwarden.Core
{
    /// <summary>
    /// The other clock minus ours, from exchanges that we asked for: the median of the fifth with the shortest round
    /// trips of the last 64 (the minimum-delay filter of RFC 5905, section 10). Allocates nothing after construction.
    /// </summary>
    public sealed class OffsetFilter
    {
        public const int Window = 64;
        public const double MaxRttMs = 5000;

        private const double BestShare = 0.2;
        private const double StepSlackMs = 5;
        private const int StepsToRestart = 3;

        private readonly double[] _rttMs = new double[Window];
        private readonly double[] _offsetMs = new double[Window];
        private readonly double[] _sortedRttMs = new double[Window];
        private readonly double[] _sortedOffsetMs = new double[Window];
        private readonly double[] _stepRttMs = new double[StepsToRestart];
        private readonly double[] _stepOffsetMs = new double[StepsToRestart];
        private int _next;
        private int _steps;

        public int Exchanges { get; private set; }

        /// <summary>Other clock minus our clock; not a number before the first exchange.</summary>
        public double OffsetMs { get; private set; } = double.NaN;

        /// <summary>The shortest round trip of the window; not a number before the first exchange.</summary>
        public double RttMs { get; private set; } = double.NaN;

        /// <summary>
        /// Takes one exchange; false where it cannot be true. t0 and t3 are our times of asking and of the answer's
        /// arrival, t1 and t2 the other side's times of the question's arrival and of answering.
        /// </summary>
        public bool Add(double t0Ms, double t1Ms, double t2Ms, double t3Ms)
        {
            double heldMs = t2Ms - t1Ms;
            double rttMs = t3Ms - t0Ms - heldMs;
            double offsetMs = ((t1Ms - t0Ms) + (t2Ms - t3Ms)) / 2;
            if (double.IsNaN(offsetMs) || double.IsInfinity(offsetMs) || !(heldMs >= 0)
                || !(rttMs >= 0 && rttMs <= MaxRttMs))
            {
                return false;
            }
            if (Contradicts(rttMs, offsetMs))
            {
                _stepRttMs[_steps] = rttMs;
                _stepOffsetMs[_steps] = offsetMs;
                if (++_steps < StepsToRestart)
                {
                    return true;
                }
                // Three in a row that no network delay explains: one of the clocks was set anew.
                Clear();
                for (int i = 0; i < StepsToRestart; i++)
                {
                    Append(_stepRttMs[i], _stepOffsetMs[i]);
                }
            }
            else
            {
                Append(rttMs, offsetMs);
            }
            _steps = 0;
            Estimate();
            return true;
        }

        public void Clear()
        {
            _next = 0;
            _steps = 0;
            Exchanges = 0;
            OffsetMs = double.NaN;
            RttMs = double.NaN;
        }

        private bool Contradicts(double rttMs, double offsetMs)
        {
            return Exchanges > 0 && Math.Abs(offsetMs - OffsetMs) > (rttMs + RttMs) / 2 + StepSlackMs;
        }

        private void Append(double rttMs, double offsetMs)
        {
            _rttMs[_next] = rttMs;
            _offsetMs[_next] = offsetMs;
            _next = (_next + 1) % Window;
            Exchanges = Math.Min(Window, Exchanges + 1);
        }

        private void Estimate()
        {
            Array.Copy(_rttMs, _sortedRttMs, Exchanges);
            Array.Copy(_offsetMs, _sortedOffsetMs, Exchanges);
            Array.Sort(_sortedRttMs, _sortedOffsetMs, 0, Exchanges);
            int best = Math.Max(1, (int)Math.Ceiling(Exchanges * BestShare));
            Array.Sort(_sortedOffsetMs, 0, best);
            RttMs = _sortedRttMs[0];
            int middle = best / 2;
            OffsetMs = best % 2 == 1
                ? _sortedOffsetMs[middle]
                : (_sortedOffsetMs[middle - 1] + _sortedOffsetMs[middle]) / 2;
        }
    }

    /// <summary>Asks for the daemon's time over the data channel, and says when to ask again.</summary>
    public sealed class ClockExchange
    {
        public const int PingsOpen = 64;

        private const int FirstPings = 10;
        private const double FirstIntervalMs = 100;
        private const double IntervalMs = 200;

        private readonly OffsetFilter _filter;
        private readonly long[] _ids = new long[PingsOpen];
        private readonly double[] _askedMs = new double[PingsOpen];
        private long _nextId;
        private double _lastAskedMs = double.NegativeInfinity;

        public ClockExchange(OffsetFilter filter)
        {
            _filter = filter;
            Restart();
        }

        /// <summary>When the daemon last answered, on our clock; minus infinity before.</summary>
        public double AnsweredMs { get; private set; }

        /// <summary>A new channel: what was asked over the last one is not answered any more.</summary>
        public void Restart()
        {
            for (int i = 0; i < PingsOpen; i++)
            {
                _ids[i] = -1;
            }
            _nextId = 0;
            _lastAskedMs = double.NegativeInfinity;
            AnsweredMs = double.NegativeInfinity;
        }

        public bool IsDue(double nowMs)
        {
            return nowMs - _lastAskedMs >= (_nextId < FirstPings ? FirstIntervalMs : IntervalMs);
        }

        public ClockMessage Ask(double nowMs)
        {
            long id = _nextId;
            _nextId = (_nextId + 1) % ((long)uint.MaxValue + 1);
            _lastAskedMs = nowMs;
            _ids[id % PingsOpen] = id;
            _askedMs[id % PingsOpen] = nowMs;
            return ClockMessage.Ping(id, nowMs);
        }

        /// <summary>Takes an answer; false where nothing like it was asked or it cannot be true.</summary>
        public bool Answered(ClockMessage pong, double nowMs)
        {
            long place = pong.Id % PingsOpen;
            if (pong.Kind != ClockMessageKind.Pong || _ids[place] != pong.Id)
            {
                return false;
            }
            _ids[place] = -1;
            if (!_filter.Add(_askedMs[place], pong.T1Ms, pong.T2Ms, nowMs))
            {
                return false;
            }
            AnsweredMs = nowMs;
            return true;
        }
    }

    /// <summary>
    /// The daemon's clock minus ours, without a data channel: every message says when it was published, and it was
    /// published before it arrived. The largest difference of the last minute is short of the truth by the shortest
    /// delay that a message had, a few milliseconds in a local network, so a warning stays that much too long.
    /// </summary>
    public sealed class OneWayOffset
    {
        public const int Window = 64;
        public const double WindowMs = 60000;

        private readonly double[] _differenceMs = new double[Window];
        private readonly double[] _receivedMs = new double[Window];
        private int _next;
        private int _count;

        /// <summary>Only for messages that came as they were published: a retained one is of any age.</summary>
        public void Add(double publishedMs, double receivedMs)
        {
            _differenceMs[_next] = publishedMs - receivedMs;
            _receivedMs[_next] = receivedMs;
            _next = (_next + 1) % Window;
            _count = Math.Min(Window, _count + 1);
        }

        /// <summary>Daemon's clock minus ours; not a number without a message in the last minute.</summary>
        public double OffsetMs(double nowMs)
        {
            double best = double.NaN;
            for (int i = 0; i < _count; i++)
            {
                if (nowMs - _receivedMs[i] <= WindowMs && !(_differenceMs[i] <= best))
                {
                    best = _differenceMs[i];
                }
            }
            return best;
        }

        public void Clear()
        {
            _next = 0;
            _count = 0;
        }
    }

    /// <summary>The best that is known of the daemon's clock: the data channel's exchange, or else MQTT.</summary>
    public sealed class ClockOffset
    {
        /// <summary>After this long without an answer a clock may be off by 3 ms (50 parts in a million).</summary>
        public const double BelievedMs = 60000;

        public readonly OffsetFilter Filter = new OffsetFilter();
        public readonly OneWayOffset OneWay = new OneWayOffset();
        public readonly ClockExchange Exchange;

        public ClockOffset()
        {
            Exchange = new ClockExchange(Filter);
        }

        /// <summary>Whether the data channel's exchange is believed now.</summary>
        public bool IsExchanged(double nowMs)
        {
            return Filter.Exchanges > 0 && nowMs - Exchange.AnsweredMs <= BelievedMs;
        }

        /// <summary>Daemon's clock minus ours; not a number where nothing is known.</summary>
        public double OffsetMs(double nowMs)
        {
            return IsExchanged(nowMs) ? Filter.OffsetMs : OneWay.OffsetMs(nowMs);
        }

        /// <summary>Forgets everything: the headset slept, or the daemon's machine may be another one.</summary>
        public void Reset()
        {
            Filter.Clear();
            OneWay.Clear();
            Exchange.Restart();
        }
    }
}

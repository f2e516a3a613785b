using System;
using System.Diagnostics;
using System.Threading;

namespace Arwarden.Core
{
    /// <summary>The headset's clock: never set back, in Unix milliseconds as far as the headset knows them.</summary>
    public interface IClock
    {
        double NowMs { get; }
    }

    /// <summary>
    /// The wall clock at the start and a stopwatch from then on. A stopwatch stands still while the headset sleeps: see
    /// <see cref="Resumed"/>. Read it on any thread.
    /// </summary>
    public sealed class StopwatchClock : IClock
    {
        private static readonly DateTime UnixEpoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        private readonly Func<DateTime> _utcNow;
        private readonly Stopwatch _stopwatch = Stopwatch.StartNew();
        private double _startMs;

        public StopwatchClock()
            : this(() => DateTime.UtcNow)
        {
        }

        /// <summary><paramref name="utcNow"/> is the wall clock; for tests.</summary>
        public StopwatchClock(Func<DateTime> utcNow)
        {
            _utcNow = utcNow;
            _startMs = WallMs;
        }

        public double NowMs
        {
            get { return Volatile.Read(ref _startMs) + _stopwatch.Elapsed.TotalMilliseconds; }
        }

        private double WallMs
        {
            get { return (_utcNow() - UnixEpoch).TotalMilliseconds; }
        }

        /// <summary>
        /// After a pause of the app: makes up for a sleep by the wall clock, never backwards, so that what was useful
        /// before the sleep is over after it. The offset to the daemon has to be measured anew.
        /// </summary>
        public void Resumed()
        {
            double missedMs = WallMs - NowMs;
            if (missedMs > 0)
            {
                Volatile.Write(ref _startMs, Volatile.Read(ref _startMs) + missedMs);
            }
        }
    }
}

using System;

namespace Arwarden.Core
{
    /// <summary>Pauses that double from 0.2 s to 5 s, each shortened by up to a quarter so that clients spread.</summary>
    public sealed class Backoff
    {
        public const double FirstMs = 200;
        public const double LongestMs = 5000;

        /// <summary>A connection that held this long was a good one: the next loss starts from the first pause.</summary>
        public const double SteadyAfterMs = 10000;

        private readonly Random _random;
        private double _nextMs = FirstMs;

        public Backoff(int seed)
        {
            _random = new Random(seed);
        }

        /// <summary>The next pause; <paramref name="heldMs"/> is how long the lost connection had lasted.</summary>
        public double PauseMs(double heldMs)
        {
            if (heldMs >= SteadyAfterMs)
            {
                _nextMs = FirstMs;
            }
            double pauseMs = _nextMs;
            _nextMs = Math.Min(LongestMs, 2 * pauseMs);
            return pauseMs * (1 - _random.NextDouble() / 4);
        }
    }
}

using System;

namespace Arwarden.Core
{
    /// <summary>How much the stream may take.</summary>
    public struct StreamLoad
    {
        public readonly int Fps;
        public readonly int Kbps;

        /// <summary>The picture's sides are divided by this before they are encoded.</summary>
        public readonly double ScaleDown;

        public StreamLoad(int fps, int kbps, double scaleDown)
        {
            Fps = fps;
            Kbps = kbps;
            ScaleDown = scaleDown;
        }
    }

    /// <summary>
    /// The app's own frame time comes first: where frames come late the stream gives way, step by step, and comes back
    /// slowly; each return that fails doubles the wait before the next one. The daemon looks four times a second, so
    /// even the last step loses hardly anything. Allocates nothing.
    /// </summary>
    public sealed class StreamGovernor
    {
        public const double WindowS = 1;

        /// <summary>A frame this much longer than it should be was shown a refresh too late.</summary>
        public const double LateFactor = 1.4;

        /// <summary>Share of late frames in a second that makes the stream give way.</summary>
        public const double TooMany = 0.08;

        public const double Few = 0.02;
        public const double FirstWaitS = 8;
        public const double LongestWaitS = 128;
        public const int MinFps = 5;

        /// <summary>A frame of a second and more is a pause of the app or a scene being loaded: the stream is not at fault.</summary>
        public const double PauseS = 0.5;

        private static readonly double[] FpsShare = { 1, 0.75, 0.5, 0.5, 0.34 };
        private static readonly double[] Scale = { 1, 1, 1, 1.5, 2 };

        private readonly double _frameS;
        private readonly int _maxFps;
        private readonly int _maxKbps;
        private double _elapsedS;
        private int _frames;
        private int _late;
        private double _goodS;
        private double _sinceReturnS = double.PositiveInfinity;
        private double _waitS = FirstWaitS;

        /// <summary><paramref name="refreshHz"/> is how often the headset shows a frame.</summary>
        public StreamGovernor(double refreshHz, int maxFps, int maxKbps)
        {
            _frameS = 1 / Math.Max(30, refreshHz);
            _maxFps = Math.Max(MinFps, maxFps);
            _maxKbps = Math.Max(100, maxKbps);
        }

        /// <summary>0: everything that is allowed; higher: less.</summary>
        public int Step { get; private set; }

        public int LastStep
        {
            get { return FpsShare.Length - 1; }
        }

        public StreamLoad Load
        {
            get
            {
                double share = FpsShare[Step];
                double scale = Scale[Step];
                int fps = Math.Max(MinFps, (int)Math.Round(_maxFps * share));
                int kbps = (int)Math.Round(_maxKbps * share / scale);
                return new StreamLoad(fps, kbps, scale);
            }
        }

        /// <summary>Takes the length of the app's last frame; true where the load changes.</summary>
        public bool Took(double seconds)
        {
            if (!(seconds > 0) || seconds >= PauseS)
            {
                Restart();
                return false;
            }
            _elapsedS += seconds;
            _frames++;
            _late += seconds > _frameS * LateFactor ? 1 : 0;
            if (_elapsedS < WindowS)
            {
                return false;
            }
            double share = (double)_late / _frames;
            double windowS = _elapsedS;
            Restart();
            return Judge(share, windowS);
        }

        private bool Judge(double lateShare, double windowS)
        {
            _sinceReturnS += windowS;
            if (lateShare > TooMany)
            {
                _goodS = 0;
                // The step that was just taken back was one too many for this scene.
                _waitS = _sinceReturnS < _waitS ? Math.Min(LongestWaitS, 2 * _waitS) : _waitS;
                _sinceReturnS = double.PositiveInfinity;
                return Go(1);
            }
            _goodS = lateShare <= Few ? _goodS + windowS : 0;
            if (_goodS < _waitS || Step == 0)
            {
                return false;
            }
            _goodS = 0;
            _sinceReturnS = 0;
            return Go(-1);
        }

        private bool Go(int steps)
        {
            int before = Step;
            Step = Math.Max(0, Math.Min(LastStep, Step + steps));
            return Step != before;
        }

        private void Restart()
        {
            _elapsedS = 0;
            _frames = 0;
            _late = 0;
        }
    }

    /// <summary>Says when the next picture is due, so that a rate is held on average whatever the app's frame rate is.</summary>
    public sealed class PictureCadence
    {
        private double _nextMs = double.NegativeInfinity;

        public bool IsDue(double nowMs)
        {
            return nowMs >= _nextMs;
        }

        /// <summary>A picture was drawn; the next one is due an interval after this one was.</summary>
        public void Drew(double nowMs, int fps)
        {
            double intervalMs = 1000.0 / Math.Max(1, fps);
            // After a pause there is nothing to make up for.
            _nextMs = nowMs - _nextMs > intervalMs ? nowMs + intervalMs : _nextMs + intervalMs;
        }
    }
}

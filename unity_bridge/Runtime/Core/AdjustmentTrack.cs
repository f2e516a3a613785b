using System;

namespace Arwarden.Core
{
    /// <summary>What the headset allows, whatever the daemon asks for.</summary>
    public sealed class AdjustmentLimits
    {
        public double MaxMoveM = 0.5;
        public double MinScale = 0.5;
        public double MaxScale = 2;

        /// <summary>Slow enough not to startle at arm's length.</summary>
        public double MaxSpeedMps = 0.25;

        /// <summary>Doublings or halvings of the size per second.</summary>
        public double MaxOctavesPerS = 0.5;

        /// <summary>How long a small correction takes, about.</summary>
        public double SettleS = 0.6;
    }

    /// <summary>What became of a correction that was asked for.</summary>
    public enum AdjustmentOutcome
    {
        /// <summary>Begun as asked.</summary>
        Accepted,

        /// <summary>Begun, as far as the limits allow.</summary>
        Clamped,

        /// <summary>The user holds the object.</summary>
        RefusedHeld,
        Expired,

        /// <summary>A newer one was there before.</summary>
        OldVersion,
    }

    /// <summary>
    /// The correction of one object as it is now. It glides to what was asked for without overshooting (a critically
    /// damped spring whose lead is bounded, which bounds its speed), and can always go back. Allocates nothing.
    /// </summary>
    public sealed class AdjustmentTrack
    {
        private const double NearM = 0.0005;
        private const double NearOctaves = 0.0005;
        private const double LongestStepS = 0.1;

        private readonly AdjustmentLimits _limits;
        private Vector3D _targetMove;
        private Vector3D _speed;
        private double _targetOctaves;
        private double _octaves;
        private double _octaveSpeed;
        private string _epoch = "";
        private bool _settled = true;

        public AdjustmentTrack(AdjustmentLimits limits)
        {
            _limits = limits;
        }

        /// <summary>The correction now, in metres.</summary>
        public Vector3D Move { get; private set; }

        /// <summary>The factor now.</summary>
        public double Scale
        {
            get { return Math.Pow(2, _octaves); }
        }

        public long Version { get; private set; }

        public bool IsHeld { get; private set; }

        public bool IsSettled
        {
            get { return _settled; }
        }

        /// <summary>
        /// Takes what the daemon asks for. <paramref name="asMoved"/> is its move in the frame that this track works
        /// in, <paramref name="offsetMs"/> as in AlertQueue.Take.
        /// </summary>
        public AdjustmentOutcome Take(Adjustment asked, Vector3D asMoved, double nowMs, double offsetMs)
        {
            if (asked.Epoch == _epoch && asked.Version <= Version)
            {
                return AdjustmentOutcome.OldVersion;
            }
            double clockMs = double.IsNaN(offsetMs) ? asked.PublishedMs : nowMs + offsetMs;
            bool late = asked.ExpiresMs <= clockMs;
            if (late || IsHeld)
            {
                return late ? AdjustmentOutcome.Expired : AdjustmentOutcome.RefusedHeld;
            }
            _epoch = asked.Epoch;
            Version = asked.Version;
            Vector3D move = asked.Reverts ? Vector3D.Zero : asMoved;
            double scale = asked.Reverts ? 1 : asked.Scale;
            _targetMove = move.AtMost(_limits.MaxMoveM);
            double allowed = Math.Max(_limits.MinScale, Math.Min(_limits.MaxScale, scale));
            _targetOctaves = Math.Log(allowed, 2);
            _settled = false;
            bool clamped = allowed != scale || move.Length > _limits.MaxMoveM;
            return clamped ? AdjustmentOutcome.Clamped : AdjustmentOutcome.Accepted;
        }

        /// <summary>Back to where the app placed it, as smoothly.</summary>
        public void Revert()
        {
            _targetMove = Vector3D.Zero;
            _targetOctaves = 0;
            _settled = false;
        }

        /// <summary>The user takes the object: nothing moves it but the user.</summary>
        public void Hold()
        {
            IsHeld = true;
            _targetMove = Move;
            _targetOctaves = _octaves;
            _speed = Vector3D.Zero;
            _octaveSpeed = 0;
            _settled = true;
        }

        /// <summary>The user lets go: where the object is now is where it belongs, with no correction.</summary>
        public void Release()
        {
            IsHeld = false;
            Move = Vector3D.Zero;
            _octaves = 0;
            _targetMove = Vector3D.Zero;
            _targetOctaves = 0;
        }

        /// <summary>Goes on by a frame; true at the step that arrives.</summary>
        public bool Step(double seconds)
        {
            if (_settled || IsHeld || !(seconds > 0))
            {
                return false;
            }
            // A frame that took longer than this was a pause of the app: the object does not jump after it.
            double step = Math.Min(seconds, LongestStepS);
            StepMove(step);
            StepScale(step);
            if ((_targetMove - Move).Length > NearM || Math.Abs(_targetOctaves - _octaves) > NearOctaves)
            {
                return false;
            }
            Move = _targetMove;
            _octaves = _targetOctaves;
            _speed = Vector3D.Zero;
            _octaveSpeed = 0;
            _settled = true;
            return true;
        }

        private double Omega
        {
            get { return 5 / _limits.SettleS; }
        }

        private void StepMove(double step)
        {
            // A lead of 2v/w makes the spring run at v at most.
            Vector3D lead = (Move - _targetMove).AtMost(2 * _limits.MaxSpeedMps / Omega);
            Vector3D pull = (_speed + (lead * Omega)) * step;
            double decay = Math.Exp(-Omega * step);
            Vector3D before = Move;
            Vector3D moved = ((lead + pull) * decay) - lead;
            Move = (before + moved.AtMost(_limits.MaxSpeedMps * step)).AtMost(_limits.MaxMoveM);
            _speed = ((_speed - (pull * Omega)) * decay).AtMost(_limits.MaxSpeedMps);
        }

        private void StepScale(double step)
        {
            double most = _limits.MaxOctavesPerS;
            double lead = Clamp(_octaves - _targetOctaves, 2 * most / Omega);
            double pull = (_octaveSpeed + (lead * Omega)) * step;
            double decay = Math.Exp(-Omega * step);
            double moved = ((lead + pull) * decay) - lead;
            _octaves += Clamp(moved, most * step);
            _octaveSpeed = Clamp((_octaveSpeed - (pull * Omega)) * decay, most);
        }

        private static double Clamp(double value, double most)
        {
            return Math.Max(-most, Math.Min(most, value));
        }
    }
}

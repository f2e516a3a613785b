using System;

namespace Arwarden.Core
{
    /// <summary>
    /// Sizes of the overlay as angles, so that it reads the same at arm's length and beyond. A Quest 3 shows about 25
    /// pixels per degree: capitals of 0.8 degrees are 20 pixels high, twice what ISO 9241-303 asks for (0.33 degrees).
    /// </summary>
    public static class OverlayLayout
    {
        public const double MinDistanceM = 0.5;
        public const double DefaultDistanceM = 1.3;
        public const double MaxDistanceM = 3;

        public const double TextDeg = 0.8;
        public const double WordDeg = 1.1;
        public const double LineDeg = 1.5;
        public const double PanelWidthDeg = 28;
        public const double PanelHeightDeg = 15;
        public const double SignDeg = 4;
        public const double EdgeDeg = 0.25;

        /// <summary>A region is drawn at least this large, or nobody would see it.</summary>
        public const double SmallestRegionDeg = 2;

        /// <summary>How far away the regions are drawn where nothing says how far the elements are.</summary>
        public const double RegionDistanceM = 2;

        public static double Distance(double wantedM)
        {
            return Math.Max(MinDistanceM, Math.Min(MaxDistanceM, wantedM));
        }

        /// <summary>
        /// The four corners, in the world, of the frame around an element: top left, top right, bottom right, bottom
        /// left. False where the box is not in the picture.
        /// </summary>
        public static bool TryRegion(CameraView view, BoxNorm box, double distanceM, Vector3D[] corners)
        {
            double left = Math.Max(0, box.X);
            double top = Math.Max(0, box.Y);
            double right = Math.Min(1, box.X + box.Width);
            double bottom = Math.Min(1, box.Y + box.Height);
            if (!view.IsUsable || !(right > left) || !(bottom > top))
            {
                return false;
            }
            double smallest = 2 * Math.Tan(SmallestRegionDeg * Angles.Radians / 2);
            Widen(ref left, ref right, smallest / (view.Right - view.Left));
            Widen(ref top, ref bottom, smallest / (view.Top - view.Bottom));
            corners[0] = view.Point(left, top, distanceM);
            corners[1] = view.Point(right, top, distanceM);
            corners[2] = view.Point(right, bottom, distanceM);
            corners[3] = view.Point(left, bottom, distanceM);
            return true;
        }

        private static void Widen(ref double low, ref double high, double least)
        {
            double missing = least - (high - low);
            if (missing > 0)
            {
                low -= missing / 2;
                high += missing / 2;
            }
        }
    }

    /// <summary>
    /// Where the panel hangs: below the middle of the view, turned to the wearer, following the head only when it has
    /// been left behind, and slowly. Whoever turns the head to read it has it in the middle of the view for a while;
    /// then it steps aside, so that it never covers what the wearer looks at for long. Allocates nothing.
    /// </summary>
    public sealed class PanelPlacement
    {
        /// <summary>The panel's upper edge then lies more than 10 degrees below where the wearer looks.</summary>
        public const double RestDownDeg = 18;

        public const double YawSlackDeg = 10;
        public const double PitchSlackDeg = 7;
        public const double ArrivedDeg = 0.5;
        public const double MaxTurnDegPerS = 60;
        public const double FollowS = 0.35;

        /// <summary>Long enough to read three lines (250 words a minute) and to dismiss by looking.</summary>
        public const double CentreS = 5;

        /// <summary>The wearer's head is nearer than this to the panel's middle: it covers the middle of the view.</summary>
        public const double CentreDeg = 9;

        /// <summary>Who looks down so far has the panel above: further down it would lie on the wearer's feet.</summary>
        public const double AboveFromDeg = 35;

        public const double BelowFromDeg = 25;

        private double _yawDeg;
        private double _pitchDeg;
        private Vector3D _eye;
        private double _inCentreS;
        private double _side = 1;
        private bool _following;
        private bool _placed;

        public PanelPlacement(double distanceM)
        {
            DistanceM = OverlayLayout.Distance(distanceM);
        }

        public double DistanceM { get; }

        /// <summary>Where the panel is, its z pointing away from the wearer.</summary>
        public Pose3D Pose { get; private set; } = Pose3D.Origin;

        /// <summary>Whether the wearer's head points at the panel now.</summary>
        public bool IsFaced { get; private set; }

        /// <summary>The next step puts the panel to its place at once: it was not visible.</summary>
        public void Reset()
        {
            _placed = false;
        }

        public void Step(Pose3D head, double seconds)
        {
            Vector3D gaze = head.Forward;
            double yawDeg = Angles.YawDeg(gaze);
            double wantedPitchDeg = WantedPitchDeg(Angles.PitchDeg(gaze));
            if (!_placed)
            {
                _placed = true;
                _yawDeg = yawDeg;
                _pitchDeg = wantedPitchDeg;
                _eye = head.Position;
                _following = false;
                _inCentreS = 0;
            }
            double yawOff = Angles.Wrap(yawDeg - _yawDeg);
            double pitchOff = wantedPitchDeg - _pitchDeg;
            _following = _following
                ? Math.Abs(yawOff) > ArrivedDeg || Math.Abs(pitchOff) > ArrivedDeg
                : Leaves(yawOff, pitchOff, seconds);
            if (_following)
            {
                Turn(yawOff, pitchOff, seconds);
            }
            double share = 1 - Math.Exp(-Math.Max(0, seconds) / FollowS);
            _eye = _eye + ((head.Position - _eye) * share);
            Rotation3D rotation = Rotation3D.OfYawPitch(_yawDeg, _pitchDeg);
            Pose = new Pose3D(_eye + rotation.Rotate(new Vector3D(0, 0, DistanceM)), rotation);
            IsFaced = Angles.BetweenDeg(gaze, Pose.Position - head.Position) < CentreDeg;
        }

        private double WantedPitchDeg(double gazePitchDeg)
        {
            double side = gazePitchDeg > AboveFromDeg ? -1 : gazePitchDeg < BelowFromDeg ? 1 : _side;
            _following = _following || side != _side;
            _side = side;
            return gazePitchDeg + (side * RestDownDeg);
        }

        private bool Leaves(double yawOff, double pitchOff, double seconds)
        {
            _inCentreS = IsFaced ? _inCentreS + seconds : 0;
            if (IsFaced && Math.Abs(yawOff) <= YawSlackDeg)
            {
                return _inCentreS >= CentreS;
            }
            // Turning towards the panel to read it does not drive it away; only turning past it does.
            double towards = pitchOff * _side;
            return Math.Abs(yawOff) > YawSlackDeg || towards < -PitchSlackDeg
                || towards > RestDownDeg + PitchSlackDeg;
        }

        private void Turn(double yawOff, double pitchOff, double seconds)
        {
            _inCentreS = 0;
            double share = 1 - Math.Exp(-Math.Max(0, seconds) / FollowS);
            double most = MaxTurnDegPerS * Math.Max(0, seconds);
            _yawDeg = Angles.Wrap(_yawDeg + Math.Max(-most, Math.Min(most, yawOff * share)));
            _pitchDeg += Math.Max(-most, Math.Min(most, pitchOff * share));
        }
    }

    /// <summary>Looking at a mark for a while means yes: the way to dismiss a warning without hands.</summary>
    public sealed class GazeDwell
    {
        public const double NeededS = 1.2;
        public const double WithinDeg = 3;

        private bool _done;

        /// <summary>0 to 1: how much of the time has passed, for a mark that fills up.</summary>
        public double Share { get; private set; }

        /// <summary>Once a frame; true once, at the step that completes it.</summary>
        public bool Step(Pose3D head, Vector3D mark, bool visible, double seconds)
        {
            bool looking = visible && Angles.BetweenDeg(head.Forward, mark - head.Position) <= WithinDeg;
            if (!looking)
            {
                // A glance aside does not undo everything, a second does.
                Share = visible ? Math.Max(0, Share - Math.Max(0, seconds)) : 0;
                _done = _done && visible && Share > 0;
                return false;
            }
            Share = Math.Min(1, Share + (Math.Max(0, seconds) / NeededS));
            bool now = Share >= 1 && !_done;
            _done = _done || now;
            return now;
        }
    }
}

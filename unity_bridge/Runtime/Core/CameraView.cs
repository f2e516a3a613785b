using System;

namespace Arwarden.Core
{
    /// <summary>
    /// What a pinhole camera sees: where it stands, and how far its picture reaches to each side as tangents (at a depth
    /// of one metre the picture is <c>Right - Left</c> metres wide). Pictures have their origin at the top left.
    /// </summary>
    public struct CameraView
    {
        /// <summary>Nearer than this is not in front of the camera.</summary>
        public const double NearM = 0.02;

        public readonly Pose3D Pose;
        public readonly double Left;
        public readonly double Right;
        public readonly double Bottom;
        public readonly double Top;

        public CameraView(Pose3D pose, double left, double right, double bottom, double top)
        {
            Pose = pose;
            Left = left;
            Right = right;
            Bottom = bottom;
            Top = top;
        }

        public bool IsUsable
        {
            get { return Right - Left > 1e-3 && Top - Bottom > 1e-3; }
        }

        public static CameraView OfAngle(Pose3D pose, double verticalDeg, double aspect)
        {
            double top = Math.Tan(verticalDeg * Angles.Radians / 2);
            return new CameraView(pose, -top * aspect, top * aspect, -top, top);
        }

        /// <summary>
        /// From the directions of the picture's lower left and upper right corners in the camera's own axes, as cameras
        /// with an off-centre lens give them.
        /// </summary>
        public static CameraView OfCorners(Pose3D pose, Vector3D lowerLeft, Vector3D upperRight)
        {
            return new CameraView(
                pose,
                lowerLeft.X / lowerLeft.Z,
                upperRight.X / upperRight.Z,
                lowerLeft.Y / lowerLeft.Z,
                upperRight.Y / upperRight.Z);
        }

        /// <summary>The point, in the world, that is seen at this place of the picture at this depth.</summary>
        public Vector3D Point(double xNorm, double yNorm, double depthM)
        {
            var own = new Vector3D(Left + (xNorm * (Right - Left)), Top - (yNorm * (Top - Bottom)), 1);
            return Pose.ToWorld(own * depthM);
        }

        /// <summary>Where in the picture a point of the world is seen; false where it is behind the camera.</summary>
        public bool TryPicture(Vector3D world, out double xNorm, out double yNorm)
        {
            Vector3D own = Pose.ToOwn(world);
            bool ahead = own.Z >= NearM && IsUsable;
            xNorm = ahead ? ((own.X / own.Z) - Left) / (Right - Left) : 0;
            yNorm = ahead ? (Top - (own.Y / own.Z)) / (Top - Bottom) : 0;
            return ahead;
        }

        /// <summary>
        /// The part of the picture that a box of the world covers; false where none of it is in the picture. Where the
        /// box reaches behind the camera, only the corners in front of it count.
        /// </summary>
        public bool TryBox(Vector3D centre, Vector3D halfSize, out BoxNorm box)
        {
            double left = double.PositiveInfinity;
            double right = double.NegativeInfinity;
            double top = double.PositiveInfinity;
            double bottom = double.NegativeInfinity;
            for (int corner = 0; corner < 8; corner++)
            {
                double x;
                double y;
                var reach = new Vector3D(
                    (corner & 1) == 0 ? halfSize.X : -halfSize.X,
                    (corner & 2) == 0 ? halfSize.Y : -halfSize.Y,
                    (corner & 4) == 0 ? halfSize.Z : -halfSize.Z);
                if (TryPicture(centre + reach, out x, out y))
                {
                    left = Math.Min(left, x);
                    right = Math.Max(right, x);
                    top = Math.Min(top, y);
                    bottom = Math.Max(bottom, y);
                }
            }
            left = Math.Max(0, left);
            top = Math.Max(0, top);
            double width = Math.Min(1, right) - left;
            double height = Math.Min(1, bottom) - top;
            bool seen = width > 0 && height > 0;
            box = seen ? new BoxNorm(left, top, width, height) : default(BoxNorm);
            return seen;
        }
    }

    /// <summary>
    /// How the camera stood at each streamed frame of the last seconds, so that what the daemon says about a frame is
    /// put where that frame was taken. Allocates nothing after construction.
    /// </summary>
    public sealed class ViewHistory
    {
        public const int Kept = 512;

        /// <summary>A head turns 100 degrees a second: after this long a view says nothing any more.</summary>
        public const double OldestMs = 250;

        /// <summary>How far the clocks may be off, so that a picture taken up at once is not missed.</summary>
        public const double SlackMs = 5;

        private readonly double[] _atMs = new double[Kept];
        private readonly CameraView[] _views = new CameraView[Kept];
        private int _next;
        private int _count;

        public bool IsEmpty
        {
            get { return _count == 0; }
        }

        public void Add(double atMs, CameraView view)
        {
            _atMs[_next] = atMs;
            _views[_next] = view;
            _next = (_next + 1) % Kept;
            _count = Math.Min(Kept, _count + 1);
        }

        /// <summary>
        /// The view of the picture that was the newest one at this time: an encoder takes a picture up at any time until
        /// the next one is drawn, at 15 pictures a second up to 66 ms later. False where there was none.
        /// </summary>
        public bool TryAt(double atMs, out CameraView view)
        {
            double newestMs = double.NegativeInfinity;
            int found = -1;
            for (int i = 0; i < _count; i++)
            {
                double ageMs = atMs - _atMs[i];
                if (ageMs >= -SlackMs && ageMs <= OldestMs && _atMs[i] > newestMs)
                {
                    newestMs = _atMs[i];
                    found = i;
                }
            }
            view = found < 0 ? default(CameraView) : _views[found];
            return found >= 0;
        }

        /// <summary>The clock or the space is another one.</summary>
        public void Clear()
        {
            _next = 0;
            _count = 0;
        }
    }
}

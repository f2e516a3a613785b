using System;

namespace Arwarden.Core
{
    /// <summary>A rotation as a unit quaternion, in the app's own handedness: whichever it is, the formulas hold.</summary>
    public struct Rotation3D
    {
        public static readonly Rotation3D Identity = new Rotation3D(0, 0, 0, 1);

        public readonly double X;
        public readonly double Y;
        public readonly double Z;
        public readonly double W;

        public Rotation3D(double x, double y, double z, double w)
        {
            X = x;
            Y = y;
            Z = z;
            W = w;
        }

        public Rotation3D Inverse
        {
            get { return new Rotation3D(-X, -Y, -Z, W); }
        }

        /// <summary>Looks along a yaw to the right and then a pitch downwards, without roll. Degrees.</summary>
        public static Rotation3D OfYawPitch(double yawDeg, double pitchDeg)
        {
            double yaw = yawDeg * Angles.Radians / 2;
            double pitch = pitchDeg * Angles.Radians / 2;
            return new Rotation3D(
                Math.Cos(yaw) * Math.Sin(pitch),
                Math.Sin(yaw) * Math.Cos(pitch),
                -Math.Sin(yaw) * Math.Sin(pitch),
                Math.Cos(yaw) * Math.Cos(pitch));
        }

        /// <summary>This rotation, and within its axes another one.</summary>
        public Rotation3D Then(Rotation3D own)
        {
            return new Rotation3D(
                (W * own.X) + (X * own.W) + (Y * own.Z) - (Z * own.Y),
                (W * own.Y) - (X * own.Z) + (Y * own.W) + (Z * own.X),
                (W * own.Z) + (X * own.Y) - (Y * own.X) + (Z * own.W),
                (W * own.W) - (X * own.X) - (Y * own.Y) - (Z * own.Z));
        }

        public Vector3D Rotate(Vector3D vector)
        {
            var axis = new Vector3D(X, Y, Z);
            Vector3D twice = Vector3D.Cross(axis, vector) * 2;
            return vector + (twice * W) + Vector3D.Cross(axis, twice);
        }
    }

    /// <summary>Where something is and how it stands. Its own axes: x right, y up, z forward.</summary>
    public struct Pose3D
    {
        public static readonly Pose3D Origin = new Pose3D(Vector3D.Zero, Rotation3D.Identity);

        public readonly Vector3D Position;
        public readonly Rotation3D Rotation;

        public Pose3D(Vector3D position, Rotation3D rotation)
        {
            Position = position;
            Rotation = rotation;
        }

        public Vector3D Forward
        {
            get { return Rotation.Rotate(new Vector3D(0, 0, 1)); }
        }

        public Vector3D ToWorld(Vector3D own)
        {
            return Position + Rotation.Rotate(own);
        }

        public Vector3D ToOwn(Vector3D world)
        {
            return Rotation.Inverse.Rotate(world - Position);
        }

        /// <summary>A pose that is given in this one's axes, in the world's.</summary>
        public Pose3D ToWorld(Pose3D own)
        {
            return new Pose3D(ToWorld(own.Position), Rotation.Then(own.Rotation));
        }
    }

    /// <summary>
    /// Camera poses come in the headset's own space or in the app's world, depending on the toolkit's version; both are
    /// the same until the app moves its rig.
    /// </summary>
    public static class RigSpace
    {
        /// <summary>A camera sits on the head: so many degrees off count as much as a metre away from it.</summary>
        private const double DegPerM = 60;

        /// <summary>The pose as it is or as seen from the rig, whichever lies closer to where the head is.</summary>
        public static Pose3D OnHead(Pose3D camera, Pose3D rig, Pose3D head)
        {
            Pose3D moved = rig.ToWorld(camera);
            return Apart(moved, head) < Apart(camera, head) ? moved : camera;
        }

        private static double Apart(Pose3D camera, Pose3D head)
        {
            return (camera.Position - head.Position).Length
                + (Angles.BetweenDeg(camera.Forward, head.Forward) / DegPerM);
        }
    }

    /// <summary>Angles in degrees, as a person gives them.</summary>
    public static class Angles
    {
        public const double Radians = Math.PI / 180;

        /// <summary>How far to the right of z a direction points.</summary>
        public static double YawDeg(Vector3D direction)
        {
            return Math.Atan2(direction.X, direction.Z) / Radians;
        }

        /// <summary>How far below the horizon a direction points.</summary>
        public static double PitchDeg(Vector3D direction)
        {
            double level = Math.Sqrt((direction.X * direction.X) + (direction.Z * direction.Z));
            return -Math.Atan2(direction.Y, level) / Radians;
        }

        /// <summary>The same angle between -180 and 180.</summary>
        public static double Wrap(double deg)
        {
            double turned = deg % 360;
            return turned > 180 ? turned - 360 : turned < -180 ? turned + 360 : turned;
        }

        public static double BetweenDeg(Vector3D one, Vector3D other)
        {
            return Math.Atan2(Vector3D.Cross(one, other).Length, Vector3D.Dot(one, other)) / Radians;
        }

        /// <summary>The height, in metres, of what spans so many degrees at so many metres.</summary>
        public static double SpanM(double deg, double distanceM)
        {
            return 2 * distanceM * Math.Tan(deg * Radians / 2);
        }
    }
}

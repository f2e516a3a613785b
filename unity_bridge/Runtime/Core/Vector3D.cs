using System;

namespace Arwarden.Core
{
    /// <summary>Metres: x to the wearer's right, y up, z away from the wearer.</summary>
    public struct Vector3D
    {
        public static readonly Vector3D Zero = new Vector3D(0, 0, 0);

        public readonly double X;
        public readonly double Y;
        public readonly double Z;

        public Vector3D(double x, double y, double z)
        {
            X = x;
            Y = y;
            Z = z;
        }

        public double Length
        {
            get { return Math.Sqrt((X * X) + (Y * Y) + (Z * Z)); }
        }

        public static Vector3D operator +(Vector3D left, Vector3D right)
        {
            return new Vector3D(left.X + right.X, left.Y + right.Y, left.Z + right.Z);
        }

        public static Vector3D operator -(Vector3D left, Vector3D right)
        {
            return new Vector3D(left.X - right.X, left.Y - right.Y, left.Z - right.Z);
        }

        public static Vector3D operator *(Vector3D vector, double factor)
        {
            return new Vector3D(vector.X * factor, vector.Y * factor, vector.Z * factor);
        }

        public static double Dot(Vector3D left, Vector3D right)
        {
            return (left.X * right.X) + (left.Y * right.Y) + (left.Z * right.Z);
        }

        public static Vector3D Cross(Vector3D left, Vector3D right)
        {
            return new Vector3D(
                (left.Y * right.Z) - (left.Z * right.Y),
                (left.Z * right.X) - (left.X * right.Z),
                (left.X * right.Y) - (left.Y * right.X));
        }

        /// <summary>The same direction, at most so long. What is not a number, or has no direction, becomes zero.</summary>
        public Vector3D AtMost(double length)
        {
            double largest = Math.Max(Math.Abs(X), Math.Max(Math.Abs(Y), Math.Abs(Z)));
            if (double.IsNaN(largest) || double.IsInfinity(largest))
            {
                return Zero;
            }
            // A square of more than 1e154 is infinite, so a long vector is made short before it is measured.
            bool huge = largest > 1e150 && largest > length;
            Vector3D vector = huge ? this * (1 / largest) : this;
            double own = vector.Length;
            return huge || own > length ? vector * (length / own) : this;
        }

        internal static Vector3D Of(double[] numbers)
        {
            return new Vector3D(numbers[0], numbers[1], numbers[2]);
        }
    }
}

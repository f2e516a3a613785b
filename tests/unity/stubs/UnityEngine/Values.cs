// Values of UnityEngine that the package uses, enough to compute with. Written from the documentation, nothing copied.
// SR = docs.unity3d.com/6000.0/Documentation/ScriptReference/
using System;

namespace UnityEngine
{
    public struct Vector2 // SR Vector2
    {
        public float x; // SR Vector2-x
        public float y; // SR Vector2-y

        public Vector2(float x, float y) // SR Vector2-ctor
        {
            this.x = x;
            this.y = y;
        }
    }

    public struct Vector2Int // SR Vector2Int
    {
        public Vector2Int(int x, int y) // SR Vector2Int-ctor
            : this()
        {
            this.x = x;
            this.y = y;
        }

        public int x { get; set; } // SR Vector2Int-x

        public int y { get; set; } // SR Vector2Int-y
    }

    public struct Vector3 // SR Vector3
    {
        public static readonly Vector3 zero = new Vector3(0, 0, 0); // SR Vector3-zero
        public static readonly Vector3 one = new Vector3(1, 1, 1); // SR Vector3-one

        public float x; // SR Vector3-x
        public float y; // SR Vector3-y
        public float z; // SR Vector3-z

        public Vector3(float x, float y, float z) // SR Vector3-ctor
        {
            this.x = x;
            this.y = y;
            this.z = z;
        }

        public float magnitude // SR Vector3-magnitude
        {
            get { return (float)Math.Sqrt((x * x) + (y * y) + (z * z)); }
        }

        public static Vector3 operator +(Vector3 a, Vector3 b) // SR Vector3-operator_add
        {
            return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z);
        }

        public static Vector3 operator -(Vector3 a, Vector3 b) // SR Vector3-operator_subtract
        {
            return new Vector3(a.x - b.x, a.y - b.y, a.z - b.z);
        }

        public static Vector3 operator *(Vector3 a, float d) // SR Vector3-operator_multiply
        {
            return new Vector3(a.x * d, a.y * d, a.z * d);
        }

        public static Vector3 operator /(Vector3 a, float d) // SR Vector3-operator_divide
        {
            return new Vector3(a.x / d, a.y / d, a.z / d);
        }

        public static bool operator ==(Vector3 a, Vector3 b) // SR Vector3-operator_eq
        {
            return (a - b).magnitude < 1e-5f;
        }

        public static bool operator !=(Vector3 a, Vector3 b) // SR Vector3-operator_eq
        {
            return !(a == b);
        }

        public override bool Equals(object other) // SR Vector3.Equals
        {
            return other is Vector3 && this == (Vector3)other;
        }

        public override int GetHashCode() // SR Vector3
        {
            return 0;
        }

        internal static Vector3 Scaled(Vector3 a, Vector3 b)
        {
            return new Vector3(a.x * b.x, a.y * b.y, a.z * b.z);
        }
    }

    public struct Quaternion // SR Quaternion
    {
        public static readonly Quaternion identity = new Quaternion(0, 0, 0, 1); // SR Quaternion-identity

        public float x; // SR Quaternion-x
        public float y; // SR Quaternion-y
        public float z; // SR Quaternion-z
        public float w; // SR Quaternion-w

        public Quaternion(float x, float y, float z, float w) // SR Quaternion-ctor
        {
            this.x = x;
            this.y = y;
            this.z = z;
            this.w = w;
        }

        public static Quaternion Inverse(Quaternion rotation) // SR Quaternion.Inverse
        {
            return new Quaternion(-rotation.x, -rotation.y, -rotation.z, rotation.w);
        }

        public static Quaternion Euler(float x, float y, float z) // SR Quaternion.Euler
        {
            // Around z, then x, then y.
            return Turn(0, 1, 0, y) * Turn(1, 0, 0, x) * Turn(0, 0, 1, z);
        }

        public static Quaternion operator *(Quaternion a, Quaternion b) // SR Quaternion-operator_multiply
        {
            return new Quaternion(
                (a.w * b.x) + (a.x * b.w) + (a.y * b.z) - (a.z * b.y),
                (a.w * b.y) - (a.x * b.z) + (a.y * b.w) + (a.z * b.x),
                (a.w * b.z) + (a.x * b.y) - (a.y * b.x) + (a.z * b.w),
                (a.w * b.w) - (a.x * b.x) - (a.y * b.y) - (a.z * b.z));
        }

        public static Vector3 operator *(Quaternion q, Vector3 v) // SR Quaternion-operator_multiply
        {
            float tx = 2 * ((q.y * v.z) - (q.z * v.y));
            float ty = 2 * ((q.z * v.x) - (q.x * v.z));
            float tz = 2 * ((q.x * v.y) - (q.y * v.x));
            return new Vector3(
                v.x + (q.w * tx) + (q.y * tz) - (q.z * ty),
                v.y + (q.w * ty) + (q.z * tx) - (q.x * tz),
                v.z + (q.w * tz) + (q.x * ty) - (q.y * tx));
        }

        private static Quaternion Turn(float x, float y, float z, float deg)
        {
            double half = deg * Math.PI / 360;
            float sine = (float)Math.Sin(half);
            return new Quaternion(x * sine, y * sine, z * sine, (float)Math.Cos(half));
        }
    }

    public struct Pose // SR Pose
    {
        public Vector3 position; // SR Pose-position
        public Quaternion rotation; // SR Pose-rotation

        public Pose(Vector3 position, Quaternion rotation) // SR Pose-ctor
        {
            this.position = position;
            this.rotation = rotation;
        }
    }

    public struct Ray // SR Ray
    {
        public Ray(Vector3 origin, Vector3 direction) // SR Ray-ctor
            : this()
        {
            this.origin = origin;
            this.direction = direction / direction.magnitude;
        }

        public Vector3 origin { get; set; } // SR Ray-origin

        public Vector3 direction { get; set; } // SR Ray-direction
    }

    public struct Bounds // SR Bounds
    {
        public Bounds(Vector3 center, Vector3 size) // SR Bounds-ctor
            : this()
        {
            this.center = center;
            extents = size / 2;
        }

        public Vector3 center { get; set; } // SR Bounds-center

        public Vector3 extents { get; set; } // SR Bounds-extents
    }

    public struct Color // SR Color
    {
        public static readonly Color white = new Color(1, 1, 1, 1); // SR Color-white
        public static readonly Color black = new Color(0, 0, 0, 1); // SR Color-black

        public float r; // SR Color-r
        public float g; // SR Color-g
        public float b; // SR Color-b
        public float a; // SR Color-a

        public Color(float r, float g, float b, float a) // SR Color-ctor
        {
            this.r = r;
            this.g = g;
            this.b = b;
            this.a = a;
        }
    }

    public struct LayerMask // SR LayerMask
    {
        internal static string[] Names = new string[32];

        private int _value;

        public int value // SR LayerMask-value
        {
            get { return _value; }
            set { _value = value; }
        }

        public static string LayerToName(int layer) // SR LayerMask.LayerToName
        {
            return Names[layer] ?? "";
        }

        public static implicit operator int(LayerMask mask) // SR LayerMask-value
        {
            return mask._value;
        }

        public static implicit operator LayerMask(int value) // SR LayerMask-value
        {
            return new LayerMask { _value = value };
        }
    }

    public struct Matrix4x4 // SR Matrix4x4
    {
        internal float Left;
        internal float Right;
        internal float Bottom;
        internal float Top;

        public static Matrix4x4 Frustum( // SR Matrix4x4.Frustum
            float left, float right, float bottom, float top, float zNear, float zFar)
        {
            // Kept as they were given, at a depth of one.
            return new Matrix4x4
            {
                Left = left / zNear,
                Right = right / zNear,
                Bottom = bottom / zNear,
                Top = top / zNear,
            };
        }
    }

    public static class Mathf // SR Mathf
    {
        public const float PI = (float)Math.PI; // SR Mathf.PI

        public static float Cos(float f) // SR Mathf.Cos
        {
            return (float)Math.Cos(f);
        }

        public static float Sin(float f) // SR Mathf.Sin
        {
            return (float)Math.Sin(f);
        }

        public static int Min(int a, int b) // SR Mathf.Min
        {
            return Math.Min(a, b);
        }

        public static int Max(int a, int b) // SR Mathf.Max
        {
            return Math.Max(a, b);
        }

        public static int RoundToInt(float f) // SR Mathf.RoundToInt
        {
            return (int)Math.Round(f);
        }
    }
}

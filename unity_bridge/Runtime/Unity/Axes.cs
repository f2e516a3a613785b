using Arwarden.Core;
using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>
    /// Between the engine's numbers and the package's. Both have x to the right, y up and z forward, so nothing is
    /// turned or mirrored: the contract's right, up and away are a camera's own axes in Unity.
    /// </summary>
    public static class Axes
    {
        public static Vector3D Of(Vector3 vector)
        {
            return new Vector3D(vector.x, vector.y, vector.z);
        }

        public static Vector3 Of(Vector3D vector)
        {
            return new Vector3((float)vector.X, (float)vector.Y, (float)vector.Z);
        }

        public static Rotation3D Of(Quaternion rotation)
        {
            return new Rotation3D(rotation.x, rotation.y, rotation.z, rotation.w);
        }

        public static Quaternion Of(Rotation3D rotation)
        {
            return new Quaternion((float)rotation.X, (float)rotation.Y, (float)rotation.Z, (float)rotation.W);
        }

        public static Pose3D Of(Transform transform)
        {
            return new Pose3D(Of(transform.position), Of(transform.rotation));
        }
    }
}

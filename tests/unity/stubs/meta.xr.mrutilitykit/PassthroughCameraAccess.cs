// The camera component of the MR Utility Kit 81, as a camera that a test moves by hand.
// MR = developers.meta.com/horizon/reference/mruk/v81/class_meta_x_r_passthrough_camera_access, member of that name
using System.Runtime.CompilerServices;
using UnityEngine;

[assembly: InternalsVisibleTo("Arwarden.EngineTests")]

namespace Meta.XR
{
    public class PassthroughCameraAccess : MonoBehaviour // MR class
    {
        internal static bool Supported = true;
        internal static bool IsForeign;
        internal static int Asked;

        internal readonly Texture Picture = new Texture();
        internal Pose At = new Pose(Vector3.zero, Quaternion.identity);
        internal Vector3 LowerLeft = new Vector3(-0.8f, -0.6f, 1);
        internal Vector3 UpperRight = new Vector3(0.7f, 0.65f, 1);

        private int _maxFramerate = 60;

        public enum CameraPositionType // MR CameraPositionType
        {
            Left,
            Right,
        }

        public CameraPositionType CameraPosition; // MR CameraPosition

        public static bool IsSupported // MR IsSupported
        {
            get
            {
                Asked++;
                if (IsForeign)
                {
                    throw new System.InvalidOperationException("java.lang.ClassNotFoundException: vros.os.VrosBuild");
                }
                return Supported;
            }
        }

        public int MaxFramerate // MR MaxFramerate
        {
            get
            {
                return _maxFramerate;
            }

            set
            {
                if (enabled)
                {
                    Debug.LogError("MaxFramerate can only be changed while the component is disabled");
                    return;
                }
                _maxFramerate = value;
            }
        }

        public bool IsPlaying { get; internal set; } // MR IsPlaying

        public bool IsUpdatedThisFrame { get; internal set; } // MR IsUpdatedThisFrame

        public Vector2Int CurrentResolution { get; internal set; } // MR CurrentResolution

        public Texture GetTexture() // MR GetTexture
        {
            return Picture;
        }

        public Pose GetCameraPose() // MR GetCameraPose
        {
            return At;
        }

        public Ray ViewportPointToRay(Vector2 viewportPoint, Pose? cameraPose = null) // MR ViewportPointToRay
        {
            Pose pose = cameraPose ?? At;
            var own = new Vector3(
                LowerLeft.x + (viewportPoint.x * (UpperRight.x - LowerLeft.x)),
                LowerLeft.y + (viewportPoint.y * (UpperRight.y - LowerLeft.y)),
                1);
            return new Ray(pose.position, pose.rotation * own);
        }
    }
}

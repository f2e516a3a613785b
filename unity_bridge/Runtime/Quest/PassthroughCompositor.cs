using System;
using Arwarden.Core;
using Arwarden.Unity;
using Meta.XR;
using UnityEngine;

namespace Arwarden.Quest
{
    /// <summary>
    /// Draws what the wearer sees: the passthrough camera's picture, and in front of it what the app draws, seen from
    /// where that camera stood when it took the picture. The warnings' layer is left out, or the daemon would read its
    /// own warnings.
    /// </summary>
    [DefaultExecutionOrder(90)]
    [DisallowMultipleComponent]
    [AddComponentMenu("arwarden/Passthrough compositor")]
    public sealed class PassthroughCompositor : FrameSource
    {
        public const string ShaderName = "ArwardenBackground";

        private const float NearM = 0.05f;
        private const float FarM = 100f;

        /// <summary>The backdrop hangs just before the far plane.</summary>
        private const float BackdropShare = 0.98f;

        /// <summary>A camera that another app has, or that fails, is tried again this often.</summary>
        private const double StartMs = 8000;

        private const double LookAgainMs = 1000;
        private const int CameraFps = 30;

        [SerializeField]
        private ArwardenClient _client;

        [Tooltip("The toolkit's camera component. Empty: one is made, for the left camera.")]
        [SerializeField]
        private PassthroughCameraAccess _cameraAccess;

        [Tooltip("What the app draws over passthrough. The overlay's layer never is.")]
        [SerializeField]
        private LayerMask _layers = ~0;

        private readonly CameraPermission _permission = new CameraPermission();
        private readonly Vector3[] _corners = new Vector3[4];
        private Camera _camera;
        private RenderTexture _picture;
        private GameObject _backdrop;
        private MeshRenderer _backdropRenderer;
        private Material _material;
        private Mesh _mesh;
        private CameraView _view;
        private CameraView _announced;
        private int _announcedFrame = -1;
        private bool _isNew;
        private double _askedMs;
        private double _lookMs = double.NegativeInfinity;
        private bool _supported;
        private bool _started;
        private bool _failed;
        private string _problem;

        public override RenderTexture Picture
        {
            get { return _picture; }
        }

        public override View View
        {
            get { return View.Composited; }
        }

        public override string Problem
        {
            get { return _problem; }
        }

        public PermissionState Permission
        {
            get { return _permission.State; }
        }

        public override bool Compose(int overlayLayer, out CameraView view)
        {
            view = _view;
            if (!_isNew)
            {
                return false;
            }
            _isNew = false;
            Aim();
            int mask = StreamCamera.Mask(_layers, overlayLayer);
            _backdrop.layer = StreamCamera.LayerOf(mask, overlayLayer);
            _camera.cullingMask = mask | (1 << _backdrop.layer);
            _backdropRenderer.enabled = true;
            _camera.Render();
            _backdropRenderer.enabled = false;
            return true;
        }

        private void OnEnable()
        {
            if (_client == null)
            {
                _client = ArwardenClient.Active;
            }
            _problem = null;
            _lookMs = double.NegativeInfinity;
            _started = false;
            _failed = false;
        }

        private void OnDisable()
        {
            Free();
            if (_cameraAccess != null)
            {
                _cameraAccess.enabled = false;
            }
        }

        private void OnApplicationFocus(bool focused)
        {
            if (focused)
            {
                _permission.Returned();
            }
        }

        private void OnApplicationPause(bool paused)
        {
            if (!paused && _client != null)
            {
                // The toolkit starts the camera anew, and what it showed before was seen from elsewhere.
                _askedMs = _client.Clock.NowMs;
                _announcedFrame = -1;
                _isNew = false;
            }
        }

        private void Update()
        {
            if (_client == null)
            {
                _client = ArwardenClient.Active;
            }
            if (_client == null || !IsSupported())
            {
                return;
            }
            _permission.Ask();
            if (_permission.State != PermissionState.Granted)
            {
                LookForPermission();
                _problem = WithoutPermission(_permission.State);
                return;
            }
            if (!_started)
            {
                StartCamera();
            }
            Look();
        }

        /// <summary>The toolkit asks the system by Java each time it is asked, so it is not asked in every frame.</summary>
        private bool IsSupported()
        {
            double nowMs = _client.Clock.NowMs;
            if (_supported || nowMs - _lookMs < LookAgainMs)
            {
                return _supported;
            }
            _lookMs = nowMs;
            try
            {
                _supported = PassthroughCameraAccess.IsSupported;
            }
            catch (Exception)
            {
                // Headsets of other makers do not have the system's class that it looks into.
                _supported = false;
            }
            _problem = _supported ? null : "this headset gives apps no camera (Quest 3 and 3S do, from system version 74)";
            return _supported;
        }

        private static string WithoutPermission(PermissionState state)
        {
            switch (state)
            {
                case PermissionState.Denied:
                    return "the permission for the headset's camera was denied";
                case PermissionState.Unanswered:
                    return "the question for the headset's camera was not answered: allow it in the headset's settings";
                default:
                    return null;
            }
        }

        /// <summary>Another part of the app may have asked for it too.</summary>
        private void LookForPermission()
        {
            double nowMs = _client.Clock.NowMs;
            if (nowMs - _lookMs >= LookAgainMs)
            {
                _lookMs = nowMs;
                _permission.LookAgain();
            }
        }

        private void StartCamera()
        {
            _started = true;
            _askedMs = _client.Clock.NowMs;
            if (_cameraAccess == null)
            {
                // Made inactive, because the rate can be set only before it runs.
                var holder = new GameObject("arwarden camera access");
                holder.SetActive(false);
                holder.transform.SetParent(transform, false);
                _cameraAccess = holder.AddComponent<PassthroughCameraAccess>();
                _cameraAccess.enabled = false;
                _cameraAccess.CameraPosition = PassthroughCameraAccess.CameraPositionType.Left;
                _cameraAccess.MaxFramerate = CameraFps;
                holder.SetActive(true);
            }
            _cameraAccess.enabled = true;
        }

        private void Look()
        {
            if (!_cameraAccess.IsPlaying)
            {
                Wait();
                return;
            }
            _failed = false;
            _problem = null;
            if (_picture != null && _camera == null)
            {
                // The camera went with the scene that it was made in.
                Free();
            }
            if (_announcedFrame >= 0 && _announcedFrame < Time.frameCount)
            {
                // The toolkit's texture gets a picture after the frame in which it is announced: now it is there.
                _view = _announced;
                _isNew = _view.IsUsable;
                _announcedFrame = -1;
            }
            if (!_cameraAccess.IsUpdatedThisFrame)
            {
                return;
            }
            Pose pose = _cameraAccess.GetCameraPose();
            _announced = ViewAt(pose);
            _announcedFrame = Time.frameCount;
            if (_picture == null)
            {
                Make(_cameraAccess.CurrentResolution);
            }
        }

        private void Wait()
        {
            bool late = _client.Clock.NowMs - _askedMs > StartMs;
            _failed = _failed || late || !_cameraAccess.enabled;
            _problem = _failed ? "the headset's camera does not start" : null;
            if (late)
            {
                _cameraAccess.enabled = false;
                _started = false;
            }
        }

        /// <summary>
        /// What the camera sees, by the rays through two corners of its picture: so the crop between sensor and picture
        /// and the lens off its centre are the toolkit's business.
        /// </summary>
        private CameraView ViewAt(Pose pose)
        {
            Quaternion back = Quaternion.Inverse(pose.rotation);
            Vector3 lowerLeft = back * _cameraAccess.ViewportPointToRay(new Vector2(0f, 0f), pose).direction;
            Vector3 upperRight = back * _cameraAccess.ViewportPointToRay(new Vector2(1f, 1f), pose).direction;
            bool ahead = lowerLeft.z > 0f && upperRight.z > 0f;
            return ahead
                ? CameraView.OfCorners(InWorld(pose), Axes.Of(lowerLeft), Axes.Of(upperRight))
                : default(CameraView);
        }

        private Pose3D InWorld(Pose pose)
        {
            var given = new Pose3D(Axes.Of(pose.position), Axes.Of(pose.rotation));
            Transform head = _client.Head;
            Transform rig = head == null ? null : head.parent;
            return rig == null ? given : RigSpace.OnHead(given, Axes.Of(rig), Axes.Of(head));
        }

        private void Aim()
        {
            float near = NearM;
            _camera.transform.SetPositionAndRotation(
                Axes.Of(_view.Pose.Position), Axes.Of(_view.Pose.Rotation));
            _camera.projectionMatrix = Matrix4x4.Frustum(
                (float)_view.Left * near,
                (float)_view.Right * near,
                (float)_view.Bottom * near,
                (float)_view.Top * near,
                near,
                FarM);
            float depth = FarM * BackdropShare;
            _corners[0] = new Vector3((float)_view.Left, (float)_view.Bottom, 1f) * depth;
            _corners[1] = new Vector3((float)_view.Left, (float)_view.Top, 1f) * depth;
            _corners[2] = new Vector3((float)_view.Right, (float)_view.Top, 1f) * depth;
            _corners[3] = new Vector3((float)_view.Right, (float)_view.Bottom, 1f) * depth;
            _mesh.vertices = _corners;
            _mesh.RecalculateBounds();
            _material.mainTexture = _cameraAccess.GetTexture();
        }

        private void Make(Vector2Int resolution)
        {
            BridgeSettings values = _client.Values;
            int width = values == null ? resolution.x : values.MaxWidthPx;
            _picture = StreamCamera.MakePicture(Size(resolution.x, resolution.y, width));
            _camera = StreamCamera.Make("arwarden passthrough camera", _picture, NearM, FarM);
            _mesh = new Mesh();
            _mesh.vertices = _corners;
            _mesh.uv = new[] { new Vector2(0, 0), new Vector2(0, 1), new Vector2(1, 1), new Vector2(1, 0) };
            _mesh.triangles = new[] { 0, 1, 2, 0, 2, 3 };
            _material = new Material(Resources.Load<Shader>(ShaderName));
            _backdrop = new GameObject("arwarden backdrop");
            _backdrop.transform.SetParent(_camera.transform, false);
            _backdrop.AddComponent<MeshFilter>().sharedMesh = _mesh;
            _backdropRenderer = _backdrop.AddComponent<MeshRenderer>();
            _backdropRenderer.sharedMaterial = _material;
            // Shown only while the stream's own camera draws: the wearer has the real passthrough.
            _backdropRenderer.enabled = false;
        }

        private void Free()
        {
            if (_picture == null)
            {
                return;
            }
            Destroy(_backdrop);
            Destroy(_material);
            Destroy(_mesh);
            StreamCamera.End(ref _camera, ref _picture);
            _announcedFrame = -1;
            _isNew = false;
        }
    }
}

using Arwarden.Core;
using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>
    /// Streams what the app draws, seen from the wearer's head, without any passthrough: for apps that draw everything
    /// themselves, and for trying things out in the editor.
    /// </summary>
    [AddComponentMenu("arwarden/Scene camera source")]
    public sealed class SceneCameraSource : FrameSource
    {
        private const float NearM = 0.05f;
        private const float FarM = 100f;

        [SerializeField]
        private ArwardenClient _client;

        [Tooltip("What is streamed. The overlay's layer never is.")]
        [SerializeField]
        private LayerMask _layers = ~0;

        [Range(30f, 120f)]
        [SerializeField]
        private float _verticalDeg = 70f;

        [SerializeField]
        private Color _background = Color.black;

        private Camera _camera;
        private RenderTexture _picture;

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
            get { return null; }
        }

        public override bool Compose(int overlayLayer, out CameraView view)
        {
            view = default(CameraView);
            Transform head = _client == null ? null : _client.Head;
            if (_camera == null || head == null)
            {
                return false;
            }
            view = CameraView.OfAngle(Axes.Of(head), _verticalDeg, (double)_picture.width / _picture.height);
            _camera.transform.SetPositionAndRotation(head.position, head.rotation);
            _camera.fieldOfView = _verticalDeg;
            _camera.cullingMask = StreamCamera.Mask(_layers, overlayLayer);
            _camera.Render();
            return true;
        }

        private void Update()
        {
            if (_client == null)
            {
                _client = ArwardenClient.Active;
            }
            if (_picture != null && _camera == null)
            {
                // The camera went with the scene that it was made in.
                StreamCamera.End(ref _camera, ref _picture);
            }
            if (_picture != null || _client == null || _client.Values == null)
            {
                return;
            }
            int width = _client.Values.MaxWidthPx;
            _picture = StreamCamera.MakePicture(Size(width, width * 3 / 4, width));
            _camera = StreamCamera.Make("arwarden scene camera", _picture, NearM, FarM);
            _camera.backgroundColor = _background;
        }

        private void OnDisable()
        {
            StreamCamera.End(ref _camera, ref _picture);
        }
    }
}

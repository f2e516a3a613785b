using Arwarden.Core;
using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>
    /// Lets the daemon correct where this object stands and how large it is, within limits. The app may go on moving the
    /// object: the correction is added to wherever the app puts it.
    /// </summary>
    [RequireComponent(typeof(ReportedObject))]
    [DisallowMultipleComponent]
    [AddComponentMenu("arwarden/Adjustable")]
    public sealed class Adjustable : MonoBehaviour
    {
        /// <summary>Less than this is rounding: a float has seven digits, so it grows with the distance from the origin.</summary>
        private const float MovedM = 1e-5f;

        [Tooltip("At most so far from where the app placed it, in metres.")]
        [Range(0f, 2f)]
        [SerializeField]
        private float _maxMove = 0.5f;

        [Range(0.1f, 1f)]
        [SerializeField]
        private float _minScale = 0.5f;

        [Range(1f, 10f)]
        [SerializeField]
        private float _maxScale = 2f;

        [Tooltip("Metres a second.")]
        [Range(0.05f, 1f)]
        [SerializeField]
        private float _maxSpeed = 0.25f;

        private ArwardenClient _client;
        private AdjustmentTrack _track;
        private string _id;
        private Vector3 _placed;
        private Vector3 _placedScale;
        private Vector3 _written;
        private Vector3 _writtenScale;
        private bool _held;

        /// <summary>Whether a correction is in force or under way.</summary>
        public bool IsCorrected
        {
            get { return _track != null && (!_track.IsSettled || _track.Move.Length > 0 || _track.Scale != 1); }
        }

        public bool IsHeld
        {
            get { return _held; }
        }

        /// <summary>The user takes it: nothing moves it but the user. Call it from a grab's "select entered".</summary>
        public void Hold()
        {
            _held = true;
            if (_track != null)
            {
                _track.Hold();
            }
        }

        /// <summary>The user lets go: it belongs where it is now. Call it from a grab's "select exited".</summary>
        public void Release()
        {
            _held = false;
            if (_track != null)
            {
                _track.Release();
            }
            TakePlace();
        }

        /// <summary>Back to where the app placed it, smoothly.</summary>
        public void Revert()
        {
            if (_track != null)
            {
                _track.Revert();
            }
        }

        /// <summary>What holds or corrects it, seen from a camera that stands like this.</summary>
        internal void Describe(Rotation3D camera, ref SceneObject described)
        {
            described.Held = _held;
            if (_track != null)
            {
                described.Corrected = camera.Inverse.Rotate(_track.Move);
                described.CorrectedScale = _track.Scale;
            }
        }

        private void OnEnable()
        {
            GetComponent<ReportedObject>().Adjustable = this;
            TakePlace();
            Join();
        }

        private void OnDisable()
        {
            GetComponent<ReportedObject>().Adjustable = null;
            if (_track != null && !_held)
            {
                transform.position = _placed;
                transform.localScale = _placedScale;
            }
            Leave();
        }

        private void LateUpdate()
        {
            if (_client != ArwardenClient.Active)
            {
                Leave();
                Join();
            }
            if (_track == null || _held)
            {
                return;
            }
            Follow();
            Vector3 move = Axes.Of(_track.Move);
            float scale = (float)_track.Scale;
            _written = _placed + move;
            _writtenScale = _placedScale * scale;
            if (_track.IsSettled && move == Vector3.zero && scale == 1f)
            {
                return;
            }
            transform.position = _written;
            transform.localScale = _writtenScale;
        }

        /// <summary>Whatever the app moved since the last frame belongs to its place.</summary>
        private void Follow()
        {
            Vector3 moved = transform.position - _written;
            if (moved.magnitude > MovedM * (1f + _written.magnitude))
            {
                _placed = _placed + moved;
            }
            Vector3 scale = transform.localScale;
            if ((scale - _writtenScale).magnitude > MovedM)
            {
                _placedScale = scale / (float)_track.Scale;
            }
        }

        private void TakePlace()
        {
            _placed = transform.position;
            _placedScale = transform.localScale;
            _written = _placed;
            _writtenScale = _placedScale;
        }

        private void Join()
        {
            _client = ArwardenClient.Active;
            if (_client == null)
            {
                return;
            }
            _id = GetComponent<ReportedObject>().Id;
            if (string.IsNullOrEmpty(_id) || _client.Desk.Has(_id) || _client.Desk.IsFull)
            {
                string why = _client.Desk.IsFull ? " is one too many" : " is empty or another object's id";
                Debug.LogWarning("arwarden: \"" + _id + "\"" + why + "; it is not adjustable", this);
                return;
            }
            _track = _client.Desk.Add(_id, new AdjustmentLimits
            {
                MaxMoveM = _maxMove,
                MinScale = _minScale,
                MaxScale = _maxScale,
                MaxSpeedMps = _maxSpeed,
            });
            if (_held)
            {
                _track.Hold();
            }
        }

        private void Leave()
        {
            if (_track != null)
            {
                _client.Desk.Remove(_id);
            }
            _track = null;
            _client = null;
        }
    }
}

using System;
using System.Collections.Generic;
using Arwarden.Core;
using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>One of the app's own objects that the daemon should know: what it is, where, and how large a real one is.</summary>
    [DisallowMultipleComponent]
    [AddComponentMenu("arwarden/Reported object")]
    public sealed class ReportedObject : MonoBehaviour
    {
        private static readonly List<ReportedObject> Present = new List<ReportedObject>();

        [Tooltip("Unique in the app, at most 64 characters. Empty: the object's name.")]
        [SerializeField]
        private string _id = "";

        [Tooltip("What kind of thing it is, such as microwave.")]
        [SerializeField]
        private string _class = "";

        [Tooltip("What is written on it, if anything.")]
        [SerializeField]
        private string _label = "";

        [Tooltip("Width, height and depth of a real one in metres. Zero: unknown.")]
        [SerializeField]
        private Vector3 _expectedSize = Vector3.zero;

        [Tooltip("What is drawn. Empty: the first renderer of this object or below it.")]
        [SerializeField]
        private Renderer _renderer;

        /// <summary>Those that are enabled now.</summary>
        public static IReadOnlyList<ReportedObject> All
        {
            get { return Present; }
        }

        public string Id
        {
            get { return _id; }
        }

        /// <summary>What corrects it; null where nothing does.</summary>
        internal Adjustable Adjustable { get; set; }

        /// <summary>The one with this id that is enabled; null without one.</summary>
        public static ReportedObject Find(string id)
        {
            for (int i = 0; i < Present.Count; i++)
            {
                if (string.Equals(Present[i]._id, id, StringComparison.Ordinal))
                {
                    return Present[i];
                }
            }
            return null;
        }

        /// <summary>Sets everything at once; for objects that are made at run time.</summary>
        public void Describe(string id, string kind, string label, Vector3 expectedSize)
        {
            _id = id;
            _class = kind;
            _label = label;
            _expectedSize = expectedSize;
        }

        /// <summary>False where nothing of it is in the picture.</summary>
        public bool TryDescribe(CameraView view, out SceneObject described)
        {
            described = default(SceneObject);
            if (_renderer == null)
            {
                _renderer = GetComponentInChildren<Renderer>();
            }
            if (_renderer == null || !_renderer.enabled || string.IsNullOrEmpty(_id))
            {
                return false;
            }
            Bounds bounds = _renderer.bounds;
            BoxNorm box;
            if (!view.TryBox(Axes.Of(bounds.center), Axes.Of(bounds.extents), out box))
            {
                return false;
            }
            Quaternion rotation = transform.rotation;
            described.Id = _id;
            described.Class = _class;
            described.Label = _label;
            described.Box = box;
            described.Position = Axes.Of(transform.position);
            described.RotationX = rotation.x;
            described.RotationY = rotation.y;
            described.RotationZ = rotation.z;
            described.RotationW = rotation.w;
            described.ExpectedSize = Axes.Of(_expectedSize);
            if (Adjustable != null)
            {
                Adjustable.Describe(view.Pose.Rotation, ref described);
            }
            return true;
        }

        private void OnEnable()
        {
            if (string.IsNullOrEmpty(_id))
            {
                _id = name.Substring(0, Math.Min(name.Length, SceneObject.MaxIdLength));
            }
            Present.Add(this);
        }

        private void OnDisable()
        {
            Present.Remove(this);
        }
    }
}

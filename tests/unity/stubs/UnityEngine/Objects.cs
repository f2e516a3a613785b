// Game objects and scripts with the life cycle of the manual's page "Event function execution order".
// SR = docs.unity3d.com/6000.0/Documentation/ScriptReference/
using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Arwarden.EngineTests")]
[assembly: InternalsVisibleTo("Unity.WebRTC")]
[assembly: InternalsVisibleTo("meta.xr.mrutilitykit")]
[assembly: InternalsVisibleTo("UnityEditor")]

namespace UnityEngine
{
    public class Object // SR Object
    {
        private static int _ids;
        private readonly int _id = ++_ids;

        public string name { get; set; } // SR Object-name

        internal bool IsDestroyed { get; private set; }

        public static void Destroy(Object obj) // SR Object.Destroy
        {
            if (!ReferenceEquals(obj, null) && !obj.IsDestroyed)
            {
                obj.OnStubDestroy();
                obj.IsDestroyed = true;
            }
        }

        public int GetInstanceID() // SR Object.GetInstanceID
        {
            return _id;
        }

        public static bool operator ==(Object x, Object y) // SR Object-operator_eq
        {
            bool noX = ReferenceEquals(x, null) || x.IsDestroyed;
            bool noY = ReferenceEquals(y, null) || y.IsDestroyed;
            return noX || noY ? noX == noY : ReferenceEquals(x, y);
        }

        public static bool operator !=(Object x, Object y) // SR Object-operator_ne
        {
            return !(x == y);
        }

        public override bool Equals(object other) // SR Object
        {
            return this == other as Object;
        }

        public override int GetHashCode() // SR Object
        {
            return _id;
        }

        internal virtual void OnStubDestroy()
        {
        }
    }

    public class Component : Object // SR Component
    {
        public GameObject gameObject { get; internal set; } // SR Component-gameObject

        public Transform transform // SR Component-transform
        {
            get { return gameObject.transform; }
        }

        public T GetComponentInChildren<T>() // SR Component.GetComponentInChildren
            where T : Component
        {
            T found = GetComponent<T>();
            foreach (Transform child in transform.Children)
            {
                found = ReferenceEquals(found, null) ? child.GetComponentInChildren<T>() : found;
            }
            return found;
        }

        public T GetComponent<T>() // SR Component.GetComponent
        {
            return gameObject.GetComponent<T>();
        }
    }

    public class Behaviour : Component // SR Behaviour
    {
        private bool _enabled = true;

        public bool enabled // SR Behaviour-enabled
        {
            get
            {
                return _enabled;
            }

            set
            {
                _enabled = value;
                Refresh();
            }
        }

        public bool isActiveAndEnabled // SR Behaviour-isActiveAndEnabled
        {
            get { return _enabled && !IsDestroyed && gameObject.activeInHierarchy; }
        }

        internal virtual void Refresh()
        {
        }
    }

    public class MonoBehaviour : Behaviour // SR MonoBehaviour
    {
        private readonly List<IEnumerator> _coroutines = new List<IEnumerator>();
        private bool _awake;
        private bool _on;

        public Coroutine StartCoroutine(IEnumerator routine) // SR MonoBehaviour.StartCoroutine
        {
            routine.MoveNext();
            _coroutines.Add(routine);
            return new Coroutine();
        }

        public void StopAllCoroutines() // SR MonoBehaviour.StopAllCoroutines
        {
            _coroutines.Clear();
        }

        internal override void Refresh()
        {
            if (!_awake && gameObject.activeInHierarchy)
            {
                _awake = true;
                StubEngine.Call(this, "Awake");
            }
            bool on = _awake && isActiveAndEnabled;
            if (on != _on)
            {
                _on = on;
                StubEngine.Call(this, on ? "OnEnable" : "OnDisable");
            }
        }

        internal void StepCoroutines()
        {
            foreach (IEnumerator routine in _coroutines.ToArray())
            {
                if (!routine.MoveNext())
                {
                    _coroutines.Remove(routine);
                }
            }
        }

        internal override void OnStubDestroy()
        {
            if (_on)
            {
                _on = false;
                StubEngine.Call(this, "OnDisable");
            }
            StubEngine.Scripts.Remove(this);
        }
    }

    public sealed class Coroutine // SR Coroutine
    {
    }

    public class CustomYieldInstruction // SR CustomYieldInstruction
    {
        public virtual bool keepWaiting // SR CustomYieldInstruction-keepWaiting
        {
            get { return false; }
        }
    }

    public class ScriptableObject : Object // SR ScriptableObject
    {
        public static T CreateInstance<T>() // SR ScriptableObject.CreateInstance
            where T : ScriptableObject
        {
            return Activator.CreateInstance<T>();
        }
    }

    public enum PrimitiveType // SR PrimitiveType
    {
        Sphere,
        Capsule,
        Cylinder,
        Cube,
        Plane,
        Quad,
    }

    public sealed class GameObject : Object // SR GameObject
    {
        private readonly List<Component> _components = new List<Component>();
        private bool _active = true;

        public GameObject() // SR GameObject-ctor
            : this("New Game Object")
        {
        }

        public GameObject(string name) // SR GameObject-ctor
        {
            this.name = name;
            transform = new Transform { gameObject = this };
            _components.Add(transform);
            StubEngine.Everything.Add(this);
        }

        public int layer { get; set; } // SR GameObject-layer

        public Transform transform { get; private set; } // SR GameObject-transform

        public bool activeInHierarchy // SR GameObject-activeInHierarchy
        {
            get
            {
                Transform above = transform.parent;
                return _active && !IsDestroyed && (above == null || above.gameObject.activeInHierarchy);
            }
        }

        public static GameObject CreatePrimitive(PrimitiveType type) // SR GameObject.CreatePrimitive
        {
            var made = new GameObject(type.ToString());
            made.AddComponent<MeshFilter>();
            made.AddComponent<MeshRenderer>();
            return made;
        }

        public void SetActive(bool value) // SR GameObject.SetActive
        {
            _active = value;
            RefreshAll();
        }

        public T AddComponent<T>() // SR GameObject.AddComponent
            where T : Component
        {
            return (T)Add(typeof(T));
        }

        public T GetComponent<T>() // SR GameObject.GetComponent
        {
            foreach (Component component in _components)
            {
                if (component is T)
                {
                    return (T)(object)component;
                }
            }
            return default(T);
        }

        internal IEnumerable<Component> Components
        {
            get { return _components; }
        }

        internal void RefreshAll()
        {
            foreach (Component component in _components.ToArray())
            {
                var behaviour = component as Behaviour;
                if (!ReferenceEquals(behaviour, null))
                {
                    behaviour.Refresh();
                }
            }
            foreach (Transform child in transform.Children.ToArray())
            {
                child.gameObject.RefreshAll();
            }
        }

        internal override void OnStubDestroy()
        {
            foreach (Transform child in transform.Children.ToArray())
            {
                Destroy(child.gameObject);
            }
            foreach (Component component in _components)
            {
                Destroy(component);
            }
            transform.SetParent(null, false);
            StubEngine.Everything.Remove(this);
        }

        private Component Add(Type type)
        {
            foreach (RequireComponent needs in type.GetCustomAttributes(typeof(RequireComponent), true))
            {
                bool there = _components.Exists(component => needs.m_Type0.IsInstanceOfType(component));
                if (!there)
                {
                    Add(needs.m_Type0);
                }
            }
            var made = (Component)Activator.CreateInstance(type);
            made.gameObject = this;
            made.name = name;
            _components.Add(made);
            var script = made as MonoBehaviour;
            if (!ReferenceEquals(script, null))
            {
                StubEngine.Scripts.Add(script);
                script.Refresh();
            }
            return made;
        }
    }

    public class Transform : Component // SR Transform
    {
        internal readonly List<Transform> Children = new List<Transform>();

        private Transform _parent;
        private Vector3 _position = Vector3.zero;
        private Quaternion _rotation = Quaternion.identity;
        private Vector3 _scale = Vector3.one;

        public Transform parent // SR Transform-parent
        {
            get { return _parent; }
        }

        public Vector3 localPosition // SR Transform-localPosition
        {
            get { return _position; }
            set { _position = value; }
        }

        public Vector3 localScale // SR Transform-localScale
        {
            get { return _scale; }
            set { _scale = value; }
        }

        public Vector3 position // SR Transform-position
        {
            get
            {
                return ReferenceEquals(_parent, null)
                    ? _position
                    : _parent.position + (_parent.rotation * Vector3.Scaled(_parent._scale, _position));
            }

            set
            {
                Vector3 own = ReferenceEquals(_parent, null)
                    ? value
                    : Quaternion.Inverse(_parent.rotation) * (value - _parent.position);
                _position = own;
            }
        }

        public Quaternion rotation // SR Transform-rotation
        {
            get { return ReferenceEquals(_parent, null) ? _rotation : _parent.rotation * _rotation; }
            set { _rotation = ReferenceEquals(_parent, null) ? value : Quaternion.Inverse(_parent.rotation) * value; }
        }

        public void SetParent(Transform p, bool worldPositionStays) // SR Transform.SetParent
        {
            if (!ReferenceEquals(_parent, null))
            {
                _parent.Children.Remove(this);
            }
            _parent = p;
            if (!ReferenceEquals(p, null))
            {
                p.Children.Add(this);
                gameObject.RefreshAll();
            }
        }

        public void SetPositionAndRotation(Vector3 position, Quaternion rotation) // SR Transform.SetPositionAndRotation
        {
            this.position = position;
            this.rotation = rotation;
        }
    }

    /// <summary>What tests turn the handle of.</summary>
    internal static class StubEngine
    {
        internal static readonly List<GameObject> Everything = new List<GameObject>();
        internal static readonly List<MonoBehaviour> Scripts = new List<MonoBehaviour>();

        internal static void Reset()
        {
            foreach (GameObject left in Everything.ToArray())
            {
                Object.Destroy(left);
            }
            Everything.Clear();
            Scripts.Clear();
            Camera.Main = null;
            Camera.Renders.Clear();
            Debug.Lines.Clear();
            Networking.UnityWebRequest.Sent.Clear();
            Networking.UnityWebRequest.Server = null;
            Android.Permission.Granted.Clear();
            Android.Permission.Asked.Clear();
            Graphics.Blits = 0;
            RenderTexture.active = null;
            XR.XRDisplaySubsystem.All.Clear();
        }

        /// <summary>One frame: coroutines and requests, Update of everything, LateUpdate of everything.</summary>
        internal static void Frame(float seconds)
        {
            Time.frameCount++;
            Time.unscaledDeltaTime = seconds;
            Networking.UnityWebRequest.StepAll();
            CallAll("Update");
            foreach (MonoBehaviour script in Scripts.ToArray())
            {
                script.StepCoroutines();
            }
            CallAll("LateUpdate");
        }

        internal static void CallAll(string message, params object[] arguments)
        {
            MonoBehaviour[] scripts = Scripts.ToArray();
            Array.Sort(scripts, (one, other) => Order(one).CompareTo(Order(other)));
            foreach (MonoBehaviour script in scripts)
            {
                if (script.isActiveAndEnabled)
                {
                    Call(script, message, arguments);
                }
            }
        }

        internal static void Call(MonoBehaviour script, string message, params object[] arguments)
        {
            const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
            MethodInfo method = script.GetType().GetMethod(message, Any);
            if (method != null)
            {
                try
                {
                    method.Invoke(script, arguments);
                }
                catch (TargetInvocationException error)
                {
                    throw new InvalidOperationException(message + ": " + error.InnerException, error.InnerException);
                }
            }
        }

        private static int Order(MonoBehaviour script)
        {
            object[] found = script.GetType().GetCustomAttributes(typeof(DefaultExecutionOrder), true);
            return (found.Length == 0 ? 0 : ((DefaultExecutionOrder)found[0]).order * 100000) + script.GetInstanceID();
        }
    }
}

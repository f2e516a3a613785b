// What is drawn, and what draws. SR = docs.unity3d.com/6000.0/Documentation/ScriptReference/
using System;
using System.Collections.Generic;
using UnityEngine.Experimental.Rendering;
using UnityEngine.Rendering;

namespace UnityEngine
{
    public enum CameraClearFlags // SR CameraClearFlags
    {
        Skybox = 1,
        SolidColor = 2,
        Depth = 3,
        Nothing = 4,
    }

    public enum StereoTargetEyeMask // SR StereoTargetEyeMask
    {
        None = 0,
        Left = 1,
        Right = 2,
        Both = 3,
    }

    public enum RenderTextureFormat // SR RenderTextureFormat
    {
        ARGB32 = 0,
    }

    public enum TextAnchor // SR TextAnchor
    {
        UpperLeft,
        UpperCenter,
        UpperRight,
        MiddleLeft,
        MiddleCenter,
        MiddleRight,
        LowerLeft,
        LowerCenter,
        LowerRight,
    }

    public class Texture : Object // SR Texture
    {
        public virtual int width { get; set; } // SR Texture-width

        public virtual int height { get; set; } // SR Texture-height
    }

    public class RenderTexture : Texture // SR RenderTexture
    {
        public static RenderTexture active { get; set; } // SR RenderTexture-active

        public RenderTexture(int width, int height, int depth, RenderTextureFormat format) // SR RenderTexture-ctor
        {
            this.width = width;
            this.height = height;
        }

        public RenderTexture(int width, int height, int depth, GraphicsFormat format) // SR RenderTexture-ctor
        {
            this.width = width;
            this.height = height;
            Format = format;
        }

        internal GraphicsFormat Format { get; private set; }

        internal bool Exists { get; private set; }

        public bool Create() // SR RenderTexture.Create
        {
            Exists = true;
            return true;
        }

        public void Release() // SR RenderTexture.Release
        {
            if (ReferenceEquals(active, this))
            {
                Debug.LogError("Releasing render texture that is set to be RenderTexture.active!");
            }
            Exists = false;
        }
    }

    public static class Graphics // SR Graphics
    {
        internal static int Blits;

        public static void Blit(Texture source, RenderTexture dest) // SR Graphics.Blit
        {
            if (source == null || dest == null)
            {
                throw new ArgumentNullException();
            }
            Blits++;
            RenderTexture.active = dest;
        }
    }

    public sealed class Shader : Object // SR Shader
    {
        public static int PropertyToID(string name) // SR Shader.PropertyToID
        {
            return name.GetHashCode();
        }
    }

    public class Material : Object // SR Material
    {
        internal readonly Dictionary<int, Color> Colors = new Dictionary<int, Color>();

        public Material(Shader shader) // SR Material-ctor
        {
            if (shader == null)
            {
                throw new ArgumentNullException("shader");
            }
        }

        public Texture mainTexture { get; set; } // SR Material-mainTexture

        public void SetColor(int nameID, Color value) // SR Material.SetColor
        {
            Colors[nameID] = value;
        }
    }

    public sealed class Mesh : Object // SR Mesh
    {
        private Vector3[] _vertices = new Vector3[0];

        public Vector3[] vertices // SR Mesh-vertices
        {
            get { return (Vector3[])_vertices.Clone(); }
            set { _vertices = (Vector3[])value.Clone(); }
        }

        public Vector2[] uv { get; set; } // SR Mesh-uv

        public int[] triangles { get; set; } // SR Mesh-triangles

        public void RecalculateBounds() // SR Mesh.RecalculateBounds
        {
        }
    }

    public sealed class MeshFilter : Component // SR MeshFilter
    {
        public Mesh sharedMesh { get; set; } // SR MeshFilter-sharedMesh
    }

    public class Renderer : Component // SR Renderer
    {
        internal Vector3 Size = Vector3.one;

        public Renderer() // SR Renderer
        {
            enabled = true;
        }

        public bool enabled { get; set; } // SR Renderer-enabled

        public Material sharedMaterial { get; set; } // SR Renderer-sharedMaterial

        public int sortingOrder { get; set; } // SR Renderer-sortingOrder

        public Bounds bounds // SR Renderer-bounds
        {
            get { return new Bounds(transform.position, Vector3.Scaled(Size, transform.localScale)); }
        }
    }

    public sealed class MeshRenderer : Renderer // SR MeshRenderer
    {
    }

    public sealed class Font : Object // SR Font
    {
        private readonly Material _material = new Material(new Shader()) { mainTexture = new Texture() };

        public Material material // SR Font-material
        {
            get { return _material; }
        }
    }

    [RequireComponent(typeof(MeshRenderer))]
    public sealed class TextMesh : Component // SR TextMesh
    {
        public string text { get; set; } // SR TextMesh-text

        public Font font { get; set; } // SR TextMesh-font

        public int fontSize { get; set; } // SR TextMesh-fontSize

        public float characterSize { get; set; } // SR TextMesh-characterSize

        public TextAnchor anchor { get; set; } // SR TextMesh-anchor

        public float lineSpacing { get; set; } // SR TextMesh-lineSpacing

        public bool richText { get; set; } // SR TextMesh-richText

        public Color color { get; set; } // SR TextMesh-color
    }

    public sealed class Camera : Behaviour // SR Camera
    {
        internal static readonly List<string> Renders = new List<string>();
        internal static Camera Main;

        public Camera() // SR Camera
        {
            fieldOfView = 60;
            aspect = 1;
            cullingMask = ~0;
        }

        public static Camera main // SR Camera-main
        {
            get { return Main; }
        }

        public float fieldOfView { get; set; } // SR Camera-fieldOfView

        public float aspect { get; set; } // SR Camera-aspect

        public int cullingMask { get; set; } // SR Camera-cullingMask

        public float nearClipPlane { get; set; } // SR Camera-nearClipPlane

        public float farClipPlane { get; set; } // SR Camera-farClipPlane

        public CameraClearFlags clearFlags { get; set; } // SR Camera-clearFlags

        public Color backgroundColor { get; set; } // SR Camera-backgroundColor

        public RenderTexture targetTexture { get; set; } // SR Camera-targetTexture

        public Matrix4x4 projectionMatrix { get; set; } // SR Camera-projectionMatrix

        public StereoTargetEyeMask stereoTargetEye { get; set; } // SR Camera-stereoTargetEye

        public void Render() // SR Camera.Render
        {
            var seen = new List<string>();
            foreach (GameObject item in StubEngine.Everything)
            {
                var renderer = item.GetComponent<MeshRenderer>();
                bool drawn = renderer != null && renderer.enabled && item.activeInHierarchy;
                if (drawn && (cullingMask & (1 << item.layer)) != 0)
                {
                    seen.Add(item.name);
                }
            }
            seen.Sort(StringComparer.Ordinal);
            Renders.Add(name + ": " + string.Join(", ", seen.ToArray()));
        }
    }

    public sealed class Resources // SR Resources
    {
        internal static readonly HashSet<string> Present = new HashSet<string>();

        public static T Load<T>(string path) // SR Resources.Load
            where T : Object
        {
            return Present.Contains(path) ? Activator.CreateInstance<T>() : null;
        }

        public static T GetBuiltinResource<T>(string path) // SR Resources.GetBuiltinResource
            where T : Object
        {
            // Arial.ttf is no longer one since 2022.2.
            return path == "LegacyRuntime.ttf" ? Activator.CreateInstance<T>() : null;
        }
    }
}

namespace UnityEngine.Rendering
{
    public enum GraphicsDeviceType // SR Rendering.GraphicsDeviceType
    {
        OpenGLES3 = 11,
        Vulkan = 21,
    }
}

namespace UnityEngine.Experimental.Rendering
{
    public enum GraphicsFormat // SR Experimental.Rendering.GraphicsFormat
    {
        None = 0,
        B8G8R8A8_SRGB = 57,
    }
}

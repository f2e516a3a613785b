using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>One drawn thing of the overlay: a flat shape, or a text, with a colour that can fade.</summary>
    internal sealed class OverlayPart
    {
        public const string ShaderName = "ArwardenOverlay";
        public const string FontName = "LegacyRuntime.ttf";

        /// <summary>Pixels of the font's texture per character: enough for 1.1 degrees on 25 pixels per degree.</summary>
        private const int FontPixels = 72;

        /// <summary>TextMesh draws a font's pixel a tenth of a unit large (times characterSize).</summary>
        private const float UnitsPerPixel = 0.1f;

        /// <summary>The size of a font is from the lowest to the highest stroke; its capitals take about 0.7 of it.</summary>
        private const float CapitalShare = 0.7f;

        private static readonly int ColorId = Shader.PropertyToID("_Color");

        private readonly GameObject _object;
        private readonly MeshRenderer _renderer;
        private readonly Material _material;
        private readonly MeshFilter _filter;
        private readonly Mesh _mesh;
        private readonly TextMesh _text;
        private readonly Font _font;
        private Color _color = Color.white;
        private float _opacity = -1;

        private OverlayPart(string name, Transform parent, int layer, int order)
        {
            _object = new GameObject(name);
            _object.layer = layer;
            _object.transform.SetParent(parent, false);
            _renderer = _object.AddComponent<MeshRenderer>();
            _renderer.sortingOrder = order;
            _material = new Material(Resources.Load<Shader>(ShaderName));
            _renderer.sharedMaterial = _material;
            _renderer.enabled = false;
        }

        private OverlayPart(string name, Transform parent, int layer, int order, Mesh mesh)
            : this(name, parent, layer, order)
        {
            _filter = _object.AddComponent<MeshFilter>();
            _filter.sharedMesh = mesh;
            _mesh = mesh;
        }

        private OverlayPart(
            string name, Transform parent, int layer, int order, float capitalM, TextAnchor anchor)
            : this(name, parent, layer, order)
        {
            _font = Resources.GetBuiltinResource<Font>(FontName);
            _text = _object.AddComponent<TextMesh>();
            _text.font = _font;
            _text.fontSize = FontPixels;
            _text.characterSize = capitalM / CapitalShare / (FontPixels * UnitsPerPixel);
            _text.anchor = anchor;
            _text.lineSpacing = 1;
            // What is written comes out of the picture: it must not be able to colour or resize itself.
            _text.richText = false;
        }

        public Mesh Mesh
        {
            get { return _filter.sharedMesh; }
        }

        public string Text
        {
            get { return _text.text; }
        }

        public bool IsVisible
        {
            get { return _renderer.enabled; }
        }

        public Color Color
        {
            get { return _color; }
        }

        public Transform Transform
        {
            get { return _object.transform; }
        }

        public static OverlayPart Shape(string name, Transform parent, int layer, int order, Mesh mesh)
        {
            return new OverlayPart(name, parent, layer, order, mesh);
        }

        public static OverlayPart Writing(
            string name, Transform parent, int layer, int order, float capitalM, TextAnchor anchor)
        {
            return new OverlayPart(name, parent, layer, order, capitalM, anchor);
        }

        public OverlayPart At(float x, float y)
        {
            _object.transform.localPosition = new Vector3(x, y, 0);
            return this;
        }

        public OverlayPart Colored(Color color)
        {
            _color = color;
            _opacity = -1;
            return this;
        }

        public void SetMesh(Mesh mesh)
        {
            _filter.sharedMesh = mesh;
        }

        public OverlayPart Write(string text)
        {
            if (_text.text != text)
            {
                _text.text = text;
                // A font that had to make room for new letters may have another texture now.
                _material.mainTexture = _font == null ? null : _font.material.mainTexture;
            }
            return this;
        }

        /// <summary>0 hides it. Does nothing where nothing changes.</summary>
        public void Show(double opacity)
        {
            float wanted = (float)opacity;
            if (wanted == _opacity)
            {
                return;
            }
            _opacity = wanted;
            _renderer.enabled = wanted > 0;
            Color color = _color;
            color.a *= wanted;
            _material.SetColor(ColorId, color);
        }

        public void End()
        {
            Object.Destroy(_material);
            Object.Destroy(_mesh);
            Object.Destroy(_object);
        }
    }
}

using System.Collections.Generic;
using Arwarden.Core;
using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>
    /// The warnings over the wearer's view, and the monitor's own state when it is not as it should be. A panel below the
    /// middle of the view says what is wrong, by colour, shape and word; frames lie around the elements that it names.
    /// Looking at its mark, or <see cref="Dismiss"/>, takes it away; without that it goes by itself.
    /// </summary>
    [DefaultExecutionOrder(50)]
    [DisallowMultipleComponent]
    [AddComponentMenu("arwarden/Warning overlay")]
    public sealed class WarningOverlay : MonoBehaviour
    {
        /// <summary>Blue, amber and a red with some yellow: apart from each other for colour-blind people too.</summary>
        public static readonly Color[] SeverityColors =
        {
            new Color(0.35f, 0.65f, 1f, 1f), new Color(1f, 0.75f, 0.1f, 1f), new Color(1f, 0.33f, 0.2f, 1f),
        };

        private static readonly Color Ground = new Color(0.05f, 0.06f, 0.08f, 0.88f);
        private static readonly Color Ink = new Color(0.96f, 0.97f, 1f, 1f);
        private static readonly Color Quiet = new Color(0.72f, 0.76f, 0.82f, 1f);
        private static readonly string[] Marks = { "i", "!", "!" };

        [SerializeField]
        private ArwardenClient _client;

        [Tooltip("Looking at the mark below the text for a second dismisses a warning.")]
        [SerializeField]
        private bool _dismissByLooking = true;

        private readonly OverlayPresenter _presenter = new OverlayPresenter();
        private readonly GazeDwell _dwell = new GazeDwell();
        private readonly Vector3D[] _corners = new Vector3D[4];
        private readonly Vector3[] _vertices = new Vector3[8];
        private readonly List<OverlayPart> _parts = new List<OverlayPart>();
        private readonly OverlayPart[] _regions = new OverlayPart[2];
        private readonly OverlayPart[] _numbers = new OverlayPart[2];
        private readonly bool[] _placed = new bool[2];
        private readonly Mesh[] _signs = new Mesh[3];
        private ArwardenSettings _builtFor;
        private PanelPlacement _placement;
        private Transform _root;
        private Transform _panel;
        private OverlayPart _ground;
        private OverlayPart _edge;
        private OverlayPart _sign;
        private OverlayPart _mark;
        private OverlayPart _word;
        private OverlayPart _message;
        private OverlayPart _names;
        private OverlayPart _more;
        private OverlayPart _close;
        private OverlayPart _closing;
        private OverlayPart _hint;
        private OverlayPart _calmGround;
        private OverlayPart _calm;
        private float _left;
        private float _top;
        private long _drawn = -1;
        private string _drawnCalm = "";

        /// <summary>What is shown and how strongly; for tests, and for apps that draw their own.</summary>
        public OverlayPresenter Presenter
        {
            get { return _presenter; }
        }

        /// <summary>Takes the warning away that is shown now. Call it from a button or a gesture.</summary>
        public void Dismiss()
        {
            if (_client != null && _presenter.Alert != null)
            {
                _client.Dismiss(_presenter.Alert.Id);
            }
        }

        private void OnDisable()
        {
            Free();
        }

        private void LateUpdate()
        {
            if (_client == null)
            {
                _client = ArwardenClient.Active;
            }
            if (_client == null || _client.Head == null)
            {
                return;
            }
            if (_root == null || _builtFor != _client.Settings)
            {
                Free();
                Build();
            }
            float seconds = Time.unscaledDeltaTime;
            _presenter.Step(_client.Alerts, _client.Monitor, _client.Clock.NowMs, seconds);
            if (_presenter.Version != _drawn)
            {
                _drawn = _presenter.Version;
                Draw();
            }
            if (_client.Monitor.Text != _drawnCalm && _client.Monitor.Text.Length > 0)
            {
                _drawnCalm = _client.Monitor.Text;
                _calm.Write(_drawnCalm);
            }
            Place(seconds);
            Fade();
        }

        private void Place(float seconds)
        {
            Pose3D head = Axes.Of(_client.Head);
            if (_presenter.Opacity <= 0 && _presenter.CalmOpacity <= 0)
            {
                _placement.Reset();
            }
            _placement.Step(head, seconds);
            _panel.SetPositionAndRotation(
                Axes.Of(_placement.Pose.Position), Axes.Of(_placement.Pose.Rotation));
            bool open = _dismissByLooking && _presenter.Alert != null && _presenter.Opacity >= 1;
            Vector3D mark = Axes.Of(_close.Transform.position);
            if (_dwell.Step(head, mark, open, seconds))
            {
                Dismiss();
            }
            float filled = (float)_dwell.Share;
            _closing.Transform.localScale = new Vector3(filled, filled, 1f);
        }

        private void Fade()
        {
            double opacity = _presenter.Opacity;
            _ground.Show(opacity);
            _edge.Show(opacity);
            _sign.Show(opacity);
            _mark.Show(opacity);
            _word.Show(opacity);
            _message.Show(opacity);
            _names.Show(opacity);
            _more.Show(opacity);
            _close.Show(_dismissByLooking ? opacity : 0);
            _closing.Show(_dismissByLooking ? opacity : 0);
            _hint.Show(_dismissByLooking ? opacity : 0);
            _calmGround.Show(_presenter.CalmOpacity);
            _calm.Show(_presenter.CalmOpacity);
            for (int i = 0; i < _regions.Length; i++)
            {
                double region = _placed[i] ? _presenter.RegionOpacity : 0;
                _regions[i].Show(region);
                _numbers[i].Show(region);
            }
        }

        private void Draw()
        {
            Alert alert = _presenter.Alert;
            if (alert == null)
            {
                return;
            }
            int severity = (int)alert.Severity;
            Color color = SeverityColors[severity];
            _edge.Colored(color);
            _sign.Colored(color).SetMesh(_signs[severity]);
            _mark.Write(Marks[severity]);
            _word.Colored(color).Write(AlertText.Word(alert.Severity));
            string message = AlertText.Message(alert);
            int lines = message.Split('\n').Length;
            _message.Write(message);
            _names.At(_left, _top - (Metres(OverlayLayout.LineDeg) * (1.7f + (0.9f * lines))));
            _names.Write(AlertText.Names(alert));
            _more.Write(_presenter.More == 0 ? "" : "+" + _presenter.More + " more");
            for (int i = 0; i < _regions.Length; i++)
            {
                DrawRegion(i, alert, color);
            }
        }

        /// <summary>A frame where the element was when it was seen: it stays in the world while the head turns.</summary>
        private void DrawRegion(int place, Alert alert, Color color)
        {
            CameraView view = default(CameraView);
            Element element = place < alert.Elements.Count ? alert.Elements[place] : null;
            bool known = element != null && _client.TryView(alert.CapturedMs, out view);
            double distance = known ? Distance(element, view) : 0;
            _placed[place] = known && OverlayLayout.TryRegion(view, element.Box, distance, _corners);
            if (!_placed[place])
            {
                return;
            }
            double edge = Angles.SpanM(OverlayLayout.EdgeDeg, distance);
            OverlayMeshes.SetFrame(_regions[place].Mesh, _vertices, _corners, edge);
            _regions[place].Colored(color);
            _numbers[place].Colored(color);
            _numbers[place].Transform.SetPositionAndRotation(
                Axes.Of(_corners[0]), Axes.Of(view.Pose.Rotation));
        }

        /// <summary>As far as the app's own object is, where the element is one: then both eyes see the frame on it.</summary>
        private static double Distance(Element element, CameraView view)
        {
            ReportedObject found = element.ObjectId.Length == 0 ? null : ReportedObject.Find(element.ObjectId);
            double depth = found == null ? 0 : view.Pose.ToOwn(Axes.Of(found.transform.position)).Z;
            return depth > OverlayLayout.MinDistanceM ? depth : OverlayLayout.RegionDistanceM;
        }

        private OverlayPart Shape(string part, Transform parent, int layer, int order, Mesh mesh)
        {
            OverlayPart made = OverlayPart.Shape(part, parent, layer, order, mesh);
            _parts.Add(made);
            return made;
        }

        private OverlayPart Writing(
            string part, Transform parent, int layer, int order, float capitalM, TextAnchor anchor)
        {
            OverlayPart made = OverlayPart.Writing(part, parent, layer, order, capitalM, anchor);
            _parts.Add(made);
            return made;
        }

        private float Metres(double deg)
        {
            return (float)Angles.SpanM(deg, _placement.DistanceM);
        }

        /// <summary>Also where the objects are gone already, with a scene that they were made in.</summary>
        private void Free()
        {
            foreach (OverlayPart part in _parts)
            {
                part.End();
            }
            _parts.Clear();
            foreach (Mesh sign in _signs)
            {
                Destroy(sign);
            }
            if (_root != null)
            {
                Destroy(_root.gameObject);
            }
            _root = null;
            _drawn = -1;
            _drawnCalm = "";
        }

        private void Build()
        {
            _builtFor = _client.Settings;
            bool given = _builtFor != null;
            int layer = given ? _builtFor.OverlayLayer : ArwardenSettings.DefaultOverlayLayer;
            _placement = new PanelPlacement(given ? _builtFor.OverlayDistance : OverlayLayout.DefaultDistanceM);
            _root = new GameObject("arwarden overlay").transform;
            _panel = new GameObject("panel").transform;
            _panel.SetParent(_root, false);
            for (int i = 0; i < _signs.Length; i++)
            {
                _signs[i] = OverlayMeshes.Sign((Severity)i, Metres(OverlayLayout.SignDeg));
            }
            BuildPanel(layer);
            BuildWriting(layer);
            float number = (float)Angles.SpanM(OverlayLayout.WordDeg, OverlayLayout.RegionDistanceM);
            for (int i = 0; i < _regions.Length; i++)
            {
                _regions[i] = Shape("region", _root, layer, 1, OverlayMeshes.Frame());
                _numbers[i] = Writing("number", _root, layer, 2, number, TextAnchor.LowerLeft);
                _numbers[i].Write(i == 0 ? "1" : "2");
            }
        }

        private void BuildPanel(int layer)
        {
            float width = Metres(OverlayLayout.PanelWidthDeg);
            float height = Metres(OverlayLayout.PanelHeightDeg);
            float line = Metres(OverlayLayout.LineDeg);
            _ground = Shape("ground", _panel, layer, 3, OverlayMeshes.Rectangle(width, height));
            _ground.Colored(Ground);
            _edge = Shape("edge", _panel, layer, 4, OverlayMeshes.Frame());
            OverlayMeshes.SetFrame(_edge.Mesh, _vertices, width, height, Metres(OverlayLayout.EdgeDeg));
            float signX = (-width / 2) + Metres(OverlayLayout.SignDeg * 0.75);
            _sign = Shape("sign", _panel, layer, 4, _signs[0]).At(signX, height * 0.2f);
            // In the middle, because turning the head to an edge would make the panel follow.
            float markY = (-height / 2) + (line * 0.8f);
            _close = Shape("close", _panel, layer, 4, OverlayMeshes.Disc(line)).At(0f, markY);
            _close.Colored(new Color(1f, 1f, 1f, 0.25f));
            _closing = Shape("closing", _panel, layer, 5, OverlayMeshes.Disc(line)).At(0f, markY);
            _closing.Colored(Ink);
            _hint = Writing(
                "hint", _panel, layer, 4, Metres(OverlayLayout.TextDeg * 0.8), TextAnchor.MiddleLeft);
            _hint.At(line, markY).Colored(Quiet).Write("look here to close");
            _calmGround = Shape(
                "calm ground", _panel, layer, 3, OverlayMeshes.Rectangle(width, 3 * line));
            _calmGround.Colored(Ground);
        }

        private void BuildWriting(int layer)
        {
            float width = Metres(OverlayLayout.PanelWidthDeg);
            float height = Metres(OverlayLayout.PanelHeightDeg);
            float line = Metres(OverlayLayout.LineDeg);
            float text = Metres(OverlayLayout.TextDeg);
            _left = (-width / 2) + Metres(OverlayLayout.SignDeg * 1.5);
            _top = (height / 2) - (line * 0.6f);
            _mark = Writing(
                "mark", _panel, layer, 5, Metres(OverlayLayout.SignDeg * 0.4), TextAnchor.MiddleCenter);
            _mark.At((-width / 2) + Metres(OverlayLayout.SignDeg * 0.75), height * 0.2f).Colored(Color.black);
            _word = Writing(
                "word", _panel, layer, 4, Metres(OverlayLayout.WordDeg), TextAnchor.UpperLeft).At(_left, _top);
            _message = Writing("message", _panel, layer, 4, text, TextAnchor.UpperLeft);
            _message.At(_left, _top - (line * 1.3f)).Colored(Ink);
            _names = Writing("names", _panel, layer, 4, text, TextAnchor.UpperLeft);
            _names.Colored(Quiet);
            _more = Writing("more", _panel, layer, 4, text, TextAnchor.UpperRight);
            _more.At((width / 2) - (line * 0.5f), _top).Colored(Quiet);
            _calm = Writing("calm", _panel, layer, 4, text, TextAnchor.MiddleCenter);
            _calm.Colored(Quiet);
        }
    }
}

using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>One object that the app draws, as the daemon is told about it.</summary>
    public struct SceneObject
    {
        public const int MaxIdLength = 64;
        public const int MaxLabelLength = 100;

        public string Id;
        public string Class;
        public string Label;

        /// <summary>Where it is in the streamed picture.</summary>
        public BoxNorm Box;

        /// <summary>Metres, in the app's own space.</summary>
        public Vector3D Position;

        /// <summary>A quaternion: x, y, z, w.</summary>
        public double RotationX;
        public double RotationY;
        public double RotationZ;
        public double RotationW;

        /// <summary>How large a real one is: width, height, depth in metres; zero where nobody knows.</summary>
        public Vector3D ExpectedSize;

        /// <summary>Whether the user holds it, so that nothing else may move it.</summary>
        public bool Held;

        /// <summary>The move in force by an adjustment: right, up, away in the camera's view now. Metres.</summary>
        public Vector3D Corrected;

        /// <summary>The factor in force by an adjustment; zero where the app does not say what is in force.</summary>
        public double CorrectedScale;
    }

    /// <summary>
    /// Says what the app draws: all of it at first, every ten seconds and when asked to, and what has changed in
    /// between. A report names the one it builds on, so that a reader who missed one waits for the next full one.
    /// </summary>
    public sealed class SceneReporter
    {
        public const string Schema = "arwarden/scene/1";
        public const int MaxObjects = 64;
        public const int MaxBytes = 16384;
        public const double MinIntervalMs = 200;
        public const double FullIntervalMs = 10000;

        private const double BoxStep = 0.01;
        private const double PositionStepM = 0.01;
        private const double RotationStepCos = 0.99996;
        private const double ScaleStep = 0.01;

        private readonly Dictionary<string, SceneObject> _told =
            new Dictionary<string, SceneObject>(StringComparer.Ordinal);

        private readonly HashSet<string> _present = new HashSet<string>(StringComparer.Ordinal);
        private readonly List<string> _removed = new List<string>();
        private readonly List<SceneObject> _changed = new List<SceneObject>();
        private double _lastMs = double.NegativeInfinity;
        private double _lastFullMs = double.NegativeInfinity;

        public long Version { get; private set; }

        /// <summary>Objects left out so far because there were too many, or because id or place were not usable.</summary>
        public long LeftOut { get; private set; }

        /// <summary>The next report is a full one: the daemon or the connection is new.</summary>
        public void Restart()
        {
            _lastFullMs = double.NegativeInfinity;
        }

        public bool IsDue(double nowMs)
        {
            return nowMs - _lastMs >= MinIntervalMs;
        }

        /// <summary>A report, or null where nothing has changed. <paramref name="full"/>: to be retained.</summary>
        public byte[] Report(IReadOnlyList<SceneObject> objects, double nowMs, out bool full)
        {
            full = nowMs - _lastFullMs >= FullIntervalMs;
            if (!IsDue(nowMs))
            {
                return null;
            }
            Compare(objects, full);
            if (!full && _changed.Count == 0 && _removed.Count == 0)
            {
                return null;
            }
            byte[] report = Write(full, nowMs);
            while (report.Length > MaxBytes)
            {
                // Whoever was left out counts as not told, and comes with one of the next reports.
                int half = _changed.Count / 2;
                for (int i = half; i < _changed.Count; i++)
                {
                    _told.Remove(_changed[i].Id);
                }
                LeftOut += _changed.Count - half;
                _changed.RemoveRange(half, _changed.Count - half);
                report = Write(full, nowMs);
            }
            Version++;
            _lastMs = nowMs;
            _lastFullMs = full ? nowMs : _lastFullMs;
            return report;
        }

        private void Compare(IReadOnlyList<SceneObject> objects, bool full)
        {
            _present.Clear();
            _removed.Clear();
            _changed.Clear();
            for (int i = 0; i < objects.Count; i++)
            {
                SceneObject now = objects[i];
                bool usable = !string.IsNullOrEmpty(now.Id) && now.Id.Length <= SceneObject.MaxIdLength;
                if (!usable || !IsFinite(now) || _present.Count >= MaxObjects || !_present.Add(now.Id))
                {
                    LeftOut++;
                    continue;
                }
                SceneObject told;
                if (full || !_told.TryGetValue(now.Id, out told) || Differs(told, now))
                {
                    _changed.Add(now);
                    _told[now.Id] = now;
                }
            }
            foreach (string id in _told.Keys)
            {
                if (!_present.Contains(id))
                {
                    _removed.Add(id);
                }
            }
            foreach (string id in _removed)
            {
                _told.Remove(id);
            }
        }

        /// <summary>One object that is nowhere would make the daemon refuse the report of all of them.</summary>
        private static bool IsFinite(SceneObject item)
        {
            double sum = item.Position.Length + item.ExpectedSize.Length + item.Corrected.Length + item.CorrectedScale
                + item.RotationX + item.RotationY + item.RotationZ + item.RotationW
                + item.Box.X + item.Box.Y + item.Box.Width + item.Box.Height;
            return !double.IsNaN(sum) && !double.IsInfinity(sum);
        }

        private static bool Differs(SceneObject a, SceneObject b)
        {
            double turn = (a.RotationX * b.RotationX) + (a.RotationY * b.RotationY)
                + (a.RotationZ * b.RotationZ) + (a.RotationW * b.RotationW);
            return a.Class != b.Class || a.Label != b.Label
                || Math.Abs(a.Box.X - b.Box.X) > BoxStep || Math.Abs(a.Box.Y - b.Box.Y) > BoxStep
                || Math.Abs(a.Box.Width - b.Box.Width) > BoxStep
                || Math.Abs(a.Box.Height - b.Box.Height) > BoxStep
                || (a.Position - b.Position).Length > PositionStepM
                || (a.ExpectedSize - b.ExpectedSize).Length > PositionStepM
                || a.Held != b.Held || (a.Corrected - b.Corrected).Length > PositionStepM
                || Math.Abs(a.CorrectedScale - b.CorrectedScale) > ScaleStep * a.CorrectedScale
                || Math.Abs(turn) < RotationStepCos;
        }

        private byte[] Write(bool full, double nowMs)
        {
            JsonWriter json = new JsonWriter().Begin()
                .Member("schema", Schema)
                .Member("version", Version + 1)
                .Member("base", full ? 0 : Version)
                .Member("headset_ms", nowMs);
            json.BeginList("objects");
            foreach (SceneObject item in _changed)
            {
                WriteObject(json, item);
            }
            json.EndList().BeginList("removed");
            if (!full)
            {
                foreach (string id in _removed)
                {
                    json.Value(id);
                }
            }
            return json.EndList().End().ToUtf8();
        }

        private static void WriteObject(JsonWriter json, SceneObject item)
        {
            json.Begin()
                .Member("id", item.Id)
                .Member("class", JsonWriter.Cut(item.Class, SceneObject.MaxLabelLength))
                .Member("label", JsonWriter.Cut(item.Label, SceneObject.MaxLabelLength));
            json.BeginList("box").Value(item.Box.X).Value(item.Box.Y)
                .Value(item.Box.Width).Value(item.Box.Height).EndList();
            WriteVector(json, "position_m", item.Position);
            json.BeginList("rotation").Value(item.RotationX).Value(item.RotationY)
                .Value(item.RotationZ).Value(item.RotationW).EndList();
            if (item.ExpectedSize.Length > 0)
            {
                WriteVector(json, "expected_size_m", item.ExpectedSize);
            }
            if (item.Held)
            {
                json.Member("held", true);
            }
            if (item.CorrectedScale > 0)
            {
                WriteVector(json, "corrected_m", item.Corrected);
                json.Member("corrected_scale", item.CorrectedScale);
            }
            json.End();
        }

        private static void WriteVector(JsonWriter json, string name, Vector3D vector)
        {
            json.BeginList(name).Value(vector.X).Value(vector.Y).Value(vector.Z).EndList();
        }
    }
}

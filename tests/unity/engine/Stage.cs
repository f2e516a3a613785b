using System.Collections.Generic;
using System.Text;
using Arwarden.Core;
using Arwarden.Unity;
using NUnit.Framework;
using UnityEngine;

namespace Arwarden.EngineTests
{
    internal sealed class TestClock : IClock
    {
        public double NowMs { get; set; }
    }

    /// <summary>A broker that says what a test says.</summary>
    internal sealed class TestLink : IMqttLink
    {
        public readonly List<string> Published = new List<string>();
        private readonly Queue<KeyValuePair<string, string>> _coming = new Queue<KeyValuePair<string, string>>();
        private readonly IClock _clock;
        private bool _said;

        public TestLink(IClock clock)
        {
            _clock = clock;
        }

        public LinkState State { get; set; }

        public bool IsDisposed { get; private set; }

        public void Subscribe(string topic, int qos)
        {
        }

        public void Start()
        {
            State = LinkState.Online;
        }

        public bool Publish(string topic, byte[] payload, int qos, bool retain, int expiryS)
        {
            Published.Add(topic.Substring(topic.LastIndexOf('/') + 1) + " " + Encoding.UTF8.GetString(payload));
            return true;
        }

        public void Pump(IMqttListener listener)
        {
            if (!_said)
            {
                _said = true;
                listener.OnMqttState(State, "");
            }
            while (_coming.Count > 0)
            {
                KeyValuePair<string, string> next = _coming.Dequeue();
                byte[] payload = Encoding.UTF8.GetBytes(next.Value);
                listener.OnMqttMessage("arwarden/v1/quest-1/" + next.Key, payload, false, _clock.NowMs);
            }
        }

        public void Breaks(string reason)
        {
            State = LinkState.Offline;
            _said = false;
        }

        public void Comes(string topic, string text)
        {
            _coming.Enqueue(new KeyValuePair<string, string>(topic, text));
        }

        public void Dispose()
        {
            IsDisposed = true;
        }

        public List<string> Of(string topic)
        {
            return Published.FindAll(text => text.StartsWith(topic + " ", System.StringComparison.Ordinal));
        }
    }

    /// <summary>A scene with a wearer in it, whose frames a test turns one by one. The daemon's clock is the headset's.</summary>
    internal abstract class Stage
    {
        protected const float FrameS = 1f / 72;

        protected TestClock Clock { get; private set; }

        protected TestLink Link { get; private set; }

        protected ArwardenClient Client { get; private set; }

        protected Transform Head { get; private set; }

        protected BridgeSettings Values { get; private set; }

        [SetUp]
        public void SetStage()
        {
            StubEngine.Reset();
            Resources.Present.Clear();
            Resources.Present.Add("ArwardenOverlay");
            Resources.Present.Add("ArwardenBackground");
            Clock = new TestClock { NowMs = 100000 };
            Link = null;
            Values = new BridgeSettings { BrokerHost = "192.0.2.1", DeviceId = "quest-1" };
            var camera = new GameObject("head").AddComponent<Camera>();
            camera.fieldOfView = 90;
            Camera.Main = camera;
            Head = camera.transform;
            Head.position = new Vector3(0, 1.6f, 0);
        }

        [TearDown]
        public void StrikeStage()
        {
            StubEngine.Reset();
            Assert.That(ArwardenClient.Active == null, Is.True, "a client goes with its scene");
        }

        protected ArwardenClient AddClient(ArwardenSettings settings)
        {
            var holder = new GameObject("arwarden");
            holder.SetActive(false);
            Client = holder.AddComponent<ArwardenClient>();
            Client.Clock = Clock;
            Client.MakeLink = (values, clock) => Link = new TestLink(clock);
            Client.Use(settings);
            holder.SetActive(true);
            return Client;
        }

        protected void AddClient()
        {
            AddClient(ArwardenSettings.From(Values));
        }

        protected void Frames(double seconds)
        {
            for (double left = seconds; left > 1e-9; left -= FrameS)
            {
                Clock.NowMs += FrameS * 1000;
                StubEngine.Frame(FrameS);
            }
        }

        protected GameObject Called(string name)
        {
            return StubEngine.Everything.Find(item => item.name == name);
        }

        protected bool IsSeen(string name)
        {
            GameObject found = Called(name);
            return found != null && found.GetComponent<MeshRenderer>().enabled;
        }

        protected string Written(string name)
        {
            return Called(name).GetComponent<TextMesh>().text;
        }

        protected GameObject AddThing(string id, Vector3 position)
        {
            var thing = new GameObject(id);
            thing.transform.position = position;
            thing.AddComponent<MeshRenderer>();
            thing.AddComponent<ReportedObject>().Describe(id, "cup", "", new Vector3(0.08f, 0.1f, 0.08f));
            return thing;
        }

        protected void AlertComes(
            string id, string severity = "warning", long revision = 1, string state = "raised", double usefulMs = 4000,
            string elements = "", double capturedAgoMs = 100)
        {
            Link.Comes("alerts", new JsonWriter().Begin()
                .Member("epoch", "e1").Member("published_ms", Clock.NowMs).Member("alert_id", id)
                .Member("revision", revision).Member("state", state).Member("device_id", "quest-1")
                .Member("session_id", "s").Member("kind", "contradiction").Member("attribute", "open")
                .Member("severity", severity).Member("message", "Two signs contradict each other.")
                .Member("confidence", 0.9).Member("tier", "fast").Member("first_captured_ms", Clock.NowMs - capturedAgoMs)
                .Member("captured_ms", Clock.NowMs - capturedAgoMs).Member("capture_clock", "synced")
                .Member("expires_ms", Clock.NowMs + usefulMs).Member("budget_ms", 500).Member("age_ms", 100)
                .Member("late", false).End().ToString().Replace("\"late\"", "\"elements\":[" + elements + "],\"late\""));
        }

        protected static string Element(string text, double x, string objectId = "")
        {
            return "{\"type\":\"text\",\"text\":\"" + text + "\",\"object_id\":\"" + objectId + "\",\"box\":["
                + x.ToString(System.Globalization.CultureInfo.InvariantCulture) + ",0.4,0.2,0.1]}";
        }

        protected void AdjustmentComes(
            long version, double right, double scale = 1, string action = "apply", string id = "cup",
            double capturedAgoMs = 100)
        {
            Link.Comes("adjustments", new JsonWriter().Begin()
                .Member("epoch", "e1").Member("published_ms", Clock.NowMs).Member("adjustment_id", "j" + version)
                .Member("version", version).Member("device_id", "quest-1").Member("session_id", "s")
                .Member("object_id", id).Member("action", action)
                .BeginList("move_m").Value(right).Value(0.0).Value(0.0).EndList()
                .Member("scale", scale).Member("captured_ms", Clock.NowMs - capturedAgoMs)
                .Member("expires_ms", Clock.NowMs + 4000).End().ToString());
        }

        protected void HealthComes(string state, string reasons = "")
        {
            Link.Comes("health", "{\"epoch\":\"e1\",\"published_ms\":"
                + Clock.NowMs.ToString(System.Globalization.CultureInfo.InvariantCulture)
                + ",\"device_id\":\"quest-1\",\"session_id\":\"s\",\"state\":\"" + state + "\",\"reasons\":["
                + reasons + "],\"view\":\"composited\",\"capture_clock\":\"synced\",\"received_fps\":15,"
                + "\"analysed_fps\":4,\"frames_received\":1,\"frames_analysed\":1,\"frames_dropped\":0,"
                + "\"width_px\":1,\"height_px\":1,\"loss_ratio\":0}");
        }

        /// <summary>What was acknowledged, as "id action reason".</summary>
        protected List<string> Acks()
        {
            var acks = new List<string>();
            foreach (string text in Link.Of("acks"))
            {
                JsonValue json;
                string fault;
                Assert.That(JsonReader.TryRead(text.Substring(5), JsonLimits.Message, out json, out fault), fault);
                acks.Add((json.Member("alert_id").Text + " " + json.Member("action").Text + " "
                    + json.Member("reason").Text).Trim());
            }
            return acks;
        }
    }
}

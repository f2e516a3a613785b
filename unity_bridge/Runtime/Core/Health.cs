using System.Collections.Generic;

namespace Arwarden.Core
{
    public enum SessionState
    {
        Connecting,
        Ok,
        Degraded,
        Stalled,
        Lost,
        Closed,
    }

    /// <summary>What the streamed picture shows.</summary>
    public enum View
    {
        Composited,
        Passthrough,
        Unknown,
    }

    public enum DaemonState
    {
        Online,
        Offline,
        Stopped,
    }

    /// <summary>A latency over the last minute.</summary>
    public sealed class Percentiles
    {
        internal Percentiles(Members members)
        {
            P50Ms = members.Number("p50", 0, double.MaxValue);
            P95Ms = members.Number("p95", 0, double.MaxValue);
        }

        public double P50Ms { get; }

        public double P95Ms { get; }
    }

    /// <summary>What second opinions did for a session so far.</summary>
    public sealed class SecondOpinionHealth
    {
        internal SecondOpinionHealth(Members members)
        {
            Judge = members.Text("judge");
            Pending = members.Boolean("pending");
            Asked = members.Whole("asked", 0, long.MaxValue, 0);
            Confirmed = members.Whole("confirmed", 0, long.MaxValue, 0);
            Rejected = members.Whole("rejected", 0, long.MaxValue, 0);
            Raised = members.Whole("raised", 0, long.MaxValue, 0);
            Unverified = members.Whole("unverified", 0, long.MaxValue, 0);
            Late = members.Whole("late", 0, long.MaxValue, 0);
            Tokens = members.Whole("tokens", 0, long.MaxValue, 0);
            Cost = members.Number("cost", 0, double.MaxValue, 0);
            SavedCalls = members.Whole("saved_calls", 0, long.MaxValue, 0);
            SavedCost = members.Number("saved_cost", 0, double.MaxValue, 0);
            HeldBack = members.Text("held_back", "");
        }

        public string Judge { get; }

        public bool Pending { get; }

        public long Asked { get; }

        public long Confirmed { get; }

        public long Rejected { get; }

        public long Raised { get; }

        public long Unverified { get; }

        public long Late { get; }

        public long Tokens { get; }

        public double Cost { get; }

        public long SavedCalls { get; }

        public double SavedCost { get; }

        public string HeldBack { get; }
    }

    /// <summary>How the monitoring of this headset is doing.</summary>
    public sealed class Health
    {
        public const string Schema = "arwarden/health/1";

        private static readonly string[] States =
        {
            "connecting", "ok", "degraded", "stalled", "lost", "closed",
        };

        private static readonly string[] Views = { "composited", "passthrough", "unknown" };

        private Health(Members members)
        {
            members.Const("schema", Schema);
            Epoch = members.Text("epoch");
            PublishedMs = members.Number("published_ms", 0, double.MaxValue);
            DeviceId = Contract.Device(members);
            SessionId = members.Text("session_id");
            State = (SessionState)members.Choice("state", States);
            Reasons = members.Texts("reasons");
            View = (View)members.Choice("view", Views);
            CaptureClock = Contract.Clock(members);
            ClockOffsetMs = members.NumberOrNan("clock_offset_ms");
            ReceivedFps = members.Number("received_fps", 0, double.MaxValue);
            AnalysedFps = members.Number("analysed_fps", 0, double.MaxValue);
            FramesReceived = members.Whole("frames_received", 0, long.MaxValue);
            FramesAnalysed = members.Whole("frames_analysed", 0, long.MaxValue);
            FramesDropped = members.Whole("frames_dropped", 0, long.MaxValue);
            WidthPx = members.Whole("width_px", 0, long.MaxValue);
            HeightPx = members.Whole("height_px", 0, long.MaxValue);
            LossRatio = members.Number("loss_ratio", 0, 1);
            Members latency = members.ObjectOrNull("capture_to_publish_ms");
            CaptureToPublish = latency == null ? null : new Percentiles(latency);
            Members opinion = members.ObjectOrNull("second_opinion");
            SecondOpinion = opinion == null ? null : new SecondOpinionHealth(opinion);
        }

        public string Epoch { get; }

        public double PublishedMs { get; }

        public string DeviceId { get; }

        public string SessionId { get; }

        public SessionState State { get; }

        /// <summary>Why it is not ok, for example passthrough_has_no_virtual_content.</summary>
        public IReadOnlyList<string> Reasons { get; }

        public View View { get; }

        public CaptureClock CaptureClock { get; }

        /// <summary>Headset's clock minus daemon's clock; not a number where unknown.</summary>
        public double ClockOffsetMs { get; }

        public double ReceivedFps { get; }

        public double AnalysedFps { get; }

        public long FramesReceived { get; }

        public long FramesAnalysed { get; }

        public long FramesDropped { get; }

        public long WidthPx { get; }

        public long HeightPx { get; }

        public double LossRatio { get; }

        /// <summary>Null where there is none yet.</summary>
        public Percentiles CaptureToPublish { get; }

        /// <summary>Null where no judge is configured.</summary>
        public SecondOpinionHealth SecondOpinion { get; }

        /// <summary>False, with the first fault, where the message is not of the contract.</summary>
        public static bool TryRead(JsonValue json, out Health health, out string fault)
        {
            var members = new Members(json, "health");
            var read = new Health(members);
            fault = members.Fault;
            health = fault == null ? read : null;
            return fault == null;
        }
    }

    /// <summary>What the daemon says about itself; offline is its last will.</summary>
    public sealed class DaemonStatus
    {
        public const string Schema = "arwarden/status/1";

        private static readonly string[] States = { "online", "offline", "stopped" };

        private DaemonStatus(Members members)
        {
            members.Const("schema", Schema);
            Epoch = members.Text("epoch");
            PublishedMs = members.Number("published_ms", 0, double.MaxValue);
            State = (DaemonState)members.Choice("state", States);
            Version = members.Text("version");
        }

        public string Epoch { get; }

        public double PublishedMs { get; }

        public DaemonState State { get; }

        public string Version { get; }

        /// <summary>False, with the first fault, where the message is not of the contract.</summary>
        public static bool TryRead(JsonValue json, out DaemonStatus status, out string fault)
        {
            var members = new Members(json, "status");
            var read = new DaemonStatus(members);
            fault = members.Fault;
            status = fault == null ? read : null;
            return fault == null;
        }
    }
}

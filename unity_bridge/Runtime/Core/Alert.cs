using System.Collections.Generic;

namespace Arwarden.Core
{
    public enum AlertState
    {
        Raised,
        Confirmed,
        Retracted,
        Cleared,
    }

    /// <summary>Ordered: a higher value is more severe.</summary>
    public enum Severity
    {
        Info,
        Warning,
        Critical,
    }

    /// <summary>Whether a second opinion was asked for, and what it is.</summary>
    public enum Confirmation
    {
        None,
        Pending,
        Confirmed,
        Rejected,
        Unverified,
    }

    public enum Verdict
    {
        Yes,
        No,
        Unknown,
    }

    /// <summary>Whose clock stamped the frames: the headset's, converted, or their arrival at the daemon.</summary>
    public enum CaptureClock
    {
        Synced,
        Arrival,
    }

    /// <summary>A box in the picture: normalised, origin top left, y down.</summary>
    public struct BoxNorm
    {
        public readonly double X;
        public readonly double Y;
        public readonly double Width;
        public readonly double Height;

        public BoxNorm(double x, double y, double width, double height)
        {
            X = x;
            Y = y;
            Width = width;
            Height = height;
        }

        internal static BoxNorm Of(double[] numbers)
        {
            return new BoxNorm(numbers[0], numbers[1], numbers[2], numbers[3]);
        }
    }

    /// <summary>One thing an element says.</summary>
    public sealed class Claim
    {
        internal Claim(Members members)
        {
            Subject = members.Text("subject");
            Attribute = members.Text("attribute");
            Value = members.Text("value");
            Polarity = members.Boolean("polarity");
        }

        public string Subject { get; }

        public string Attribute { get; }

        public string Value { get; }

        /// <summary>False where the element denies it.</summary>
        public bool Polarity { get; }
    }

    /// <summary>A piece of virtual content that is part of an alert.</summary>
    public sealed class Element
    {
        internal Element(Members members)
        {
            Type = members.Text("type");
            Text = members.Text("text");
            Box = BoxNorm.Of(members.Numbers("box", 4));
            Members claim = members.ObjectOrNull("claim");
            Claim = claim == null ? null : new Claim(claim);
            Label = members.Text("label", "");
            DirectionDeg = members.NumberOrNan("direction_deg");
            ObjectId = members.Text("object_id", "");
        }

        public string Type { get; }

        public string Text { get; }

        public BoxNorm Box { get; }

        /// <summary>Null where the element makes no claim.</summary>
        public Claim Claim { get; }

        /// <summary>The class of the pictogram or flag that it shows; empty otherwise.</summary>
        public string Label { get; }

        /// <summary>Where an arrow points, counter-clockwise from right; not a number where in doubt.</summary>
        public double DirectionDeg { get; }

        /// <summary>The app's own object that it is, by the app's scene reports; empty where none is there.</summary>
        public string ObjectId { get; }
    }

    /// <summary>What a vision-language model said about an alert.</summary>
    public sealed class JudgeOpinion
    {
        private static readonly string[] Verdicts = { "yes", "no", "unknown" };

        internal JudgeOpinion(Members members)
        {
            Name = members.Text("name");
            Model = members.Text("model");
            Verdict = (Verdict)members.Choice("verdict", Verdicts);
            Reason = members.Text("reason", "");
            Problem = members.Text("problem", "");
            LatencyMs = members.Number("latency_ms", 0, double.MaxValue, 0);
            Tokens = members.Whole("tokens", 0, long.MaxValue, 0);
            Cost = members.NumberOrNan("cost");
            PromptVersion = members.Text("prompt_version", "");
        }

        public string Name { get; }

        public string Model { get; }

        public Verdict Verdict { get; }

        public string Reason { get; }

        public string Problem { get; }

        public double LatencyMs { get; }

        public long Tokens { get; }

        /// <summary>Not a number where nobody knows.</summary>
        public double Cost { get; }

        public string PromptVersion { get; }
    }

    /// <summary>Something the wearer should know about, and its later life. Times on the daemon's clock.</summary>
    public sealed class Alert
    {
        public const string Schema = "arwarden/alert/1";

        private static readonly string[] States = { "raised", "confirmed", "retracted", "cleared" };
        private static readonly string[] Severities = { "info", "warning", "critical" };
        private static readonly string[] Confirmations =
        {
            "none", "pending", "confirmed", "rejected", "unverified",
        };

        private Alert(Members members)
        {
            members.Const("schema", Schema);
            Epoch = members.Text("epoch");
            PublishedMs = members.Number("published_ms", 0, double.MaxValue);
            Id = members.Text("alert_id");
            Revision = members.Whole("revision", 1, long.MaxValue);
            State = (AlertState)members.Choice("state", States);
            Reason = members.Text("reason", "");
            DeviceId = Contract.Device(members);
            SessionId = members.Text("session_id");
            Kind = members.Text("kind");
            Attribute = members.Text("attribute");
            Severity = (Severity)members.Choice("severity", Severities);
            Message = members.Text("message");
            var elements = new List<Element>();
            foreach (Members element in members.Objects("elements"))
            {
                elements.Add(new Element(element));
            }
            Elements = elements;
            Confidence = members.Number("confidence", 0, 1);
            Tier = members.Text("tier");
            Confirmation = (Confirmation)members.Choice("confirmation", Confirmations, 0);
            Members judge = members.ObjectOrNull("judge");
            Judge = judge == null ? null : new JudgeOpinion(judge);
            FirstCapturedMs = members.Number("first_captured_ms", 0, double.MaxValue);
            CapturedMs = members.Number("captured_ms", 0, double.MaxValue);
            CaptureClock = Contract.Clock(members);
            ExpiresMs = members.Number("expires_ms", 0, double.MaxValue);
            BudgetMs = members.Number("budget_ms", 0, double.MaxValue);
            AgeMs = members.Number("age_ms", 0, double.MaxValue);
            Late = members.Boolean("late");
            StagesMs = members.NumbersByName("stages_ms");
        }

        /// <summary>The daemon's run: a change means that it restarted.</summary>
        public string Epoch { get; }

        public double PublishedMs { get; }

        public string Id { get; }

        public long Revision { get; }

        public AlertState State { get; }

        public string Reason { get; }

        public string DeviceId { get; }

        public string SessionId { get; }

        public string Kind { get; }

        public string Attribute { get; }

        public Severity Severity { get; }

        /// <summary>One sentence for the wearer.</summary>
        public string Message { get; }

        public IReadOnlyList<Element> Elements { get; }

        public double Confidence { get; }

        public string Tier { get; }

        public Confirmation Confirmation { get; }

        /// <summary>The second opinion; null where there is none.</summary>
        public JudgeOpinion Judge { get; }

        public double FirstCapturedMs { get; }

        public double CapturedMs { get; }

        public CaptureClock CaptureClock { get; }

        public double ExpiresMs { get; }

        public double BudgetMs { get; }

        public double AgeMs { get; }

        public bool Late { get; }

        public IReadOnlyDictionary<string, double> StagesMs { get; }

        /// <summary>Whether this is the last word about the alert.</summary>
        public bool Ends
        {
            get { return State == AlertState.Retracted || State == AlertState.Cleared; }
        }

        /// <summary>False, with the first fault, where the message is not of the contract.</summary>
        public static bool TryRead(JsonValue json, out Alert alert, out string fault)
        {
            var members = new Members(json, "alert");
            var read = new Alert(members);
            fault = members.Fault;
            alert = fault == null ? read : null;
            return fault == null;
        }
    }

    /// <summary>What several messages have in common.</summary>
    internal static class Contract
    {
        private static readonly string[] Clocks = { "synced", "arrival" };

        public static string Device(Members members)
        {
            string id = members.Text("device_id");
            if (!Topics.IsDeviceId(id))
            {
                members.Fail("device_id", "is not a device id");
            }
            return id;
        }

        public static CaptureClock Clock(Members members)
        {
            return (CaptureClock)members.Choice("capture_clock", Clocks);
        }
    }
}

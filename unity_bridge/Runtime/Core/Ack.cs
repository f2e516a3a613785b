namespace Arwarden.Core
{
    /// <summary>What the headset did with an alert or an adjustment.</summary>
    public enum AckAction
    {
        Received,
        Shown,
        Dismissed,
        Applied,
        Clamped,
        Expired,
        Refused,
    }

    /// <summary>An acknowledgement. What is too long for the contract is cut.</summary>
    public sealed class Ack
    {
        public const string Schema = "arwarden/ack/1";
        public const int MaxIdLength = 64;
        public const int MaxReasonLength = 200;
        public const long MaxRevision = 2147483648;

        private static readonly string[] Actions =
        {
            "received", "shown", "dismissed", "applied", "clamped", "expired", "refused",
        };

        /// <summary><paramref name="headsetMs"/> is when it happened, on the headset's clock.</summary>
        public Ack(string alertId, long revision, AckAction action, double headsetMs, string reason)
        {
            AlertId = JsonWriter.Cut(alertId, MaxIdLength);
            Revision = revision;
            Action = action;
            HeadsetMs = headsetMs;
            Reason = JsonWriter.Cut(reason, MaxReasonLength);
        }

        public string AlertId { get; }

        public long Revision { get; }

        public AckAction Action { get; }

        public double HeadsetMs { get; }

        public string Reason { get; }

        /// <summary>False, with the first fault, where the message is not of the contract.</summary>
        public static bool TryRead(JsonValue json, out Ack ack, out string fault)
        {
            var members = new Members(json, "ack");
            members.Const("schema", Schema);
            var read = new Ack(
                members.Text("alert_id", 1, MaxIdLength),
                members.Whole("revision", 1, MaxRevision),
                (AckAction)members.Choice("action", Actions),
                members.Number("headset_ms", 0, double.MaxValue),
                members.ShortText("reason", "", MaxReasonLength));
            fault = members.Fault;
            ack = fault == null ? read : null;
            return fault == null;
        }

        public string ToJson()
        {
            return new JsonWriter().Begin()
                .Member("schema", Schema)
                .Member("alert_id", AlertId)
                .Member("revision", Revision)
                .Member("action", Actions[(int)Action])
                .Member("headset_ms", HeadsetMs)
                .Member("reason", Reason)
                .End().ToString();
        }
    }
}

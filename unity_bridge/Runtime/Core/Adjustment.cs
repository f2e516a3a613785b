namespace Arwarden.Core
{
    /// <summary>
    /// A correction of one of the app's own objects: the whole of it against where the app placed the object, not a
    /// step, so that a lost or repeated message does no harm. Times on the daemon's clock.
    /// </summary>
    public sealed class Adjustment
    {
        public const string Schema = "arwarden/adjustment/1";
        public const double MaxScale = 1000;

        private static readonly double[] NoMove = { 0, 0, 0 };

        private Adjustment(Members members)
        {
            members.Const("schema", Schema);
            Epoch = members.Text("epoch");
            PublishedMs = members.Number("published_ms", 0, double.MaxValue);
            Id = members.Text("adjustment_id", 1, Ack.MaxIdLength);
            Version = members.Whole("version", 1, Ack.MaxRevision);
            DeviceId = Contract.Device(members);
            SessionId = members.Text("session_id");
            ObjectId = members.Text("object_id", 1, SceneObject.MaxIdLength);
            Reverts = members.Choice("action", new[] { "apply", "revert" }, 0) == 1;
            Move = Vector3D.Of(members.Numbers("move_m", 3, NoMove));
            Scale = members.Number("scale", 1 / MaxScale, MaxScale, 1);
            Message = members.Text("message", "");
            CapturedMs = members.Number("captured_ms", 0, double.MaxValue);
            ExpiresMs = members.Number("expires_ms", 0, double.MaxValue);
        }

        public string Epoch { get; }

        public double PublishedMs { get; }

        public string Id { get; }

        /// <summary>Grows with every correction of the same object.</summary>
        public long Version { get; }

        public string DeviceId { get; }

        public string SessionId { get; }

        public string ObjectId { get; }

        /// <summary>Whether the object goes back to where the app placed it.</summary>
        public bool Reverts { get; }

        /// <summary>In the camera's view at capture: right, up, away. Metres.</summary>
        public Vector3D Move { get; }

        /// <summary>A factor; 1 keeps the size.</summary>
        public double Scale { get; }

        public string Message { get; }

        public double CapturedMs { get; }

        /// <summary>Not to be begun after this time.</summary>
        public double ExpiresMs { get; }

        /// <summary>False, with the first fault, where the message is not of the contract.</summary>
        public static bool TryRead(JsonValue json, out Adjustment adjustment, out string fault)
        {
            var members = new Members(json, "adjustment");
            var read = new Adjustment(members);
            fault = members.Fault;
            adjustment = fault == null ? read : null;
            return fault == null;
        }
    }
}

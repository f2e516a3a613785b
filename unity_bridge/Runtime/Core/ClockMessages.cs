namespace Arwarden.Core
{
    public enum ClockMessageKind
    {
        Hello,
        Ping,
        Pong,
    }

    /// <summary>
    /// A message of the data channel "clock": who the client is, or a question for the other side's time and its
    /// answer (RFC 5905, section 8). Times are milliseconds on the clock of whoever stamped them.
    /// </summary>
    public struct ClockMessage
    {
        public const string ChannelLabel = "clock";
        public const int MaxClientLength = 100;

        /// <summary>A clock message is small: what is larger is not one.</summary>
        public static readonly JsonLimits Limits = new JsonLimits(1024, 4, 32);

        private static readonly string[] Kinds = { "hello", "ping", "pong" };
        private static readonly string[] Views = { "composited", "passthrough", "unknown" };

        public ClockMessageKind Kind { get; private set; }

        public View View { get; private set; }

        public string Client { get; private set; }

        public long Id { get; private set; }

        public double T0Ms { get; private set; }

        public double T1Ms { get; private set; }

        public double T2Ms { get; private set; }

        public static ClockMessage Hello(View view, string client)
        {
            return new ClockMessage
            {
                Kind = ClockMessageKind.Hello,
                View = view,
                Client = JsonWriter.Cut(client, MaxClientLength),
            };
        }

        public static ClockMessage Ping(long id, double t0Ms)
        {
            return new ClockMessage { Kind = ClockMessageKind.Ping, Id = id, T0Ms = t0Ms };
        }

        public static ClockMessage Pong(ClockMessage ping, double t1Ms, double t2Ms)
        {
            return new ClockMessage
            {
                Kind = ClockMessageKind.Pong,
                Id = ping.Id,
                T0Ms = ping.T0Ms,
                T1Ms = t1Ms,
                T2Ms = t2Ms,
            };
        }

        /// <summary>False, with the first fault, where the message is not of the contract.</summary>
        public static bool TryRead(JsonValue json, out ClockMessage message, out string fault)
        {
            var members = new Members(json, "clock");
            var read = new ClockMessage { Kind = (ClockMessageKind)members.Choice("type", Kinds) };
            if (read.Kind == ClockMessageKind.Hello)
            {
                read.View = (View)members.Choice("view", Views, (int)View.Unknown);
                read.Client = members.ShortText("client", "", MaxClientLength);
            }
            else
            {
                read.Id = members.Whole("id", 0, uint.MaxValue);
                read.T0Ms = members.Number("t0_ms", double.MinValue, double.MaxValue);
            }
            if (read.Kind == ClockMessageKind.Pong)
            {
                read.T1Ms = members.Number("t1_ms", double.MinValue, double.MaxValue);
                read.T2Ms = members.Number("t2_ms", double.MinValue, double.MaxValue);
            }
            fault = members.Fault;
            message = read;
            return fault == null;
        }

        public string ToJson()
        {
            JsonWriter json = new JsonWriter().Begin().Member("type", Kinds[(int)Kind]);
            if (Kind == ClockMessageKind.Hello)
            {
                json.Member("view", Views[(int)View]).Member("client", Client);
            }
            else
            {
                json.Member("id", Id).Member("t0_ms", T0Ms);
            }
            if (Kind == ClockMessageKind.Pong)
            {
                json.Member("t1_ms", T1Ms).Member("t2_ms", T2Ms);
            }
            return json.End().ToString();
        }
    }
}

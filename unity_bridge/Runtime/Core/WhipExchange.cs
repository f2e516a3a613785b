namespace Arwarden.Core
{
    /// <summary>One HTTP request of WHIP.</summary>
    public sealed class WhipRequest
    {
        public string Method;
        public string Url;

        /// <summary>Null where there is none to send.</summary>
        public string ContentType;

        public string Body;

        /// <summary>Sent as "Authorization: Bearer"; null: without.</summary>
        public string Token;

        /// <summary>Null: without.</summary>
        public string IfMatch;

        public int TimeoutMs;
    }

    /// <summary>What came back. Status 0: nothing did, and <see cref="Error"/> says why.</summary>
    public sealed class WhipResponse
    {
        public int Status;
        public string Location = "";
        public string ETag = "";
        public string RetryAfter = "";
        public string Body = "";
        public string Error = "";
    }

    /// <summary>Carries requests, one after the other, without waiting. Redirects are not followed.</summary>
    public interface IWhipTransport
    {
        void Begin(WhipRequest request);

        /// <summary>True once, when the request that was begun last has come to its end.</summary>
        bool TryEnd(out WhipResponse response);

        /// <summary>Gives up the request that is under way.</summary>
        void Abort();
    }

    public enum PeerState
    {
        Closed,

        /// <summary>The offer is being made, or candidates are still being gathered.</summary>
        Offering,
        Connecting,
        Connected,
        Failed,
    }

    /// <summary>The peer connection of whichever WebRTC there is.</summary>
    public interface IWhipPeer
    {
        PeerState State { get; }

        /// <summary>The offer with the candidates so far; null until there is one.</summary>
        string Offer { get; }

        /// <summary>Whether all candidates are in the offer.</summary>
        bool IsGathered { get; }

        /// <summary>Why it failed.</summary>
        string Problem { get; }

        /// <summary>A new connection, with a new offer.</summary>
        void Open();

        /// <summary>The answer; the connection comes about from here on.</summary>
        void Accept(string answer);

        /// <summary>Takes one candidate that was found since <see cref="Offer"/> was read, or null.</summary>
        string NextCandidate();

        void Close();
    }

    /// <summary>What a response means for the publication.</summary>
    public enum WhipVerdict
    {
        Taken,
        Redirected,

        /// <summary>Another try may help.</summary>
        Transient,

        /// <summary>Another try will not help before somebody changes something.</summary>
        Refused,
    }

    /// <summary>Reads responses to an offer.</summary>
    public static class WhipVerdicts
    {
        public const int MaxReasonLength = 160;
        public const double LongestRetryAfterMs = 30000;

        private static readonly JsonLimits ProblemLimits = new JsonLimits(8192, 4, 64);

        public static WhipVerdict Of(int status)
        {
            switch (status)
            {
                case 201:
                    return WhipVerdict.Taken;
                case 307:
                case 308:
                    return WhipVerdict.Redirected;
                case 0:
                case 408:
                case 425:
                case 429:
                    return WhipVerdict.Transient;
                default:
                    return status >= 500 ? WhipVerdict.Transient : WhipVerdict.Refused;
            }
        }

        /// <summary>One sentence, from the problem document (RFC 9457) where there is one.</summary>
        public static string Reason(WhipResponse response, string url)
        {
            if (response.Status == 0)
            {
                string error = AlertText.Plain(response.Error);
                return "the daemon cannot be reached" + (error.Length == 0 ? "" : " (" + error + ")") + Hint(url);
            }
            JsonValue problem;
            string fault;
            string detail = "";
            if (JsonReader.TryRead(response.Body ?? "", ProblemLimits, out problem, out fault))
            {
                JsonValue member = problem.Kind == JsonKind.Object ? problem.Member("detail") : null;
                detail = member != null && member.Kind == JsonKind.Text ? AlertText.Plain(member.Text) : "";
            }
            string status = response.Status.ToString(System.Globalization.CultureInfo.InvariantCulture);
            return detail.Length == 0
                ? "the daemon answers with status " + status
                : AlertText.Shorten(detail, MaxReasonLength);
        }

        /// <summary>HTTP clients have no common words for a scheme that is not the daemon's, so it is always asked about.</summary>
        private static string Hint(string url)
        {
            return url.StartsWith("https:", System.StringComparison.OrdinalIgnoreCase)
                ? "; does it speak TLS there, and is its certificate pinned?"
                : "; where it speaks TLS the address begins with https";
        }

        /// <summary>How long the daemon asks to wait, at most half a minute; 0 where it does not say.</summary>
        public static double RetryAfterMs(WhipResponse response)
        {
            double seconds;
            bool given = double.TryParse(
                response.RetryAfter,
                System.Globalization.NumberStyles.AllowDecimalPoint,
                System.Globalization.CultureInfo.InvariantCulture,
                out seconds);
            return given ? System.Math.Min(LongestRetryAfterMs, System.Math.Max(0, seconds * 1000)) : 0;
        }
    }
}

using System;

namespace Arwarden.Core
{
    /// <summary>Addresses of WHIP (RFC 9725): where to post an offer, and where the session lives after that.</summary>
    public static class WhipAddress
    {
        public const int MaxLength = 2048;

        private static readonly string[] Views = { "composited", "passthrough", "unknown" };

        /// <summary>
        /// The endpoint with what the stream shows and, for a daemon that asks for no token, who streams. False, with why,
        /// where the endpoint is no address.
        /// </summary>
        public static bool TryEndpoint(
            string endpoint, View view, string deviceId, out string address, out string fault)
        {
            address = null;
            Uri uri;
            bool absolute = Uri.TryCreate((endpoint ?? "").Trim(), UriKind.Absolute, out uri);
            if (!absolute || !IsHttp(uri) || uri.Host.Length == 0)
            {
                fault = "the WHIP address must look like http://192.168.1.10:8080/whip";
                return false;
            }
            if (uri.UserInfo.Length > 0)
            {
                fault = "the WHIP address holds a password; put the token into its own field";
                return false;
            }
            string query = uri.Query.Length > 1 ? uri.Query + "&" : "?";
            query += "view=" + Views[(int)view];
            if (!string.IsNullOrEmpty(deviceId))
            {
                query += "&device=" + Uri.EscapeDataString(deviceId);
            }
            address = uri.GetLeftPart(UriPartial.Path) + query;
            fault = null;
            return true;
        }

        /// <summary>
        /// An address that an answer names, absolute or not (RFC 3986, section 5). False where it leads elsewhere: the
        /// token goes to the host of the settings only, and never from TLS to plain text.
        /// </summary>
        public static bool TryFollow(string from, string named, out string address)
        {
            Uri start;
            Uri found = null;
            bool readable = Uri.TryCreate(from, UriKind.Absolute, out start)
                && !string.IsNullOrEmpty(named) && named.Length <= MaxLength
                && Uri.TryCreate(start, named.Trim(), out found);
            bool stays = readable && IsHttp(found) && found.UserInfo.Length == 0
                && string.Equals(found.Host, start.Host, StringComparison.OrdinalIgnoreCase)
                && (found.Port == start.Port || found.Scheme != start.Scheme)
                && !(start.Scheme == "https" && found.Scheme == "http");
            address = stays ? found.AbsoluteUri : null;
            return stays;
        }

        private static bool IsHttp(Uri uri)
        {
            return uri.Scheme == "http" || uri.Scheme == "https";
        }
    }
}

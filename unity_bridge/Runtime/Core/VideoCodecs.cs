using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>
    /// Which codecs are offered, and in which order: H.264 constrained baseline first, because headsets encode it in
    /// hardware, VP8 second. The daemon decodes these two; offering others would only make offers longer.
    /// </summary>
    public static class VideoCodecs
    {
        /// <summary>
        /// Places of the wanted codecs among a device's capabilities, in order of preference: first H.264, then VP8, then
        /// what repairs losses (RFC 4588). Empty where the device has neither of the two.
        /// </summary>
        public static int[] Order(IReadOnlyList<string> mimeTypes, IReadOnlyList<string> formats)
        {
            var wanted = new List<int>();
            for (int turn = 0; turn < 3; turn++)
            {
                for (int i = 0; i < mimeTypes.Count; i++)
                {
                    if (Turn(mimeTypes[i], formats[i]) == turn && (turn < 2 || wanted.Count > 0))
                    {
                        wanted.Add(i);
                    }
                }
            }
            return wanted.ToArray();
        }

        private static int Turn(string mimeType, string format)
        {
            if (Is(mimeType, "video/H264"))
            {
                return IsBaseline(format ?? "") ? 0 : -1;
            }
            return Is(mimeType, "video/VP8") ? 1 : Is(mimeType, "video/rtx") ? 2 : -1;
        }

        /// <summary>
        /// Constrained baseline in single NAL units is out too: packetization-mode 1 is needed (RFC 6184, section 8.1).
        /// Level does not matter, it is negotiated.
        /// </summary>
        private static bool IsBaseline(string format)
        {
            bool mode = false;
            bool profile = false;
            foreach (string part in format.Split(';'))
            {
                string pair = part.Trim().ToLowerInvariant();
                mode = mode || pair == "packetization-mode=1";
                profile = profile || pair.StartsWith("profile-level-id=42e0", StringComparison.Ordinal)
                    || pair.StartsWith("profile-level-id=4200", StringComparison.Ordinal);
            }
            return mode && profile;
        }

        private static bool Is(string one, string other)
        {
            return string.Equals(one, other, StringComparison.OrdinalIgnoreCase);
        }
    }
}

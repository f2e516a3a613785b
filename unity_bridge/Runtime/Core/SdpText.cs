using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Arwarden.Core
{
    /// <summary>The few things about a session description that a publisher has to read or write (RFC 8866).</summary>
    public static class SdpText
    {
        public const string MediaType = "application/sdp";
        public const string FragmentType = "application/trickle-ice-sdpfrag";
        public const int MaxLength = 65536;

        private const string End = "\r\n";

        /// <summary>Why an answer cannot be used; null where it can.</summary>
        public static string AnswerFault(string answer)
        {
            if (string.IsNullOrEmpty(answer) || !answer.StartsWith("v=0", StringComparison.Ordinal))
            {
                return "the daemon's answer is no session description";
            }
            if (answer.Length > MaxLength)
            {
                return "the daemon's answer is too long";
            }
            string[] video = Section(answer, "video");
            if (video.Length == 0)
            {
                return "the daemon's answer has no video";
            }
            string[] words = video[0].Split(' ');
            return words.Length < 4 || words[1] == "0" ? "the daemon takes none of the offered codecs" : null;
        }

        /// <summary>The codec that an answer chose, such as H264; empty where there is none.</summary>
        public static string ChosenCodec(string answer)
        {
            string[] video = Section(answer, "video");
            string[] words = video.Length == 0 ? new string[0] : video[0].Split(' ');
            string start = words.Length < 4 ? null : "a=rtpmap:" + words[3] + " ";
            foreach (string line in video)
            {
                if (start != null && line.StartsWith(start, StringComparison.Ordinal))
                {
                    return line.Substring(start.Length).Split('/')[0];
                }
            }
            return "";
        }

        /// <summary>
        /// The answer with the most that may be sent: b=AS in kilobits and b=TIAS in bits per second (RFC 8866, section
        /// 5.8; RFC 3890), after the connection line. Encoders keep to it from the first picture.
        /// </summary>
        public static string WithBitrate(string answer, int kbps)
        {
            var text = new StringBuilder();
            bool inVideo = false;
            bool written = false;
            foreach (string line in Lines(answer))
            {
                bool media = line.StartsWith("m=", StringComparison.Ordinal);
                inVideo = media ? line.StartsWith("m=video ", StringComparison.Ordinal) : inVideo;
                if (inVideo && line.StartsWith("b=", StringComparison.Ordinal))
                {
                    continue;
                }
                bool attribute = inVideo && !written && line.StartsWith("a=", StringComparison.Ordinal);
                if (attribute)
                {
                    written = true;
                    string number = kbps.ToString(CultureInfo.InvariantCulture);
                    text.Append("b=AS:").Append(number).Append(End);
                    text.Append("b=TIAS:").Append(number).Append("000").Append(End);
                }
                text.Append(line).Append(End);
            }
            return text.ToString();
        }

        /// <summary>Candidates that were found after the offer was sent, as WHIP wants them (RFC 9725, section 4.3.1).</summary>
        public static string Fragment(string offer, IReadOnlyList<string> candidates, bool complete)
        {
            string[] video = Section(offer, "video");
            var text = new StringBuilder();
            Copy(text, offer, video, "a=ice-ufrag:");
            Copy(text, offer, video, "a=ice-pwd:");
            text.Append("m=video 9 UDP/TLS/RTP/SAVPF 0").Append(End);
            Copy(text, offer, video, "a=mid:");
            for (int i = 0; i < candidates.Count; i++)
            {
                string candidate = candidates[i];
                bool named = candidate.StartsWith("candidate:", StringComparison.Ordinal);
                text.Append("a=").Append(named ? "" : "candidate:").Append(candidate).Append(End);
            }
            if (complete)
            {
                text.Append("a=end-of-candidates").Append(End);
            }
            return text.ToString();
        }

        /// <summary>How many ways to reach the headset an offer names.</summary>
        public static int CountCandidates(string sdp)
        {
            int count = 0;
            foreach (string line in Lines(sdp))
            {
                count += line.StartsWith("a=candidate:", StringComparison.Ordinal) ? 1 : 0;
            }
            return count;
        }

        private static void Copy(StringBuilder text, string offer, string[] section, string start)
        {
            string found = Find(section, start) ?? Find(Lines(offer), start);
            if (found != null)
            {
                text.Append(found).Append(End);
            }
        }

        private static string Find(string[] lines, string start)
        {
            foreach (string line in lines)
            {
                if (line.StartsWith(start, StringComparison.Ordinal))
                {
                    return line;
                }
            }
            return null;
        }

        private static string[] Section(string sdp, string kind)
        {
            var section = new List<string>();
            bool inside = false;
            foreach (string line in Lines(sdp))
            {
                if (line.StartsWith("m=", StringComparison.Ordinal))
                {
                    inside = section.Count == 0 && line.StartsWith("m=" + kind + " ", StringComparison.Ordinal);
                }
                if (inside)
                {
                    section.Add(line);
                }
            }
            return section.ToArray();
        }

        private static string[] Lines(string sdp)
        {
            return sdp.Split(new[] { '\r', '\n' }, StringSplitOptions.RemoveEmptyEntries);
        }
    }
}

using System;

namespace Arwarden.Core
{
    /// <summary>The topics of one headset.</summary>
    public sealed class Topics
    {
        public const string DefaultPrefix = "arwarden/v1";
        public const int MaxDeviceIdLength = 64;

        public Topics(string deviceId)
            : this(deviceId, DefaultPrefix)
        {
        }

        /// <summary>Throws <see cref="ArgumentException"/> where the device id cannot be a topic level.</summary>
        public Topics(string deviceId, string prefix)
        {
            if (!IsDeviceId(deviceId))
            {
                throw new ArgumentException(
                    "not a device id: 1 to 64 letters, digits, '_' and '-', a letter or digit first", "deviceId");
            }
            string root = prefix + "/" + deviceId + "/";
            DeviceId = deviceId;
            Alerts = root + "alerts";
            Adjustments = root + "adjustments";
            Health = root + "health";
            Acks = root + "acks";
            Scene = root + "scene";
            DaemonStatus = prefix + "/daemon/status";
        }

        public string DeviceId { get; }

        public string Alerts { get; }

        public string Adjustments { get; }

        public string Health { get; }

        public string Acks { get; }

        public string Scene { get; }

        public string DaemonStatus { get; }

        public static bool IsDeviceId(string text)
        {
            if (string.IsNullOrEmpty(text) || text.Length > MaxDeviceIdLength)
            {
                return false;
            }
            for (int i = 0; i < text.Length; i++)
            {
                char sign = text[i];
                bool letterOrDigit = (sign >= '0' && sign <= '9') || (sign >= 'a' && sign <= 'z')
                    || (sign >= 'A' && sign <= 'Z');
                if (!letterOrDigit && (i == 0 || (sign != '_' && sign != '-')))
                {
                    return false;
                }
            }
            return true;
        }
    }
}

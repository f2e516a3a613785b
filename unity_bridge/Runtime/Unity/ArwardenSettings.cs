using Arwarden.Core;
using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>Where the daemon and its broker are, and who this headset is: one asset for the whole app.</summary>
    [CreateAssetMenu(menuName = "arwarden/Settings", fileName = "arwarden settings")]
    public sealed class ArwardenSettings : ScriptableObject
    {
        /// <summary>A layer that hardly any project uses: the wearer sees what is on it, the daemon does not.</summary>
        public const int DefaultOverlayLayer = 30;

        [Header("Who this headset is")]
        [Tooltip("The id of this device in the daemon's configuration.")]
        [SerializeField]
        private string _deviceId = "quest-1";

        [Header("Warnings: the MQTT broker")]
        [Tooltip("Name or address of the broker, such as 192.168.1.10.")]
        [SerializeField]
        private string _brokerHost = "";

        [Tooltip("0: 1883, or 8883 with TLS.")]
        [SerializeField]
        private int _brokerPort;

        [SerializeField]
        private bool _brokerTls;

        [SerializeField]
        private string _brokerUser = "";

        [SerializeField]
        private string _brokerPassword = "";

        [SerializeField]
        private string _topicPrefix = Topics.DefaultPrefix;

        [Header("The stream: the daemon's WHIP endpoint")]
        [Tooltip("Such as http://192.168.1.10:8080/whip. Empty: this headset does not stream.")]
        [SerializeField]
        private string _whipUrl = "";

        [Tooltip("This device's own token in the daemon's configuration. Empty: none.")]
        [SerializeField]
        private string _whipToken = "";

        [Range(5, 30)]
        [SerializeField]
        private int _maxFps = 15;

        [Range(500, 20000)]
        [SerializeField]
        private int _maxKbps = 4000;

        [Range(320, 1920)]
        [SerializeField]
        private int _maxWidthPx = 1280;

        [Header("Trust")]
        [Tooltip("SHA-256 of the certificate, or of its key, that broker and daemon show. With any, nothing else counts.")]
        [SerializeField]
        private string[] _pinnedSha256 = new string[0];

        [Header("What the wearer sees")]
        [Tooltip("The layer of the warnings. It is never streamed, or the daemon would read its own warnings.")]
        [Range(0, 31)]
        [SerializeField]
        private int _overlayLayer = DefaultOverlayLayer;

        [Tooltip("How far away the warnings hang, in metres.")]
        [Range(0.5f, 3f)]
        [SerializeField]
        private float _overlayDistance = (float)OverlayLayout.DefaultDistanceM;

        /// <summary>What an app has handed over instead of what is typed in above; not kept with the asset.</summary>
        private BridgeSettings _given;

        public int OverlayLayer
        {
            get { return _overlayLayer; }
        }

        public float OverlayDistance
        {
            get { return _overlayDistance; }
        }

        public BridgeSettings ToSettings()
        {
            BridgeSettings values = _given == null ? Typed() : _given.Copy();
            values.BrokerHost = values.BrokerHost.Trim();
            values.WhipUrl = values.WhipUrl.Trim();
            values.WhipToken = values.WhipToken.Trim();
            return values;
        }

        /// <summary>For what an app learns only at run time, from a file or from the wearer.</summary>
        public static ArwardenSettings From(BridgeSettings settings)
        {
            ArwardenSettings asset = CreateInstance<ArwardenSettings>();
            asset._given = settings.Copy();
            return asset;
        }

        private BridgeSettings Typed()
        {
            return new BridgeSettings
            {
                DeviceId = _deviceId,
                BrokerHost = _brokerHost,
                BrokerPort = _brokerPort,
                BrokerTls = _brokerTls,
                BrokerUser = _brokerUser,
                BrokerPassword = _brokerPassword,
                TopicPrefix = _topicPrefix,
                WhipUrl = _whipUrl,
                WhipToken = _whipToken,
                PinnedSha256 = _pinnedSha256,
                MaxFps = _maxFps,
                MaxKbps = _maxKbps,
                MaxWidthPx = _maxWidthPx,
            };
        }
    }
}

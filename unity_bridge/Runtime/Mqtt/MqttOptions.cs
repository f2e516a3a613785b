using System.Collections.Generic;

namespace Arwarden.Mqtt
{
    /// <summary>Whom to trust on a TLS connection. Everything empty: the system's authorities and the host's name.</summary>
    public sealed class TlsOptions
    {
        /// <summary>Authorities to trust instead of the system's, as PEM or DER.</summary>
        public readonly List<byte[]> Authorities = new List<byte[]>();

        /// <summary>
        /// SHA-256 of the broker's own certificate or of its key, as Sha256Pin knows them. With any, nothing else counts:
        /// neither who signed it nor what it is called.
        /// </summary>
        public readonly List<string> PinnedSha256 = new List<string>();
    }

    /// <summary>Which broker, and as whom.</summary>
    public sealed class MqttOptions
    {
        public string Host = "127.0.0.1";

        /// <summary>0: 1883, or 8883 with TLS.</summary>
        public int Port;

        /// <summary>Null: without TLS.</summary>
        public TlsOptions Tls;

        /// <summary>Made unique by a random ending: two clients with one id would end each other for ever.</summary>
        public string ClientIdPrefix = "arwarden-headset";

        /// <summary>Null: anonymous.</summary>
        public string Username;

        public string Password;

        /// <summary>What the broker says when this client is lost; null: nothing.</summary>
        public string WillTopic;

        public byte[] WillPayload = new byte[0];
        public int WillQos = 1;
        public bool WillRetain;
        public int KeepAliveS = 10;

        /// <summary>For the connection, the handshake and the broker's answer together.</summary>
        public int ConnectTimeoutMs = 5000;

        /// <summary>5, or 4 for MQTT 3.1.1 from the start.</summary>
        public int ProtocolLevel = 5;

        /// <summary>Larger packets are skipped; the contract's largest message is 60 kB.</summary>
        public int MaxPacketBytes = 131072;

        /// <summary>Messages that wait to be pumped; when full the oldest is dropped.</summary>
        public int InboxMessages = 256;

        /// <summary>Messages that wait for the broker; when full the oldest is dropped.</summary>
        public int OutboxMessages = 256;

        /// <summary>How long a publication of QoS 1 waits that the broker had for nobody, before it is told again.</summary>
        public int UnheardPauseMs = 2000;

        /// <summary>With the pause a minute: the daemon comes back to its broker after 5 s at most.</summary>
        public int UnheardTries = 30;

        public int EffectivePort
        {
            get { return Port > 0 ? Port : Tls == null ? 1883 : 8883; }
        }
    }

    /// <summary>What happened so far. Read it on any thread; the numbers are only ever as new as the last event.</summary>
    public sealed class MqttCounters
    {
        public long Connections;
        public long Lost;
        public long InboxDropped;
        public long OutboxDropped;
        public long Expired;
        public long Oversized;

        /// <summary>Publications that the broker refused.</summary>
        public long Rejected;

        /// <summary>Publications that the broker had for nobody, for as long as they were tried.</summary>
        public long Unheard;
        public long Delivered;
    }
}

using System;
using System.Collections.Generic;
using System.Text;

namespace Arwarden.Mqtt
{
    /// <summary>A packet that breaks MQTT's rules.</summary>
    public sealed class MqttProtocolException : Exception
    {
        public MqttProtocolException(string message)
            : base(message)
        {
        }
    }

    /// <summary>The broker's answer to CONNECT.</summary>
    public struct Connack
    {
        public int ReasonCode;

        /// <summary>0: the client's own.</summary>
        public int ServerKeepAliveS;
        public int ReceiveMaximum;

        /// <summary>0: any size.</summary>
        public long MaximumPacketSize;
        public int MaximumQos;
    }

    /// <summary>A received publication.</summary>
    public struct ReceivedPublish
    {
        public string Topic;
        public int Qos;
        public bool Retain;
        public int PacketId;
        public byte[] Payload;
    }

    /// <summary>
    /// The packets of MQTT 5.0 and 3.1.1 (level 4) that a client of QoS 0 and 1 needs. Pure: bytes in, bytes out.
    /// </summary>
    public static class MqttPackets
    {
        public const int TypeConnack = 2;
        public const int TypePublish = 3;
        public const int TypePuback = 4;
        public const int TypeSuback = 9;
        public const int TypePingresp = 13;
        public const int TypeDisconnect = 14;

        /// <summary>PUBACK (MQTT 5, section 3.4.2.1): taken, and given to nobody.</summary>
        public const int NoMatchingSubscribers = 0x10;

        public const int MaxInFlight = 16;

        private const byte PropertyMessageExpiry = 0x02;
        private const byte PropertyServerKeepAlive = 0x13;
        private const byte PropertyReceiveMaximum = 0x21;
        private const byte PropertyMaximumQos = 0x24;
        private const byte PropertyMaximumPacketSize = 0x27;

        public static byte[] Connect(MqttOptions options, int level, string clientId)
        {
            var body = new List<byte>();
            AddText(body, "MQTT");
            body.Add((byte)level);
            int flags = 0x02;
            if (options.WillTopic != null)
            {
                flags |= 0x04 | (options.WillQos << 3) | (options.WillRetain ? 0x20 : 0);
            }
            flags |= options.Username == null ? 0 : 0x80;
            flags |= options.Username == null || options.Password == null ? 0 : 0x40;
            body.Add((byte)flags);
            AddShort(body, options.KeepAliveS);
            if (level == 5)
            {
                body.Add(8);
                body.Add(PropertyReceiveMaximum);
                AddShort(body, MaxInFlight);
                body.Add(PropertyMaximumPacketSize);
                AddInt(body, options.MaxPacketBytes);
            }
            AddText(body, clientId);
            if (options.WillTopic != null)
            {
                if (level == 5)
                {
                    body.Add(0);
                }
                AddText(body, options.WillTopic);
                AddShort(body, options.WillPayload.Length);
                body.AddRange(options.WillPayload);
            }
            if (options.Username != null)
            {
                AddText(body, options.Username);
                if (options.Password != null)
                {
                    AddText(body, options.Password);
                }
            }
            return Packet(0x10, body);
        }

        public static byte[] Subscribe(int level, int packetId, IList<KeyValuePair<string, int>> topics)
        {
            var body = new List<byte>();
            AddShort(body, packetId);
            if (level == 5)
            {
                body.Add(0);
            }
            foreach (KeyValuePair<string, int> topic in topics)
            {
                AddText(body, topic.Key);
                body.Add((byte)topic.Value);
            }
            return Packet(0x82, body);
        }

        /// <summary><paramref name="expiryS"/> 0: never expires; 3.1.1 has no way to say it.</summary>
        public static byte[] Publish(
            int level, int packetId, string topic, byte[] payload, int qos, bool retain, long expiryS)
        {
            var body = new List<byte>(payload.Length + topic.Length + 16);
            AddText(body, topic);
            if (qos > 0)
            {
                AddShort(body, packetId);
            }
            if (level == 5)
            {
                body.Add((byte)(expiryS > 0 ? 5 : 0));
                if (expiryS > 0)
                {
                    body.Add(PropertyMessageExpiry);
                    AddInt(body, expiryS);
                }
            }
            body.AddRange(payload);
            return Packet(0x30 | (qos << 1) | (retain ? 1 : 0), body);
        }

        public static byte[] Puback(int packetId)
        {
            return new byte[] { 0x40, 2, (byte)(packetId >> 8), (byte)packetId };
        }

        public static byte[] Pingreq()
        {
            return new byte[] { 0xC0, 0 };
        }

        public static byte[] Disconnect()
        {
            return new byte[] { 0xE0, 0 };
        }

        public static Connack ReadConnack(byte[] body, int level)
        {
            if (body.Length < 2)
            {
                throw new MqttProtocolException("a CONNACK that is too short");
            }
            var connack = new Connack { ReasonCode = body[1], ReceiveMaximum = MaxInFlight, MaximumQos = 2 };
            if (level != 5 || body.Length < 3)
            {
                return connack;
            }
            int at = 2;
            int end = ReadLength(body, ref at);
            end += at;
            Check(end <= body.Length);
            while (at < end)
            {
                byte property = body[at++];
                int start = at;
                SkipProperty(body, property, ref at);
                Check(at <= end);
                switch (property)
                {
                    case PropertyServerKeepAlive:
                        connack.ServerKeepAliveS = ShortAt(body, start);
                        break;
                    case PropertyReceiveMaximum:
                        connack.ReceiveMaximum = Math.Max(1, ShortAt(body, start));
                        break;
                    case PropertyMaximumQos:
                        connack.MaximumQos = body[start];
                        break;
                    case PropertyMaximumPacketSize:
                        connack.MaximumPacketSize =
                            ((long)ShortAt(body, start) << 16) | (uint)ShortAt(body, start + 2);
                        break;
                    default:
                        break;
                }
            }
            return connack;
        }

        /// <summary><paramref name="flags"/> are the low four bits of the packet's first byte.</summary>
        public static ReceivedPublish ReadPublish(byte[] body, int flags, int level)
        {
            int at = 0;
            var publish = new ReceivedPublish { Qos = (flags >> 1) & 3, Retain = (flags & 1) != 0 };
            publish.Topic = ReadText(body, ref at);
            if (publish.Qos > 1)
            {
                throw new MqttProtocolException("a publication of QoS 2, which was not asked for");
            }
            if (publish.Qos == 1)
            {
                Check(at + 2 <= body.Length);
                publish.PacketId = ShortAt(body, at);
                at += 2;
            }
            if (level == 5)
            {
                int length = ReadLength(body, ref at);
                at += length;
            }
            Check(at <= body.Length);
            publish.Payload = new byte[body.Length - at];
            Buffer.BlockCopy(body, at, publish.Payload, 0, publish.Payload.Length);
            return publish;
        }

        /// <summary>The reason code of a PUBACK; 0 where it has none.</summary>
        public static int ReadPuback(byte[] body, out int packetId)
        {
            Check(body.Length >= 2);
            packetId = ShortAt(body, 0);
            return body.Length > 2 ? body[2] : 0;
        }

        /// <summary>The first refused reason code of a SUBACK, or 0.</summary>
        public static int ReadSuback(byte[] body, int level)
        {
            int at = 2;
            if (level == 5)
            {
                int length = ReadLength(body, ref at);
                at += length;
            }
            Check(at < body.Length);
            for (; at < body.Length; at++)
            {
                if (body[at] >= 0x80)
                {
                    return body[at];
                }
            }
            return 0;
        }

        /// <summary>A variable byte integer (MQTT 5, section 1.5.5).</summary>
        public static int ReadLength(byte[] from, ref int at)
        {
            int value = 0;
            for (int shift = 0; shift < 28; shift += 7)
            {
                Check(at < from.Length);
                byte part = from[at++];
                value |= (part & 0x7F) << shift;
                if (part < 0x80)
                {
                    return value;
                }
            }
            throw new MqttProtocolException("a length of more than four bytes");
        }

        private static void SkipProperty(byte[] body, byte property, ref int at)
        {
            switch (property)
            {
                case 0x24:
                case 0x25:
                case 0x28:
                case 0x29:
                case 0x2A:
                    at += 1;
                    break;
                case PropertyServerKeepAlive:
                case PropertyReceiveMaximum:
                case 0x22:
                    at += 2;
                    break;
                case 0x11:
                case PropertyMaximumPacketSize:
                    at += 4;
                    break;
                case 0x26:
                    ReadText(body, ref at);
                    ReadText(body, ref at);
                    break;
                case 0x12:
                case 0x15:
                case 0x16:
                case 0x1A:
                case 0x1C:
                case 0x1F:
                    ReadText(body, ref at);
                    break;
                default:
                    throw new MqttProtocolException("an unknown property");
            }
            Check(at <= body.Length);
        }

        private static string ReadText(byte[] from, ref int at)
        {
            Check(at + 2 <= from.Length);
            int length = ShortAt(from, at);
            at += 2;
            Check(at + length <= from.Length);
            string text = Encoding.UTF8.GetString(from, at, length);
            at += length;
            return text;
        }

        private static int ShortAt(byte[] from, int at)
        {
            return (from[at] << 8) | from[at + 1];
        }

        private static void Check(bool holds)
        {
            if (!holds)
            {
                throw new MqttProtocolException("a packet that ends too early");
            }
        }

        private static byte[] Packet(int first, List<byte> body)
        {
            var header = new List<byte> { (byte)first };
            int length = body.Count;
            do
            {
                int part = length & 0x7F;
                length >>= 7;
                header.Add((byte)(length > 0 ? part | 0x80 : part));
            }
            while (length > 0);
            header.AddRange(body);
            return header.ToArray();
        }

        private static void AddText(List<byte> to, string text)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text);
            if (bytes.Length > 65535)
            {
                throw new ArgumentException("longer than 65535 bytes");
            }
            AddShort(to, bytes.Length);
            to.AddRange(bytes);
        }

        private static void AddShort(List<byte> to, int value)
        {
            to.Add((byte)(value >> 8));
            to.Add((byte)value);
        }

        private static void AddInt(List<byte> to, long value)
        {
            AddShort(to, (int)((value >> 16) & 0xFFFF));
            AddShort(to, (int)(value & 0xFFFF));
        }
    }
}

using System;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;

namespace Arwarden.Mqtt
{
    /// <summary>A connection could not be made, or is lost; the message says why.</summary>
    internal sealed class LinkLostException : Exception
    {
        public LinkLostException(string message)
            : base(message)
        {
        }
    }

    /// <summary>One connection to the broker: whole packets in, bytes out. One reader and one writer at a time.</summary>
    internal sealed class MqttConnection : IDisposable
    {
        private readonly Socket _socket;
        private readonly int _maxPacketBytes;
        private readonly byte[] _buffer = new byte[8192];
        private Stream _stream;
        private int _from;
        private int _to;

        private MqttConnection(Socket socket, int maxPacketBytes)
        {
            _socket = socket;
            _maxPacketBytes = maxPacketBytes;
        }

        /// <summary>Whether the packet that was read last was larger than allowed: its end is cut off.</summary>
        public bool WasCut { get; private set; }

        /// <summary>Connects without TLS yet. Tries every address of the host until the time is over.</summary>
        public static MqttConnection Open(string host, int port, int timeoutMs, int maxPacketBytes)
        {
            Stopwatch watch = Stopwatch.StartNew();
            string fault = "it has no address";
            foreach (IPAddress address in AddressesOf(host))
            {
                int leftMs = timeoutMs - (int)watch.ElapsedMilliseconds;
                if (leftMs <= 0)
                {
                    break;
                }
                var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
                try
                {
                    IAsyncResult connecting = socket.BeginConnect(address, port, null, null);
                    if (connecting.AsyncWaitHandle.WaitOne(leftMs))
                    {
                        socket.EndConnect(connecting);
                        socket.NoDelay = true;
                        socket.SendTimeout = timeoutMs;
                        return new MqttConnection(socket, maxPacketBytes) { _stream = new NetworkStream(socket) };
                    }
                    fault = "it does not answer";
                }
                catch (SocketException error)
                {
                    fault = error.SocketErrorCode == SocketError.ConnectionRefused
                        ? "nobody listens there"
                        : "error " + error.ErrorCode;
                }
                socket.Close();
            }
            throw new LinkLostException("the broker at " + host + ":" + port + " cannot be reached: " + fault);
        }

        public void StartTls(string host, TlsOptions options)
        {
            var check = new TlsCheck(host, options);
            var secured = new SslStream(_stream, false, check.Accepts);
            _stream = secured;
            try
            {
                secured.AuthenticateAsClient(host, null, SslProtocols.Tls12, false);
            }
            catch (Exception)
            {
                throw new LinkLostException(check.Fault ?? "the TLS handshake failed: choose the broker's port with TLS "
                    + "(usually 8883) or switch TLS off; the broker must speak TLS 1.2");
            }
            if (check.Fault != null)
            {
                throw new LinkLostException(check.Fault);
            }
        }

        public void Write(byte[] packet)
        {
            try
            {
                _stream.Write(packet, 0, packet.Length);
                _stream.Flush();
            }
            catch (Exception)
            {
                // A stream whose socket is closed under it throws nearly anything, and this is nobody's thread.
                throw new LinkLostException("the connection broke while sending");
            }
        }

        /// <summary>Waits for a packet; its first byte, and the rest without the length.</summary>
        public int Read(out byte[] body)
        {
            int first = ReadByte();
            long length = 0;
            for (int shift = 0; ; shift += 7)
            {
                if (shift > 21)
                {
                    throw new MqttProtocolException("a length of more than four bytes");
                }
                int part = ReadByte();
                length |= (long)(part & 0x7F) << shift;
                if (part < 0x80)
                {
                    break;
                }
            }
            WasCut = length > _maxPacketBytes;
            body = new byte[WasCut ? _maxPacketBytes : (int)length];
            for (int at = 0; at < body.Length;)
            {
                at += Take(body, at, body.Length - at);
            }
            for (long left = length - body.Length; left > 0;)
            {
                left -= Take(null, 0, (int)Math.Min(left, _buffer.Length));
            }
            return first;
        }

        /// <summary>From any thread: whoever reads or writes fails at once.</summary>
        public void Dispose()
        {
            _socket.Close();
        }

        private static IPAddress[] AddressesOf(string host)
        {
            try
            {
                return Dns.GetHostAddresses(host);
            }
            catch (SocketException)
            {
                throw new LinkLostException("the broker's name " + host + " is not known");
            }
        }

        private int ReadByte()
        {
            Fill();
            return _buffer[_from++];
        }

        private int Take(byte[] into, int at, int wanted)
        {
            Fill();
            int taken = Math.Min(wanted, _to - _from);
            if (into != null)
            {
                Buffer.BlockCopy(_buffer, _from, into, at, taken);
            }
            _from += taken;
            return taken;
        }

        private void Fill()
        {
            if (_from < _to)
            {
                return;
            }
            int read;
            try
            {
                read = _stream.Read(_buffer, 0, _buffer.Length);
            }
            catch (Exception)
            {
                throw new LinkLostException("the connection broke");
            }
            if (read <= 0)
            {
                throw new LinkLostException("the broker closed the connection");
            }
            _from = 0;
            _to = read;
        }
    }
}

using System;
using System.Collections.Generic;
using Arwarden.Core;
using Unity.WebRTC;
using UnityEngine;

namespace Arwarden.WebRtc
{
    /// <summary>
    /// One sending peer connection after the other, of com.unity.webrtc. Looked at once a frame; its callbacks come on the
    /// main thread.
    /// </summary>
    internal sealed class WebRtcPeer : IWhipPeer
    {
        private const string NotAccepted = "the offer or its answer is not accepted by this device";

        private readonly Texture _picture;
        private readonly ClockTalk _talk;
        private readonly Queue<string> _candidates = new Queue<string>();
        private RTCPeerConnection _connection;
        private RTCDataChannel _channel;
        private VideoStreamTrack _track;
        private RTCRtpSender _sender;
        private RTCSessionDescriptionAsyncOperation _offering;
        private AsyncOperationBase _describing;
        private StreamLoad _load;
        private bool _described;

        public WebRtcPeer(Texture picture, ClockTalk talk, StreamLoad load)
        {
            _picture = picture;
            _talk = talk;
            _load = load;
        }

        public PeerState State { get; private set; }

        public string Offer
        {
            get
            {
                if (!_described)
                {
                    return null;
                }
                // What is in the offer need not be sent again.
                _candidates.Clear();
                return _connection.LocalDescription.sdp;
            }
        }

        public bool IsGathered
        {
            get { return _connection != null && _connection.GatheringState == RTCIceGatheringState.Complete; }
        }

        public string Problem { get; private set; }

        public void Open()
        {
            Close();
            Problem = null;
            State = PeerState.Offering;
            try
            {
                Make();
            }
            catch (Exception error)
            {
                // The package throws for what the device cannot do, such as a graphics API that it does not know.
                Fail("WebRTC does not start here (" + error.Message + ")");
            }
        }

        /// <summary>Once a frame.</summary>
        public void Step()
        {
            if (_offering != null && _offering.IsDone)
            {
                RTCSessionDescriptionAsyncOperation offered = _offering;
                _offering = null;
                if (!Failed(offered, "this device makes no offer"))
                {
                    Describe(offered.Desc);
                }
            }
            else if (_describing != null && _describing.IsDone)
            {
                AsyncOperationBase described = _describing;
                _describing = null;
                bool failed = Failed(described, NotAccepted);
                _described = _described || !failed;
            }
        }

        public void Accept(string answer)
        {
            State = PeerState.Connecting;
            var description = new RTCSessionDescription { type = RTCSdpType.Answer, sdp = answer };
            Describe(description);
        }

        public string NextCandidate()
        {
            return _candidates.Count > 0 ? _candidates.Dequeue() : null;
        }

        public void Close()
        {
            State = PeerState.Closed;
            _talk.Closed();
            _candidates.Clear();
            _offering = null;
            _describing = null;
            _described = false;
            _sender = null;
            End(_channel);
            if (_connection != null)
            {
                _connection.OnConnectionStateChange = null;
                _connection.OnIceCandidate = null;
            }
            // The track last: a connection that ends still looks at what it sends.
            End(_connection);
            End(_track);
            _channel = null;
            _track = null;
            _connection = null;
        }

        /// <summary>How much the stream may take from now on.</summary>
        public void Limit(StreamLoad load)
        {
            _load = load;
            if (_sender == null)
            {
                return;
            }
            RTCRtpSendParameters parameters = _sender.GetParameters();
            foreach (RTCRtpEncodingParameters encoding in parameters.encodings)
            {
                encoding.maxBitrate = (ulong)load.Kbps * 1000;
                encoding.maxFramerate = (uint)load.Fps;
                encoding.scaleResolutionDownBy = load.ScaleDown;
            }
            RTCError error = _sender.SetParameters(parameters);
            if (error.errorType != RTCErrorType.None)
            {
                Debug.LogWarning("arwarden: the encoder keeps its limits: " + error.message);
            }
        }

        /// <summary>Says something on the channel "clock", if it is open.</summary>
        public void Say(string text)
        {
            if (_channel != null && _channel.ReadyState == RTCDataChannelState.Open)
            {
                _channel.Send(text);
            }
        }

        private void Make()
        {
            // No servers: headset and daemon are in one network, and nobody else needs to know of them.
            var configuration = new RTCConfiguration { iceServers = new RTCIceServer[0] };
            _connection = new RTCPeerConnection(ref configuration);
            _connection.OnConnectionStateChange = OnState;
            _connection.OnIceCandidate = candidate => _candidates.Enqueue(candidate.Candidate);
            OpenChannel();
            if (OpenVideo())
            {
                _offering = _connection.CreateOffer();
            }
        }

        private void Describe(RTCSessionDescription description)
        {
            try
            {
                _describing = description.type == RTCSdpType.Offer
                    ? _connection.SetLocalDescription(ref description)
                    : _connection.SetRemoteDescription(ref description);
            }
            catch (Exception error)
            {
                // A description that cannot be parsed is thrown at once and not told by the operation.
                Fail(NotAccepted + " (" + error.Message + ")");
            }
        }

        private void OpenChannel()
        {
            var late = new RTCDataChannelInit { ordered = false, maxRetransmits = 0 };
            _channel = _connection.CreateDataChannel(ClockMessage.ChannelLabel, late);
            _channel.OnOpen = _talk.Opened;
            _channel.OnClose = _talk.Closed;
            _channel.OnMessage = _talk.Take;
        }

        private bool OpenVideo()
        {
            RTCRtpCodecCapability[] codecs = Codecs();
            if (codecs.Length == 0)
            {
                Fail("this device encodes neither H264 nor VP8");
                return false;
            }
            _track = new VideoStreamTrack(_picture);
            RTCRtpTransceiver transceiver = _connection.AddTransceiver(_track, new RTCRtpTransceiverInit
            {
                direction = RTCRtpTransceiverDirection.SendOnly,
                sendEncodings = new[]
                {
                    new RTCRtpEncodingParameters
                    {
                        active = true,
                        maxBitrate = (ulong)_load.Kbps * 1000,
                        maxFramerate = (uint)_load.Fps,
                        scaleResolutionDownBy = _load.ScaleDown,
                    },
                },
            });
            _sender = transceiver.Sender;
            RTCErrorType error = transceiver.SetCodecPreferences(codecs);
            if (error != RTCErrorType.None)
            {
                Debug.LogWarning("arwarden: the order of the codecs stays the device's own");
            }
            return true;
        }

        private static RTCRtpCodecCapability[] Codecs()
        {
            RTCRtpCodecCapability[] all = RTCRtpSender.GetCapabilities(TrackKind.Video).codecs;
            var types = new string[all.Length];
            var formats = new string[all.Length];
            for (int i = 0; i < all.Length; i++)
            {
                types[i] = all[i].mimeType;
                formats[i] = all[i].sdpFmtpLine;
            }
            int[] order = VideoCodecs.Order(types, formats);
            return Array.ConvertAll(order, place => all[place]);
        }

        private void OnState(RTCPeerConnectionState state)
        {
            switch (state)
            {
                case RTCPeerConnectionState.Connected:
                    State = PeerState.Connected;
                    break;
                case RTCPeerConnectionState.Failed:
                    Fail("the connection broke");
                    break;
                case RTCPeerConnectionState.Closed:
                    State = PeerState.Closed;
                    break;
                default:
                    // "Disconnected" may pass by itself; if it does not, the silent data channel says so.
                    break;
            }
        }

        private bool Failed(AsyncOperationBase operation, string what)
        {
            if (operation.IsError)
            {
                Fail(what + " (" + operation.Error.message + ")");
            }
            return operation.IsError;
        }

        private void Fail(string why)
        {
            Problem = why;
            State = PeerState.Failed;
        }

        private static void End(IDisposable used)
        {
            if (used != null)
            {
                used.Dispose();
            }
        }
    }
}

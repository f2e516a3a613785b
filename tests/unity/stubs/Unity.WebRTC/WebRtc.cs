// What the package uses of com.unity.webrtc 3.0.0, as a peer that a test moves by hand.
// WR = docs.unity3d.com/Packages/com.unity.webrtc@3.0/api/Unity.WebRTC.
// WS = github.com/Unity-Technologies/com.unity.webrtc, 3.0.0, Runtime/Scripts/
using System;
using System.Collections;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using UnityEngine;
using UnityEngine.Experimental.Rendering;
using UnityEngine.Rendering;

[assembly: InternalsVisibleTo("Arwarden.EngineTests")]

namespace Unity.WebRTC
{
    public static class WebRTC // WR WebRTC
    {
        internal static int Updates;
        internal static string FormatFault;

        public static IEnumerator Update() // WR WebRTC.Update
        {
            while (true)
            {
                Updates++;
                yield return null;
            }
        }

        public static GraphicsFormat GetSupportedGraphicsFormat(GraphicsDeviceType type) // WR WebRTC.GetSupportedGraphicsFormat
        {
            if (FormatFault != null)
            {
                throw new ArgumentException(FormatFault); // WS WebRTC.cs
            }
            return GraphicsFormat.B8G8R8A8_SRGB;
        }
    }

    public enum RTCErrorType // WR RTCErrorType
    {
        None,
        UnsupportedOperation,
        InternalError = 10,
    }

    public struct RTCError // WR RTCError
    {
        public RTCErrorType errorType; // WR RTCError.errorType
        public string message; // WR RTCError.message
    }

    public enum RTCSdpType // WR RTCSdpType
    {
        Offer,
        Pranswer,
        Answer,
        Rollback,
    }

    public struct RTCSessionDescription // WR RTCSessionDescription
    {
        public RTCSdpType type; // WR RTCSessionDescription.type
        public string sdp; // WR RTCSessionDescription.sdp
    }

    public enum RTCIceGatheringState // WR RTCIceGatheringState
    {
        New,
        Gathering,
        Complete,
    }

    public enum RTCPeerConnectionState // WR RTCPeerConnectionState
    {
        New,
        Connecting,
        Connected,
        Disconnected,
        Failed,
        Closed,
    }

    public enum RTCDataChannelState // WR RTCDataChannelState
    {
        Connecting,
        Open,
        Closing,
        Closed,
    }

    public enum TrackKind // WR TrackKind
    {
        Audio,
        Video,
    }

    public enum RTCRtpTransceiverDirection // WR RTCRtpTransceiverDirection
    {
        SendRecv,
        SendOnly,
        RecvOnly,
        Inactive,
        Stopped,
    }

    public struct RTCIceServer // WR RTCIceServer
    {
    }

    public struct RTCConfiguration // WR RTCConfiguration
    {
        public RTCIceServer[] iceServers; // WR RTCConfiguration.iceServers
    }

    public class RTCIceCandidate // WR RTCIceCandidate
    {
        internal string Text;

        public string Candidate // WR RTCIceCandidate.Candidate
        {
            get { return Text; }
        }
    }

    public class AsyncOperationBase : CustomYieldInstruction // WR AsyncOperationBase
    {
        public RTCError Error { get; internal set; } // WR AsyncOperationBase.Error

        public bool IsError { get; internal set; } // WR AsyncOperationBase.IsError

        public bool IsDone { get; internal set; } // WR AsyncOperationBase.IsDone

        public override bool keepWaiting // WR AsyncOperationBase.keepWaiting
        {
            get { return !IsDone; }
        }
    }

    public class RTCSessionDescriptionAsyncOperation : AsyncOperationBase // WR RTCSessionDescriptionAsyncOperation
    {
        public RTCSessionDescription Desc { get; internal set; } // WR RTCSessionDescriptionAsyncOperation.Desc
    }

    public class RTCSetSessionDescriptionAsyncOperation : AsyncOperationBase // WR RTCSetSessionDescriptionAsyncOperation
    {
    }

    public class RTCRtpCodecCapability // WR RTCRtpCodecCapability
    {
        public string mimeType; // WR RTCRtpCodecCapability.mimeType
        public string sdpFmtpLine; // WR RTCRtpCodecCapability.sdpFmtpLine
    }

    public class RTCRtpCapabilities // WR RTCRtpCapabilities
    {
        public RTCRtpCodecCapability[] codecs; // WR RTCRtpCapabilities.codecs
    }

    public class RTCRtpEncodingParameters // WR RTCRtpEncodingParameters
    {
        public bool active; // WR RTCRtpEncodingParameters.active
        public ulong? maxBitrate; // WR RTCRtpEncodingParameters.maxBitrate
        public uint? maxFramerate; // WR RTCRtpEncodingParameters.maxFramerate
        public double? scaleResolutionDownBy; // WR RTCRtpEncodingParameters.scaleResolutionDownBy
    }

    public class RTCRtpSendParameters // WR RTCRtpSendParameters
    {
        public RTCRtpEncodingParameters[] encodings; // WR RTCRtpSendParameters.encodings
    }

    public class RTCRtpTransceiverInit // WR RTCRtpTransceiverInit
    {
        public RTCRtpTransceiverDirection? direction; // WR RTCRtpTransceiverInit.direction
        public RTCRtpEncodingParameters[] sendEncodings; // WR RTCRtpTransceiverInit.sendEncodings
    }

    public class RTCRtpSender // WR RTCRtpSender
    {
        internal static readonly List<string[]> Codecs = new List<string[]>();
        internal RTCRtpSendParameters Parameters;

        public static RTCRtpCapabilities GetCapabilities(TrackKind kind) // WR RTCRtpSender.GetCapabilities
        {
            return new RTCRtpCapabilities
            {
                codecs = Codecs.ConvertAll(
                    pair => new RTCRtpCodecCapability { mimeType = pair[0], sdpFmtpLine = pair[1] }).ToArray(),
            };
        }

        public RTCRtpSendParameters GetParameters() // WR RTCRtpSender.GetParameters
        {
            return Parameters;
        }

        public RTCError SetParameters(RTCRtpSendParameters parameters) // WS RTCRtpSender.cs, "public RTCError SetParameters"
        {
            Parameters = parameters;
            return new RTCError();
        }
    }

    public class RTCRtpTransceiver // WR RTCRtpTransceiver
    {
        private readonly RTCRtpSender _sender = new RTCRtpSender();
        internal RTCRtpCodecCapability[] Preferred;

        public RTCRtpSender Sender // WR RTCRtpTransceiver.Sender
        {
            get { return _sender; }
        }

        public RTCErrorType SetCodecPreferences(RTCRtpCodecCapability[] codecs) // WS RTCRtpTransceiver.cs, "public RTCErrorType SetCodecPreferences"
        {
            Preferred = codecs;
            return RTCErrorType.None;
        }
    }

    public class MediaStreamTrack : IDisposable // WR MediaStreamTrack
    {
        internal bool IsDisposed;

        public virtual void Dispose() // WR MediaStreamTrack.Dispose
        {
            IsDisposed = true;
        }
    }

    public delegate void CopyTexture(Texture source, RenderTexture dest); // WR CopyTexture

    public class VideoStreamTrack : MediaStreamTrack // WR VideoStreamTrack
    {
        internal static string Fault;
        internal readonly Texture Source;

        public VideoStreamTrack(Texture texture, CopyTexture copyTexture = null) // WS VideoStreamTrack.cs, "public VideoStreamTrack(Texture texture"
        {
            if (Fault != null)
            {
                throw new ArgumentException(Fault);
            }
            Source = texture;
        }
    }

    public delegate void DelegateOnOpen(); // WR DelegateOnOpen

    public delegate void DelegateOnClose(); // WR DelegateOnClose

    public delegate void DelegateOnMessage(byte[] bytes); // WR DelegateOnMessage

    public delegate void DelegateOnIceCandidate(RTCIceCandidate candidate); // WR DelegateOnIceCandidate

    public delegate void DelegateOnConnectionStateChange(RTCPeerConnectionState state); // WR DelegateOnConnectionStateChange

    public class RTCDataChannelInit // WR RTCDataChannelInit
    {
        public bool? ordered; // WR RTCDataChannelInit.ordered
        public int? maxRetransmits; // WR RTCDataChannelInit.maxRetransmits
    }

    public class RTCDataChannel : IDisposable // WR RTCDataChannel
    {
        internal readonly List<string> Said = new List<string>();
        internal RTCDataChannelInit Init;
        internal string Name;

        public DelegateOnOpen OnOpen { get; set; } // WR RTCDataChannel.OnOpen

        public DelegateOnClose OnClose { get; set; } // WR RTCDataChannel.OnClose

        public DelegateOnMessage OnMessage { get; set; } // WR RTCDataChannel.OnMessage

        public RTCDataChannelState ReadyState { get; internal set; } // WR RTCDataChannel.ReadyState

        public void Send(string msg) // WR RTCDataChannel.Send
        {
            if (ReadyState != RTCDataChannelState.Open)
            {
                throw new InvalidOperationException("DataChannel is not open");
            }
            Said.Add(msg);
        }

        public void Dispose() // WR RTCDataChannel.Dispose
        {
            ReadyState = RTCDataChannelState.Closed;
        }
    }

    public class RTCPeerConnection : IDisposable // WR RTCPeerConnection
    {
        internal const string OfferText = "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=ice-ufrag:abcd\r\na=mid:0\r\n";
        internal static readonly List<RTCPeerConnection> All = new List<RTCPeerConnection>();
        internal static string Fault;

        internal readonly RTCRtpTransceiver Transceiver = new RTCRtpTransceiver();
        internal readonly RTCSessionDescriptionAsyncOperation Offering = new RTCSessionDescriptionAsyncOperation();
        internal RTCSetSessionDescriptionAsyncOperation Describing;
        internal RTCDataChannel Channel;
        internal VideoStreamTrack Track;
        internal RTCRtpTransceiverInit Init;
        internal string Local;
        internal string Remote;
        internal bool IsDisposed;

        public RTCPeerConnection(ref RTCConfiguration configuration) // WR RTCPeerConnection.-ctor
        {
            All.Add(this);
        }

        public RTCIceGatheringState GatheringState { get; internal set; } // WS RTCPeerConnection.cs, "RTCIceGatheringState GatheringState"

        public DelegateOnConnectionStateChange OnConnectionStateChange { get; set; } // WR RTCPeerConnection.OnConnectionStateChange

        public DelegateOnIceCandidate OnIceCandidate { get; set; } // WR RTCPeerConnection.OnIceCandidate

        public RTCSessionDescription LocalDescription // WR RTCPeerConnection.LocalDescription
        {
            get { return new RTCSessionDescription { type = RTCSdpType.Offer, sdp = Local }; }
        }

        public RTCDataChannel CreateDataChannel(string label, RTCDataChannelInit options = null) // WR RTCPeerConnection.CreateDataChannel
        {
            Channel = new RTCDataChannel { Name = label, Init = options };
            return Channel;
        }

        public RTCRtpTransceiver AddTransceiver(MediaStreamTrack track, RTCRtpTransceiverInit init = null) // WR RTCPeerConnection.AddTransceiver
        {
            Track = (VideoStreamTrack)track;
            Init = init;
            Transceiver.Sender.Parameters = new RTCRtpSendParameters { encodings = init.sendEncodings };
            return Transceiver;
        }

        public RTCSessionDescriptionAsyncOperation CreateOffer() // WR RTCPeerConnection.CreateOffer
        {
            Offering.Desc = new RTCSessionDescription { type = RTCSdpType.Offer, sdp = OfferText };
            return Offering;
        }

        public RTCSetSessionDescriptionAsyncOperation SetLocalDescription(ref RTCSessionDescription desc) // WR RTCPeerConnection.SetLocalDescription
        {
            ThrowFault();
            Local = desc.sdp;
            Describing = new RTCSetSessionDescriptionAsyncOperation();
            return Describing;
        }

        public RTCSetSessionDescriptionAsyncOperation SetRemoteDescription(ref RTCSessionDescription desc) // WR RTCPeerConnection.SetRemoteDescription
        {
            ThrowFault();
            Remote = desc.sdp;
            Describing = new RTCSetSessionDescriptionAsyncOperation();
            return Describing;
        }

        public void Dispose() // WR RTCPeerConnection.Dispose
        {
            IsDisposed = true;
        }

        private static void ThrowFault()
        {
            if (Fault != null)
            {
                throw new ArgumentException(Fault);
            }
        }
    }
}

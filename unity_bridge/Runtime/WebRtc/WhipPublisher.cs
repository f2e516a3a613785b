using System;
using System.Collections.Generic;
using Arwarden.Core;
using Arwarden.Unity;
using Unity.WebRTC;
using UnityEngine;
using UnityEngine.Experimental.Rendering;
using UnityEngine.XR;

namespace Arwarden.WebRtc
{
    /// <summary>
    /// Streams a source's pictures to the daemon by WHIP, keeps the clocks together over the data channel, and gives way
    /// where the app's own frames suffer. Starts by itself when the client has settings and the source has a picture.
    /// </summary>
    [DefaultExecutionOrder(100)]
    [DisallowMultipleComponent]
    [AddComponentMenu("arwarden/WHIP publisher")]
    public sealed class WhipPublisher : MonoBehaviour
    {
        public const string ClientName = "arwarden unity 0.1.0";

        private const float UsualHz = 72;

        private static readonly List<XRDisplaySubsystem> Displays = new List<XRDisplaySubsystem>();

        /// <summary>WebRTC.Update serves the whole app: one of all publishers runs it.</summary>
        private static WhipPublisher _updating;

        [SerializeField]
        private ArwardenClient _client;

        [SerializeField]
        private FrameSource _source;

        [Tooltip("How often the headset shows a frame. 0: the headset's rate, else the screen's, else 72.")]
        [SerializeField]
        private float _refreshHz = 0f;

        [Tooltip("Switch it off where the app runs WebRTC.Update() itself.")]
        [SerializeField]
        private bool _runsWebRtcUpdate = true;

        private readonly PictureCadence _cadence = new PictureCadence();
        private StreamGovernor _governor;
        private WhipPublication _publication;
        private WebRtcPeer _peer;
        private ClockTalk _talk;
        private RenderTexture _sent;
        private BridgeSettings _values;
        private string _said = "";
        private string _unusable;

        public PublicationState State
        {
            get { return _publication == null ? PublicationState.Stopped : _publication.State; }
        }

        /// <summary>Why nothing is streamed; empty where something is, or is about to be.</summary>
        public string Problem
        {
            get { return _unusable ?? (_publication == null ? "" : _publication.Problem); }
        }

        /// <summary>What the stream may take now.</summary>
        public StreamLoad Load
        {
            get { return _governor == null ? default(StreamLoad) : _governor.Load; }
        }

        /// <summary>For objects that are made at run time: before this one is enabled.</summary>
        public void Stream(ArwardenClient client, FrameSource source)
        {
            _client = client;
            _source = source;
        }

        private void OnDisable()
        {
            StopAllCoroutines();
            if (_updating == this)
            {
                _updating = null;
            }
            End();
            BeUsable();
            if (_client != null)
            {
                _client.Monitor.CameraFault = null;
            }
        }

        private void OnApplicationPause(bool paused)
        {
            if (paused)
            {
                End();
            }
        }

        private void LateUpdate()
        {
            if (_runsWebRtcUpdate && _updating == null)
            {
                _updating = this;
                StartCoroutine(global::Unity.WebRTC.WebRTC.Update());
            }
            if (_client == null)
            {
                _client = ArwardenClient.Active;
            }
            if (_client == null || _source == null)
            {
                // One of them went with its scene: nobody would draw the next picture.
                End();
                return;
            }
            if (_values != _client.Values)
            {
                End();
                BeUsable();
                _values = _client.Values;
            }
            if (_values == null || _values.WhipUrl.Length == 0)
            {
                return;
            }
            _client.Monitor.CameraFault = _source.Problem;
            if (_source.Problem != null || _source.Picture == null)
            {
                End();
                return;
            }
            if (_publication == null && _unusable == null)
            {
                Begin();
            }
            if (_publication != null)
            {
                Step();
            }
        }

        private void Step()
        {
            double nowMs = _client.Clock.NowMs;
            if (_governor.Took(Time.unscaledDeltaTime))
            {
                _peer.Limit(_governor.Load);
            }
            _peer.Step();
            CameraView view;
            if (_cadence.IsDue(nowMs) && _source.Compose(_client.Settings.OverlayLayer, out view))
            {
                _cadence.Drew(nowMs, _governor.Load.Fps);
                Copy(_source.Picture, _sent);
                _client.RecordView(view);
            }
            _talk.Step();
            _publication.Step(nowMs, _talk.HeardMs);
            Tell();
        }

        private static void Copy(RenderTexture picture, RenderTexture sent)
        {
            // A copy leaves its target active: the app would draw into it, and the engine complain when it is released.
            RenderTexture active = RenderTexture.active;
            Graphics.Blit(picture, sent);
            RenderTexture.active = active;
        }

        private void Tell()
        {
            bool lost = _publication.State == PublicationState.Waiting
                || _publication.State == PublicationState.Refused;
            _client.Monitor.StreamFault = lost ? _publication.Problem : null;
            if (lost && _publication.Problem != _said)
            {
                _said = _publication.Problem;
                Debug.LogWarning("arwarden: the stream: " + _said, this);
            }
            else if (_publication.State == PublicationState.Streaming)
            {
                _said = "";
            }
        }

        private void Begin()
        {
            RenderTexture picture = _source.Picture;
            GraphicsFormat format;
            if (!TryFormat(out format))
            {
                return;
            }
            _sent = new RenderTexture(picture.width, picture.height, 0, format);
            _sent.Create();
            _governor = new StreamGovernor(RefreshHz(), _values.MaxFps, _values.MaxKbps);
            _talk = new ClockTalk(_client.Offset, _client.Clock, _source.View, ClientName, Say);
            _peer = new WebRtcPeer(_sent, _talk, _governor.Load);
            bool known = _values.WhipToken.Length > 0;
            _publication = new WhipPublication(
                _peer,
                new WebRequestTransport(_values.PinnedSha256),
                new WhipTarget
                {
                    Endpoint = _values.WhipUrl,
                    Token = known ? _values.WhipToken : null,
                    DeviceId = known ? null : _values.DeviceId,
                    View = _source.View,
                    MaxKbps = _values.MaxKbps,
                },
                GetHashCode());
            _publication.Start(_client.Clock.NowMs);
        }

        /// <summary>The package throws for a graphics API that it cannot encode from; that does not change while the app runs.</summary>
        private bool TryFormat(out GraphicsFormat format)
        {
            try
            {
                format = global::Unity.WebRTC.WebRTC.GetSupportedGraphicsFormat(SystemInfo.graphicsDeviceType);
                return true;
            }
            catch (Exception error)
            {
                format = GraphicsFormat.None;
                _unusable = "WebRTC cannot stream from the graphics API " + SystemInfo.graphicsDeviceType
                    + ": choose Vulkan in Player Settings > Other > Graphics APIs (" + error.Message + ")";
                _client.Monitor.StreamFault = _unusable;
                Debug.LogWarning("arwarden: the stream: " + _unusable, this);
                return false;
            }
        }

        private void BeUsable()
        {
            if (_unusable != null && _client != null)
            {
                _client.Monitor.StreamFault = null;
            }
            _unusable = null;
        }

        private void End()
        {
            if (_publication == null)
            {
                return;
            }
            _publication.Stop();
            _publication = null;
            _peer = null;
            _governor = null;
            _values = null;
            _sent.Release();
            Destroy(_sent);
            if (_client != null)
            {
                _client.Monitor.StreamFault = null;
            }
        }

        private void Say(string text)
        {
            _peer.Say(text);
        }

        private float RefreshHz()
        {
            if (_refreshHz > 0)
            {
                return _refreshHz;
            }
            // A headset's own rate is not the one of Screen, least of all where the headset hangs on a desktop.
            SubsystemManager.GetSubsystems(Displays);
            foreach (XRDisplaySubsystem display in Displays)
            {
                float shownHz;
                if (display.running && display.TryGetDisplayRefreshRate(out shownHz) && shownHz > 0)
                {
                    return shownHz;
                }
            }
            float screenHz = (float)Screen.currentResolution.refreshRateRatio.value;
            return screenHz > 0 ? screenHz : UsualHz;
        }
    }
}

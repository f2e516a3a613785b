using System;
using System.Collections.Generic;
using Arwarden.Core;
using Arwarden.Mqtt;
using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>
    /// The one component that connects an app to the daemon: receives warnings and corrections, acknowledges them, says
    /// what the app draws. Put it on one object of the first scene; a quiet frame allocates nothing.
    /// </summary>
    [DefaultExecutionOrder(-50)]
    [DisallowMultipleComponent]
    [AddComponentMenu("arwarden/Client")]
    public sealed class ArwardenClient : MonoBehaviour, IHeadsetListener, IAcknowledger
    {
        private const double DefaultVerticalDeg = 90;
        private const double RecordedForMs = 2000;

        [SerializeField]
        private ArwardenSettings _settings;

        [Tooltip("The wearer's head. Empty: the main camera.")]
        [SerializeField]
        private Transform _head;

        private readonly List<SceneObject> _objects = new List<SceneObject>();
        private SceneReporter _scene;
        private HeadsetSession _session;
        private IMqttLink _link;
        private Topics _topics;
        private Camera _headCamera;
        private double _recordedMs = double.NegativeInfinity;
        private string _lastLinkReason = "";

        /// <summary>What changed in the wearer's view.</summary>
        public event Action<AlertChange> AlertChanged;

        /// <summary>Another state of the monitoring is told; its text is in <see cref="Monitor"/>.</summary>
        public event Action<MonitorState> MonitorChanged;

        /// <summary>A correction was asked for, whatever became of it.</summary>
        public event Action<Adjustment> AdjustmentAsked;

        /// <summary>The client that is enabled; null without one.</summary>
        public static ArwardenClient Active { get; private set; }

        /// <summary>Set before the client is enabled, to use another MQTT library.</summary>
        public Func<BridgeSettings, IClock, IMqttLink> MakeLink { get; set; }

        /// <summary>The headset's clock. Set before the client is enabled, or leave it.</summary>
        public IClock Clock { get; set; }

        public MonitorBoard Monitor { get; } = new MonitorBoard();

        /// <summary>How the streaming camera stood in the last seconds.</summary>
        public ViewHistory Views { get; } = new ViewHistory();

        public AdjustmentDesk Desk { get; private set; }

        /// <summary>What is connected with; null while the settings cannot work.</summary>
        public BridgeSettings Values { get; private set; }

        public ArwardenSettings Settings
        {
            get { return _settings; }
        }

        public ClockOffset Offset
        {
            get { return _session == null ? null : _session.Offset; }
        }

        /// <summary>The warnings in view; null while there is no session.</summary>
        public AlertQueue Alerts
        {
            get { return _session == null ? null : _session.Alerts; }
        }

        /// <summary>What could not be used so far; null while there is no session.</summary>
        public HeadsetCounters Counters
        {
            get { return _session == null ? null : _session.Counters; }
        }

        /// <summary>The wearer's head; null where there is no camera either.</summary>
        public Transform Head
        {
            get
            {
                if (_head == null)
                {
                    _headCamera = Camera.main;
                    _head = _headCamera == null ? null : _headCamera.transform;
                }
                return _head;
            }
        }

        /// <summary>Connects with other settings, or again with the same.</summary>
        public void Use(ArwardenSettings settings)
        {
            _settings = settings;
            if (isActiveAndEnabled)
            {
                Disconnect();
                Connect();
            }
        }

        /// <summary>The wearer wants a warning gone.</summary>
        public bool Dismiss(string alertId)
        {
            return _session != null && _session.Dismiss(alertId);
        }

        /// <summary>Says how the camera stood at a frame that is streamed now.</summary>
        public void RecordView(CameraView view)
        {
            _recordedMs = Clock.NowMs;
            Views.Add(_recordedMs, view);
        }

        /// <summary>How the camera stood when a frame was captured, in the daemon's time.</summary>
        public bool TryView(double capturedMs, out CameraView view)
        {
            view = default(CameraView);
            double offsetMs = _session == null ? double.NaN : _session.Offset.OffsetMs(Clock.NowMs);
            return !double.IsNaN(offsetMs) && Views.TryAt(capturedMs - offsetMs, out view);
        }

        public bool Acknowledge(string id, long revision, AckAction action, string reason)
        {
            return _session != null && _session.Acknowledge(id, revision, action, reason);
        }

        private void OnEnable()
        {
            // Not in Awake, which the editor leaves out when scripts are compiled anew while it plays.
            Clock = Clock ?? new StopwatchClock();
            Desk = Desk ?? new AdjustmentDesk(this);
            _headCamera = _head == null ? null : _head.GetComponent<Camera>();
            if (Active != null && Active != this)
            {
                Debug.LogWarning("arwarden: there is another client already; this one stays off", this);
                enabled = false;
                return;
            }
            Active = this;
            Connect();
        }

        private void OnDisable()
        {
            if (Active == this)
            {
                Active = null;
                Disconnect();
            }
        }

        private void Update()
        {
            double nowMs = Clock.NowMs;
            if (_session != null)
            {
                _session.Tick();
                Desk.Step(Time.unscaledDeltaTime);
                RecordHead(nowMs);
                Report(nowMs);
            }
            if (Monitor.Look(nowMs) && MonitorChanged != null)
            {
                MonitorChanged(Monitor.State);
            }
        }

        private void OnApplicationPause(bool paused)
        {
            if (paused || _session == null)
            {
                return;
            }
            // The stopwatch stood still: how the clocks and the space lie to each other is not known any more.
            var stopwatch = Clock as StopwatchClock;
            if (stopwatch != null)
            {
                stopwatch.Resumed();
            }
            _session.Resumed();
            Views.Clear();
            Monitor.Resumed();
            _scene.Restart();
        }

        private void Connect()
        {
            BridgeSettings values = _settings == null ? null : _settings.ToSettings();
            List<string> faults = SettingsCheck.Faults(values);
            Monitor.SettingsFault = faults.Count == 0 ? null : faults[0];
            Values = faults.Count == 0 ? values : null;
            if (faults.Count > 0)
            {
                Debug.LogWarning("arwarden: " + string.Join("; ", faults.ToArray()), this);
                return;
            }
            _topics = new Topics(values.DeviceId, values.TopicPrefix);
            _scene = new SceneReporter();
            _link = MakeLink == null ? DefaultLink(values, Clock) : MakeLink(values, Clock);
            _session = new HeadsetSession(_topics, _link, Clock, this, AlertQueue.DefaultCapacity);
            _link.Start();
        }

        private void Disconnect()
        {
            if (_link != null)
            {
                _link.Dispose();
            }
            _link = null;
            _session = null;
            Values = null;
            Views.Clear();
            Monitor.OnLink(LinkState.Stopped, "");
        }

        private static IMqttLink DefaultLink(BridgeSettings values, IClock clock)
        {
            var options = new MqttOptions
            {
                Host = values.BrokerHost,
                Port = values.BrokerPort,
                Username = values.BrokerUser.Length == 0 ? null : values.BrokerUser,
                Password = values.BrokerPassword.Length == 0 ? null : values.BrokerPassword,
                ClientIdPrefix = "arwarden-" + values.DeviceId,
            };
            if (values.BrokerTls)
            {
                options.Tls = new TlsOptions();
                options.Tls.PinnedSha256.AddRange(values.PinnedSha256);
            }
            return new MqttClient(options, clock);
        }

        private void RecordHead(double nowMs)
        {
            // Whoever streams by other means than this package streams, as a rule, what the wearer sees.
            if (nowMs - _recordedMs > RecordedForMs && Head != null)
            {
                Views.Add(nowMs, HeadView());
            }
        }

        private CameraView HeadView()
        {
            double verticalDeg = _headCamera == null ? DefaultVerticalDeg : _headCamera.fieldOfView;
            double aspect = _headCamera == null ? 1 : _headCamera.aspect;
            return CameraView.OfAngle(Axes.Of(Head), verticalDeg, aspect);
        }

        private void Report(double nowMs)
        {
            CameraView view;
            if (!_scene.IsDue(nowMs) || !Views.TryAt(nowMs, out view))
            {
                return;
            }
            _objects.Clear();
            IReadOnlyList<ReportedObject> present = ReportedObject.All;
            for (int i = 0; i < present.Count; i++)
            {
                SceneObject described;
                if (present[i].TryDescribe(view, out described))
                {
                    _objects.Add(described);
                }
            }
            bool full;
            byte[] report = _scene.Report(_objects, nowMs, out full);
            if (report != null)
            {
                _link.Publish(_topics.Scene, report, 0, full, 0);
            }
        }

        void IHeadsetListener.OnAlert(AlertChange change)
        {
            if (AlertChanged != null)
            {
                AlertChanged(change);
            }
        }

        void IHeadsetListener.OnAdjustment(Adjustment adjustment)
        {
            double nowMs = Clock.NowMs;
            double offsetMs = _session.Offset.OffsetMs(nowMs);
            CameraView view;
            if (TryView(adjustment.CapturedMs, out view))
            {
                Desk.Take(adjustment, view.Pose.Rotation, nowMs, offsetMs);
            }
            else if (adjustment.Reverts)
            {
                Desk.Take(adjustment, nowMs, offsetMs);
            }
            else
            {
                // Right and left of a view that nobody knows: moving the object could make it worse.
                Desk.Refuse(adjustment, "view_unknown");
            }
            if (AdjustmentAsked != null)
            {
                AdjustmentAsked(adjustment);
            }
        }

        void IHeadsetListener.OnHealth(Health health)
        {
            Monitor.OnHealth(health, Clock.NowMs);
        }

        void IHeadsetListener.OnDaemon(DaemonStatus status)
        {
            Monitor.OnDaemon(status);
            if (status.State == DaemonState.Online)
            {
                // One that has just come knows nothing of what was reported before.
                _scene.Restart();
            }
        }

        void IHeadsetListener.OnLink(LinkState state, string reason)
        {
            Monitor.OnLink(state, reason);
            if (state == LinkState.Online)
            {
                _scene.Restart();
                _lastLinkReason = "";
            }
            else if (reason.Length > 0 && reason != _lastLinkReason)
            {
                // Said once, not at each of the tries that follow.
                _lastLinkReason = reason;
                Debug.LogWarning("arwarden: the broker: " + reason, this);
            }
        }
    }
}

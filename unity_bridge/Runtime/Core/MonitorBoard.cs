using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>How well the wearer is looked after, from worst to best.</summary>
    public enum MonitorState
    {
        /// <summary>The settings cannot work.</summary>
        NotSetUp,

        /// <summary>Nothing is heard of the daemon.</summary>
        Offline,

        /// <summary>The headset's camera cannot be had.</summary>
        NoCamera,

        /// <summary>The daemon is there and gets no picture.</summary>
        NoPicture,

        /// <summary>The daemon gets the camera's picture without what the app draws.</summary>
        CannotSeeVirtual,

        /// <summary>The first seconds.</summary>
        Starting,

        /// <summary>The daemon watches, with a picture or a clock that is not as it should be.</summary>
        Degraded,

        Watching,
    }

    /// <summary>
    /// Makes one calm state of everything that is known. A state is told once it has held for a while, so that what comes
    /// and goes does not flicker before the wearer's eyes.
    /// </summary>
    public sealed class MonitorBoard
    {
        public const string PassthroughReason = "passthrough_has_no_virtual_content";

        /// <summary>A broker that restarts, or a walk between two access points, is shorter than this.</summary>
        public const double HoldMs = 2000;

        /// <summary>The daemon says every second how a session is doing.</summary>
        public const double HealthAgeMs = 6000;

        private LinkState _link = LinkState.Offline;
        private bool _daemonGone;
        private Health _health;
        private double _healthMs;
        private double _beganMs = double.NaN;
        private MonitorState _next = MonitorState.Starting;
        private double _nextSinceMs;

        /// <summary>What is told.</summary>
        public MonitorState State { get; private set; } = MonitorState.Starting;

        /// <summary>What the wearer reads; empty where all is well.</summary>
        public string Text { get; private set; } = "";

        /// <summary>Since when it is told.</summary>
        public double SinceMs { get; private set; }

        /// <summary>Why the settings cannot work; null where they can.</summary>
        public string SettingsFault { get; set; }

        /// <summary>Why there is no camera; null where there is one, or where none is wanted.</summary>
        public string CameraFault { get; set; }

        /// <summary>Why the stream does not come about; null where it does, or where somebody else streams.</summary>
        public string StreamFault { get; set; }

        /// <summary>Why the link is as it is, in the link's own words.</summary>
        public string LinkReason { get; private set; } = "";

        public Health Health
        {
            get { return _health; }
        }

        public void OnLink(LinkState state, string reason)
        {
            _link = state;
            LinkReason = reason;
        }

        public void OnDaemon(DaemonStatus status)
        {
            _daemonGone = status.State != DaemonState.Online;
        }

        public void OnHealth(Health health, double nowMs)
        {
            _health = health;
            _healthMs = nowMs;
        }

        /// <summary>Once a frame; true where another state is told now. Allocates nothing otherwise.</summary>
        public bool Look(double nowMs)
        {
            _beganMs = double.IsNaN(_beganMs) ? nowMs : _beganMs;
            MonitorState now = Judge(nowMs);
            if (now != _next)
            {
                _next = now;
                _nextSinceMs = nowMs;
            }
            bool atOnce = now == MonitorState.NotSetUp || State == MonitorState.NotSetUp;
            if (now == State || (!atOnce && nowMs - _nextSinceMs < HoldMs))
            {
                return false;
            }
            State = now;
            SinceMs = nowMs;
            Text = TextOf(now);
            return true;
        }

        /// <summary>After a pause of the headset what was known before is old.</summary>
        public void Resumed()
        {
            _health = null;
            _beganMs = double.NaN;
            _next = MonitorState.Starting;
            State = MonitorState.Starting;
            Text = "";
        }

        private MonitorState Judge(double nowMs)
        {
            if (SettingsFault != null)
            {
                return MonitorState.NotSetUp;
            }
            bool young = nowMs - _beganMs < 2 * HoldMs;
            if (_link != LinkState.Online || _daemonGone)
            {
                return young && _link != LinkState.Refused ? MonitorState.Starting : MonitorState.Offline;
            }
            if (CameraFault != null)
            {
                return MonitorState.NoCamera;
            }
            return StreamFault != null ? MonitorState.NoPicture : JudgeHealth(nowMs, young);
        }

        private MonitorState JudgeHealth(double nowMs, bool young)
        {
            if (_health == null || nowMs - _healthMs > HealthAgeMs)
            {
                return young ? MonitorState.Starting : MonitorState.NoPicture;
            }
            switch (_health.State)
            {
                case SessionState.Connecting:
                    return MonitorState.Starting;
                case SessionState.Ok:
                case SessionState.Degraded:
                    bool blind = Contains(_health.Reasons, PassthroughReason);
                    return blind ? MonitorState.CannotSeeVirtual
                        : _health.State == SessionState.Ok ? MonitorState.Watching : MonitorState.Degraded;
                default:
                    return MonitorState.NoPicture;
            }
        }

        private string TextOf(MonitorState state)
        {
            switch (state)
            {
                case MonitorState.NotSetUp:
                    return "Monitor is not set up:\n" + AlertText.Wrap(SettingsFault, 44, 2);
                case MonitorState.Offline:
                    return "Monitor offline";
                case MonitorState.NoCamera:
                    return "Monitor has no camera:\n" + AlertText.Wrap(CameraFault, 44, 2);
                case MonitorState.NoPicture:
                    return "Monitor gets no picture";
                case MonitorState.CannotSeeVirtual:
                    return "Monitor cannot see virtual content";
                default:
                    return "";
            }
        }

        private static bool Contains(IReadOnlyList<string> texts, string wanted)
        {
            for (int i = 0; i < texts.Count; i++)
            {
                if (string.Equals(texts[i], wanted, StringComparison.Ordinal))
                {
                    return true;
                }
            }
            return false;
        }
    }
}

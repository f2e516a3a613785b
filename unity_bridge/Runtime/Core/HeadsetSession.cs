using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>Is told what changes for the wearer, on the thread that calls <see cref="HeadsetSession.Tick"/>.</summary>
    public interface IHeadsetListener
    {
        void OnAlert(AlertChange change);

        void OnAdjustment(Adjustment adjustment);

        void OnHealth(Health health);

        void OnDaemon(DaemonStatus status);

        void OnLink(LinkState state, string reason);
    }

    /// <summary>What could not be used, by why.</summary>
    public sealed class HeadsetCounters
    {
        public long Malformed;
        public long RetainedAlerts;
        public long OfOtherDevice;
        public long AcksSent;
        public long AcksDropped;
    }

    /// <summary>
    /// The headset's end of the contract, without an engine: messages in, the list of what is in view right at all
    /// times, acknowledgements out. Single-threaded; the link does its work elsewhere.
    /// </summary>
    public sealed class HeadsetSession : IMqttListener, IAcknowledger
    {
        public readonly HeadsetCounters Counters = new HeadsetCounters();
        public readonly AlertQueue Alerts;
        public readonly ClockOffset Offset = new ClockOffset();

        private readonly Topics _topics;
        private readonly IMqttLink _link;
        private readonly IClock _clock;
        private readonly IHeadsetListener _listener;
        private readonly AckBook _acks = new AckBook();
        private readonly List<AlertChange> _changes = new List<AlertChange>();
        private string _epoch;
        private bool _telling;

        /// <summary>Subscribes; the caller starts the link.</summary>
        public HeadsetSession(
            Topics topics, IMqttLink link, IClock clock, IHeadsetListener listener, int capacity)
        {
            _topics = topics;
            _link = link;
            _clock = clock;
            _listener = listener;
            Alerts = new AlertQueue(capacity);
            link.Subscribe(topics.Alerts, 1);
            link.Subscribe(topics.Adjustments, 1);
            link.Subscribe(topics.Health, 0);
            link.Subscribe(topics.DaemonStatus, 1);
        }

        /// <summary>Once a frame. Allocates nothing while nothing happens.</summary>
        public void Tick()
        {
            _link.Pump(this);
            Alerts.Expire(_clock.NowMs, _changes);
            Tell();
        }

        /// <summary>The wearer wants it gone.</summary>
        public bool Dismiss(string alertId)
        {
            bool found = Alerts.Dismiss(alertId, _clock.NowMs, _changes);
            Tell();
            return found;
        }

        /// <summary>After a pause or sleep of the headset its clock may be off by the length of it.</summary>
        public void Resumed()
        {
            Offset.Reset();
        }

        /// <summary>Says what happened to an alert or an adjustment, once. False where it was said before.</summary>
        public bool Acknowledge(string id, long revision, AckAction action, string reason)
        {
            Ack ack;
            if (!_acks.TryWrite(id, revision, action, _clock.NowMs, reason, out ack))
            {
                return false;
            }
            byte[] payload = System.Text.Encoding.UTF8.GetBytes(ack.ToJson());
            if (_link.Publish(_topics.Acks, payload, 1, false, 0))
            {
                Counters.AcksSent++;
            }
            else
            {
                Counters.AcksDropped++;
            }
            return true;
        }

        void IMqttListener.OnMqttState(LinkState state, string reason)
        {
            _listener.OnLink(state, reason);
        }

        void IMqttListener.OnMqttMessage(string topic, byte[] payload, bool retained, double receivedMs)
        {
            if (payload.Length == 0)
            {
                // A retained message that was taken back.
                return;
            }
            JsonValue json;
            string fault;
            bool taken = JsonReader.TryRead(payload, JsonLimits.Message, out json, out fault);
            taken = taken && Take(topic, json, retained, receivedMs);
            if (!taken)
            {
                Counters.Malformed++;
            }
        }

        private bool Take(string topic, JsonValue json, bool retained, double receivedMs)
        {
            string fault;
            if (topic == _topics.Alerts)
            {
                Alert alert;
                return Alert.TryRead(json, out alert, out fault) && TakeAlert(alert, retained, receivedMs);
            }
            if (topic == _topics.Adjustments)
            {
                Adjustment adjustment;
                return Adjustment.TryRead(json, out adjustment, out fault)
                    && TakeAdjustment(adjustment, retained, receivedMs);
            }
            if (topic == _topics.Health)
            {
                Health health;
                return Health.TryRead(json, out health, out fault) && TakeHealth(health, retained, receivedMs);
            }
            DaemonStatus status;
            return topic == _topics.DaemonStatus && DaemonStatus.TryRead(json, out status, out fault)
                && TakeStatus(status);
        }

        private bool TakeAlert(Alert alert, bool retained, double receivedMs)
        {
            if (!Accepts(alert.DeviceId, retained))
            {
                return true;
            }
            NewEpoch(alert.Epoch);
            Offset.OneWay.Add(alert.PublishedMs, receivedMs);
            Alerts.Take(alert, _clock.NowMs, Offset.OffsetMs(_clock.NowMs), _changes);
            Tell();
            return true;
        }

        private bool TakeAdjustment(Adjustment adjustment, bool retained, double receivedMs)
        {
            if (Accepts(adjustment.DeviceId, retained))
            {
                NewEpoch(adjustment.Epoch);
                Offset.OneWay.Add(adjustment.PublishedMs, receivedMs);
                _listener.OnAdjustment(adjustment);
            }
            return true;
        }

        private bool TakeHealth(Health health, bool retained, double receivedMs)
        {
            if (health.DeviceId != _topics.DeviceId)
            {
                Counters.OfOtherDevice++;
                return true;
            }
            if (!retained)
            {
                Offset.OneWay.Add(health.PublishedMs, receivedMs);
            }
            _listener.OnHealth(health);
            return true;
        }

        private bool TakeStatus(DaemonStatus status)
        {
            if (status.State == DaemonState.Online)
            {
                NewEpoch(status.Epoch);
            }
            _listener.OnDaemon(status);
            return true;
        }

        private bool Accepts(string deviceId, bool retained)
        {
            if (retained)
            {
                // Never retained by the daemon: somebody else keeps an old one at the broker.
                Counters.RetainedAlerts++;
                return false;
            }
            if (deviceId != _topics.DeviceId)
            {
                Counters.OfOtherDevice++;
                return false;
            }
            return true;
        }

        private void NewEpoch(string epoch)
        {
            if (epoch != _epoch)
            {
                // Another run may be another machine with another clock, and gives its ids anew.
                _epoch = epoch;
                Alerts.NewEpoch(epoch, _clock.NowMs, _changes);
                Tell();
                Offset.OneWay.Clear();
                _acks.Clear();
            }
        }

        private void Tell()
        {
            if (_telling)
            {
                // The listener dismisses from within: its change is told by the loop that called it.
                return;
            }
            _telling = true;
            int told = 0;
            try
            {
                for (; told < _changes.Count; told++)
                {
                    Acknowledge(_changes[told]);
                    _listener.OnAlert(_changes[told]);
                }
            }
            finally
            {
                // A fault of the listener's concerns the change that it was told, and no other one.
                _changes.RemoveRange(0, Math.Min(_changes.Count, told + 1));
                _telling = false;
            }
        }

        private void Acknowledge(AlertChange change)
        {
            string id = change.Alert.Id;
            long revision = change.Alert.Revision;
            switch (change.Kind)
            {
                case AlertChangeKind.Shown:
                case AlertChangeKind.Updated:
                    Acknowledge(id, revision, AckAction.Received, "");
                    Acknowledge(id, revision, AckAction.Shown, "");
                    break;
                case AlertChangeKind.Suppressed:
                case AlertChangeKind.Ended:
                    Acknowledge(id, revision, AckAction.Received, change.Reason);
                    break;
                case AlertChangeKind.Dismissed:
                    Acknowledge(id, revision, AckAction.Dismissed, change.Reason);
                    break;
                case AlertChangeKind.Expired:
                    Acknowledge(id, revision, AckAction.Expired, change.Reason);
                    break;
                case AlertChangeKind.Refused:
                    Acknowledge(id, revision, AckAction.Refused, change.Reason);
                    break;
                default:
                    throw new ArgumentOutOfRangeException("change");
            }
        }
    }
}

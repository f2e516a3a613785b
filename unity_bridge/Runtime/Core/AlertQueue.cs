using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>What happened to an alert in the wearer's view.</summary>
    public enum AlertChangeKind
    {
        Shown,
        Updated,

        /// <summary>The wearer has dismissed it before and it has not become more severe.</summary>
        Suppressed,
        Dismissed,
        Ended,
        Expired,
        Refused,
    }

    /// <summary>An alert in view. Times on the headset's clock.</summary>
    public sealed class ShownAlert
    {
        internal ShownAlert(Alert alert, double firstShownMs, double expiresMs)
        {
            Alert = alert;
            FirstShownMs = firstShownMs;
            ExpiresMs = expiresMs;
        }

        public Alert Alert { get; }

        public double FirstShownMs { get; }

        public double ExpiresMs { get; }
    }

    /// <summary>One change of the view.</summary>
    public struct AlertChange
    {
        public readonly Alert Alert;
        public readonly AlertChangeKind Kind;
        public readonly double AtMs;

        /// <summary>From the capture of the frame to here; not a number where the daemon's clock is not known.</summary>
        public readonly double CaptureToShownMs;

        public readonly string Reason;

        public AlertChange(Alert alert, AlertChangeKind kind, double atMs, double captureToShownMs, string reason)
        {
            Alert = alert;
            Kind = kind;
            AtMs = atMs;
            CaptureToShownMs = captureToShownMs;
            Reason = reason;
        }
    }

    /// <summary>
    /// What the wearer sees: the newest revision of each alert until it ends or expires, the most severe first, the
    /// newest first among equals. Not thread-safe; what changes is added to a list of the caller's.
    /// </summary>
    public sealed class AlertQueue
    {
        public const int DefaultCapacity = 32;
        public const int IdsRemembered = 1024;

        /// <summary>However far off an expiry is: an alert that nobody renews for a minute is gone.</summary>
        public const double LongestMs = 60000;

        private sealed class Seen
        {
            public string Id;
            public long Revision;
            public bool Dismissed;
            public Severity DismissedAt;
        }

        private readonly int _capacity;
        private readonly List<ShownAlert> _shown = new List<ShownAlert>();
        private readonly Dictionary<string, LinkedListNode<Seen>> _seen =
            new Dictionary<string, LinkedListNode<Seen>>(StringComparer.Ordinal);

        private readonly LinkedList<Seen> _seenOrder = new LinkedList<Seen>();
        private string _epoch;

        public AlertQueue()
            : this(DefaultCapacity)
        {
        }

        public AlertQueue(int capacity)
        {
            if (capacity < 1)
            {
                throw new ArgumentOutOfRangeException("capacity");
            }
            _capacity = capacity;
        }

        public int Count
        {
            get { return _shown.Count; }
        }

        /// <summary>Messages that came late or twice.</summary>
        public long OldRevisions { get; private set; }

        public long ExpiredOnArrival { get; private set; }

        /// <summary>In order: the most severe first, then the one shown last.</summary>
        public ShownAlert this[int place]
        {
            get { return _shown[place]; }
        }

        /// <summary>The daemon's run as its messages name it: with another run, the alerts of the last end.</summary>
        public void NewEpoch(string epoch, double nowMs, List<AlertChange> changes)
        {
            if (epoch == _epoch)
            {
                return;
            }
            _epoch = epoch;
            _seen.Clear();
            _seenOrder.Clear();
            foreach (ShownAlert entry in _shown)
            {
                changes.Add(Left(entry.Alert, AlertChangeKind.Ended, nowMs, "daemon_restarted"));
            }
            _shown.Clear();
        }

        /// <summary>
        /// Takes a message. <paramref name="offsetMs"/> is daemon's clock minus headset's, not a number where it is
        /// not known: then the message counts as published now.
        /// </summary>
        public void Take(Alert alert, double nowMs, double offsetMs, List<AlertChange> changes)
        {
            NewEpoch(alert.Epoch, nowMs, changes);
            Seen seen = Remember(alert.Id);
            if (alert.Revision <= seen.Revision)
            {
                OldRevisions++;
                return;
            }
            seen.Revision = alert.Revision;
            ShownAlert before = Remove(alert.Id);
            if (alert.Ends)
            {
                string reason = alert.Reason.Length > 0
                    ? alert.Reason
                    : alert.State == AlertState.Cleared ? "cleared" : "retracted";
                changes.Add(Left(alert, AlertChangeKind.Ended, nowMs, reason));
                return;
            }
            double expiresMs = ExpiresMs(alert, nowMs, offsetMs);
            if (!(expiresMs > nowMs))
            {
                ExpiredOnArrival++;
                changes.Add(Left(alert, AlertChangeKind.Expired, nowMs, "expired_on_arrival"));
                return;
            }
            if (seen.Dismissed && alert.Severity <= seen.DismissedAt)
            {
                changes.Add(Left(alert, AlertChangeKind.Suppressed, nowMs, "dismissed_before"));
                return;
            }
            Insert(new ShownAlert(alert, before == null ? nowMs : before.FirstShownMs, expiresMs));
            ShownAlert least = _shown.Count > _capacity ? _shown[_shown.Count - 1] : null;
            if (least == null || least.Alert != alert)
            {
                AlertChangeKind kind = before == null ? AlertChangeKind.Shown : AlertChangeKind.Updated;
                changes.Add(new AlertChange(alert, kind, nowMs, nowMs + offsetMs - alert.CapturedMs, ""));
            }
            if (least != null)
            {
                _shown.RemoveAt(_shown.Count - 1);
                changes.Add(Left(least.Alert, AlertChangeKind.Refused, nowMs, "too_many_alerts"));
            }
        }

        /// <summary>Takes down what has expired. Allocates nothing where nothing has.</summary>
        public void Expire(double nowMs, List<AlertChange> changes)
        {
            for (int i = _shown.Count - 1; i >= 0; i--)
            {
                if (_shown[i].ExpiresMs <= nowMs)
                {
                    changes.Add(Left(_shown[i].Alert, AlertChangeKind.Expired, nowMs, "expired"));
                    _shown.RemoveAt(i);
                }
            }
        }

        /// <summary>The wearer does not want it: it stays away unless it becomes more severe.</summary>
        public bool Dismiss(string alertId, double nowMs, List<AlertChange> changes)
        {
            ShownAlert entry = Remove(alertId);
            if (entry == null)
            {
                return false;
            }
            Seen seen = Remember(alertId);
            seen.Revision = Math.Max(seen.Revision, entry.Alert.Revision);
            seen.Dismissed = true;
            seen.DismissedAt = entry.Alert.Severity;
            changes.Add(Left(entry.Alert, AlertChangeKind.Dismissed, nowMs, "dismissed"));
            return true;
        }

        private static AlertChange Left(Alert alert, AlertChangeKind kind, double nowMs, string reason)
        {
            return new AlertChange(alert, kind, nowMs, double.NaN, reason);
        }

        private static double ExpiresMs(Alert alert, double nowMs, double offsetMs)
        {
            double expiresMs = double.IsNaN(offsetMs)
                ? nowMs + (alert.ExpiresMs - alert.PublishedMs)
                : alert.ExpiresMs - offsetMs;
            return Math.Min(expiresMs, nowMs + LongestMs);
        }

        private Seen Remember(string id)
        {
            LinkedListNode<Seen> node;
            if (_seen.TryGetValue(id, out node))
            {
                _seenOrder.Remove(node);
            }
            else
            {
                node = new LinkedListNode<Seen>(new Seen { Id = id });
                _seen.Add(id, node);
            }
            _seenOrder.AddLast(node);
            if (_seenOrder.Count > IdsRemembered)
            {
                _seen.Remove(_seenOrder.First.Value.Id);
                _seenOrder.RemoveFirst();
            }
            return node.Value;
        }

        private ShownAlert Remove(string id)
        {
            for (int i = 0; i < _shown.Count; i++)
            {
                ShownAlert entry = _shown[i];
                if (entry.Alert.Id == id)
                {
                    _shown.RemoveAt(i);
                    return entry;
                }
            }
            return null;
        }

        private void Insert(ShownAlert entry)
        {
            int place = 0;
            while (place < _shown.Count && GoesBefore(_shown[place], entry))
            {
                place++;
            }
            _shown.Insert(place, entry);
        }

        private static bool GoesBefore(ShownAlert first, ShownAlert second)
        {
            if (first.Alert.Severity != second.Alert.Severity)
            {
                return first.Alert.Severity > second.Alert.Severity;
            }
            return first.FirstShownMs > second.FirstShownMs;
        }
    }
}

using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>Is told what to acknowledge.</summary>
    public interface IAcknowledger
    {
        bool Acknowledge(string id, long revision, AckAction action, string reason);
    }

    /// <summary>
    /// The objects that may be corrected, and the way of each correction from its arrival to its acknowledgement:
    /// received when it is begun, applied or clamped when the object has arrived, refused or expired otherwise.
    /// </summary>
    public sealed class AdjustmentDesk
    {
        public const int MaxObjects = 64;

        /// <summary>Nothing is moved further than this, whatever limits an app sets: turned, a larger number overflows.</summary>
        private const double FarthestM = 1e6;

        private sealed class Entry
        {
            public AdjustmentTrack Track;
            public Adjustment Begun;
            public bool Clamped;
        }

        private readonly Dictionary<string, Entry> _entries = new Dictionary<string, Entry>(StringComparer.Ordinal);
        private readonly List<Entry> _order = new List<Entry>();
        private readonly IAcknowledger _acknowledger;

        public AdjustmentDesk(IAcknowledger acknowledger)
        {
            _acknowledger = acknowledger;
        }

        /// <summary>Lets an object be corrected, within its own limits. The caller asks the track each frame.</summary>
        public AdjustmentTrack Add(string objectId, AdjustmentLimits limits)
        {
            if (_entries.ContainsKey(objectId) || IsFull)
            {
                throw new ArgumentException("there is such an object already, or there are 64 of them", "objectId");
            }
            var entry = new Entry { Track = new AdjustmentTrack(limits) };
            _entries.Add(objectId, entry);
            _order.Add(entry);
            return entry.Track;
        }

        public bool IsFull
        {
            get { return _order.Count >= MaxObjects; }
        }

        public bool Has(string objectId)
        {
            return _entries.ContainsKey(objectId);
        }

        public void Remove(string objectId)
        {
            Entry entry;
            if (_entries.TryGetValue(objectId, out entry))
            {
                _entries.Remove(objectId);
                _order.Remove(entry);
            }
        }

        /// <summary>
        /// Takes what the daemon asks for, where the app's space is the camera's own.
        /// <paramref name="offsetMs"/> as in AlertQueue.Take.
        /// </summary>
        public void Take(Adjustment asked, double nowMs, double offsetMs)
        {
            Take(asked, Rotation3D.Identity, nowMs, offsetMs);
        }

        /// <summary>
        /// The daemon means right, up and away as the camera stood when the frame was captured;
        /// <paramref name="camera"/> is how it stood in the app's space. Tracks work in the app's space, so that an
        /// object does not swing when the next correction comes from another side.
        /// </summary>
        public void Take(Adjustment asked, Rotation3D camera, double nowMs, double offsetMs)
        {
            Entry entry;
            if (!_entries.TryGetValue(asked.ObjectId, out entry))
            {
                Say(asked, AckAction.Refused, "unknown_object");
                return;
            }
            AdjustmentOutcome outcome = entry.Track.Take(
                asked, camera.Rotate(asked.Move.AtMost(FarthestM)), nowMs, offsetMs);
            switch (outcome)
            {
                case AdjustmentOutcome.Accepted:
                case AdjustmentOutcome.Clamped:
                    entry.Begun = asked;
                    entry.Clamped = outcome == AdjustmentOutcome.Clamped;
                    Say(asked, AckAction.Received, "");
                    break;
                case AdjustmentOutcome.RefusedHeld:
                    Say(asked, AckAction.Refused, "held_by_user");
                    break;
                case AdjustmentOutcome.Expired:
                    Say(asked, AckAction.Expired, "expired_on_arrival");
                    break;
                default:
                    break;
            }
        }

        /// <summary>Says that a correction is not even begun.</summary>
        public void Refuse(Adjustment asked, string reason)
        {
            Say(asked, AckAction.Refused, reason);
        }

        /// <summary>Goes on by a frame. Allocates nothing while nothing arrives.</summary>
        public void Step(double seconds)
        {
            for (int i = 0; i < _order.Count; i++)
            {
                Entry entry = _order[i];
                if (entry.Begun == null)
                {
                    entry.Track.Step(seconds);
                }
                else if (entry.Track.IsHeld)
                {
                    Say(entry.Begun, AckAction.Refused, "held_by_user");
                    entry.Begun = null;
                }
                else if (entry.Track.Step(seconds))
                {
                    Say(entry.Begun, entry.Clamped ? AckAction.Clamped : AckAction.Applied, "");
                    entry.Begun = null;
                }
            }
        }

        private void Say(Adjustment adjustment, AckAction action, string reason)
        {
            _acknowledger.Acknowledge(adjustment.Id, adjustment.Version, action, reason);
        }
    }
}

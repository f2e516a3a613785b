using System;

namespace Arwarden.Core
{
    /// <summary>
    /// What the overlay shows at this moment, and how strongly. One warning at a time, the most severe; it changes slowly
    /// enough to be read and never flashes: every appearance is a fade, a pause lies between two of them, so brightness
    /// never goes up and down more than twice a second (WCAG 2.3.1 allows three).
    /// </summary>
    public sealed class OverlayPresenter
    {
        public const double FadeS = 0.25;

        /// <summary>Between one warning gone and the next one appearing.</summary>
        public const double GapMs = 350;

        /// <summary>A warning stays this long before one that is no more severe takes its place.</summary>
        public const double DwellMs = 2000;

        /// <summary>The regions are bright at first and then thin out, because they lie where the wearer looks.</summary>
        public const double BrightMs = 2500;

        public const double QuietOpacity = 0.35;

        /// <summary>A calm state is read and then only hinted at.</summary>
        public const double CalmMs = 8000;

        private double _shownSinceMs;
        private double _goneMs = double.NegativeInfinity;
        private bool _leaving;
        private Severity _severity;

        /// <summary>The warning that is drawn; null where there is none.</summary>
        public Alert Alert { get; private set; }

        /// <summary>How many more there are behind it.</summary>
        public int More { get; private set; }

        /// <summary>Grows whenever what is written changes.</summary>
        public long Version { get; private set; }

        /// <summary>0 to 1.</summary>
        public double Opacity { get; private set; }

        /// <summary>0 to 1, for the frames around the elements.</summary>
        public double RegionOpacity { get; private set; }

        /// <summary>0 to 1, for the monitor's own state: only while no warning is there.</summary>
        public double CalmOpacity { get; private set; }

        /// <summary>Once a frame. Allocates nothing.</summary>
        public void Step(AlertQueue alerts, MonitorBoard monitor, double nowMs, double seconds)
        {
            ShownAlert first = alerts == null || alerts.Count == 0 ? null : alerts[0];
            Choose(first == null ? null : first.Alert, alerts, nowMs);
            double change = Math.Max(0, seconds) / FadeS;
            bool visible = Alert != null && !_leaving;
            Opacity = Toward(Opacity, visible ? 1 : 0, change);
            bool bright = nowMs - _shownSinceMs < BrightMs;
            RegionOpacity = Toward(RegionOpacity, visible ? (bright ? 1 : QuietOpacity) : 0, change);
            if (_leaving && Opacity <= 0)
            {
                Alert = null;
                _leaving = false;
                _goneMs = nowMs;
                Version++;
            }
            StepCalm(monitor, nowMs, change);
        }

        private void Choose(Alert wanted, AlertQueue alerts, double nowMs)
        {
            if (Alert == null)
            {
                if (wanted != null && nowMs - _goneMs >= GapMs)
                {
                    _shownSinceMs = nowMs;
                    Write(wanted);
                    SetMore(alerts.Count - 1);
                }
                return;
            }
            // What is half gone goes altogether before the next one comes.
            _leaving = _leaving || wanted == null;
            if (_leaving)
            {
                return;
            }
            Alert current = Find(alerts, Alert.Id);
            bool stays = current != null && wanted.Severity <= _severity && nowMs - _shownSinceMs < DwellMs;
            Alert next = stays ? current : wanted;
            if (next.Id != Alert.Id)
            {
                _shownSinceMs = nowMs;
            }
            Write(next);
            SetMore(alerts.Count - 1);
        }

        private void Write(Alert alert)
        {
            if (Alert != alert)
            {
                Alert = alert;
                _severity = alert.Severity;
                Version++;
            }
        }

        private void SetMore(int more)
        {
            if (More != more)
            {
                More = more;
                Version++;
            }
        }

        private void StepCalm(MonitorBoard monitor, double nowMs, double change)
        {
            double wanted = 0;
            if (Alert == null && monitor != null && monitor.Text.Length > 0)
            {
                wanted = nowMs - monitor.SinceMs < CalmMs ? 1 : QuietOpacity;
            }
            CalmOpacity = Toward(CalmOpacity, wanted, change);
        }

        private static Alert Find(AlertQueue alerts, string id)
        {
            for (int i = 0; i < alerts.Count; i++)
            {
                if (alerts[i].Alert.Id == id)
                {
                    return alerts[i].Alert;
                }
            }
            return null;
        }

        private static double Toward(double value, double wanted, double change)
        {
            return value < wanted ? Math.Min(wanted, value + change) : Math.Max(wanted, value - change);
        }
    }
}

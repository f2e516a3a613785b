using System;
using System.Collections.Concurrent;
using System.Globalization;
using System.Threading;
using Arwarden.Core;
using Arwarden.Mqtt;

namespace Arwarden.ConsoleTools
{
    /// <summary>
    /// A headset without a head: the package's own session and client, 72 frames a second. Says what the wearer would
    /// see; takes lines "dismiss ID", "view", "hold", "cup", "counters" and "quit".
    /// </summary>
    internal sealed class HeadlessHeadset : IHeadsetListener
    {
        private const int FrameMs = 14;

        private readonly ConcurrentQueue<string> _commands = new ConcurrentQueue<string>();
        private readonly HeadsetSession _session;
        private readonly MqttClient _link;
        private readonly IClock _clock = new StopwatchClock();
        private readonly AdjustmentDesk _desk;
        private readonly AdjustmentTrack _cup;
        private readonly SceneReporter _scene = new SceneReporter();
        private readonly SceneObject[] _objects = new SceneObject[1];
        private readonly Topics _topics;

        private HeadlessHeadset(Options options)
        {
            _topics = new Topics(options.Text("device", "quest"));
            _link = new MqttClient(options.Mqtt(), _clock);
            _session = new HeadsetSession(_topics, _link, _clock, this, 32);
            _desk = new AdjustmentDesk(_session);
            _cup = _desk.Add("cup", new AdjustmentLimits());
            _objects[0] = new SceneObject
            {
                Id = "cup",
                Class = "cup",
                Label = "",
                Box = new BoxNorm(0.4, 0.4, 0.1, 0.1),
                RotationW = 1,
                ExpectedSize = new Vector3D(0.08, 0.1, 0.08),
            };
        }

        public static int Main(string[] arguments)
        {
            var headset = new HeadlessHeadset(new Options(arguments));
            headset.Run();
            Options.Say("bye");
            return 0;
        }

        void IHeadsetListener.OnAlert(AlertChange change)
        {
            string took = double.IsNaN(change.CaptureToShownMs)
                ? "-"
                : change.CaptureToShownMs.ToString("F1", CultureInfo.InvariantCulture);
            Alert alert = change.Alert;
            Options.Say("alert " + change.Kind + " " + alert.Id + " " + alert.Revision + " " + alert.State + " "
                + alert.Confirmation + " " + took + " " + change.Reason);
        }

        void IHeadsetListener.OnAdjustment(Adjustment adjustment)
        {
            _desk.Take(adjustment, _clock.NowMs, _session.Offset.OffsetMs(_clock.NowMs));
        }

        void IHeadsetListener.OnHealth(Health health)
        {
            Options.Say("health " + health.State + " " + string.Join(",", health.Reasons));
        }

        void IHeadsetListener.OnDaemon(DaemonStatus status)
        {
            Options.Say("daemon " + status.State + " " + status.Epoch);
            if (status.State == DaemonState.Online)
            {
                _scene.Restart();
            }
        }

        void IHeadsetListener.OnLink(LinkState state, string reason)
        {
            Options.Say("state " + state + " " + reason);
            if (state == LinkState.Online)
            {
                _scene.Restart();
            }
        }

        private void Run()
        {
            _link.Start();
            var reading = new Thread(Read) { IsBackground = true };
            reading.Start();
            bool running = true;
            while (running)
            {
                _session.Tick();
                _desk.Step(FrameMs / 1000.0);
                Report();
                string command;
                while (_commands.TryDequeue(out command))
                {
                    running &= Obey(command.Split(' '));
                }
                Thread.Sleep(FrameMs);
            }
            _link.Dispose();
        }

        private void Report()
        {
            if (!_scene.IsDue(_clock.NowMs))
            {
                return;
            }
            bool full;
            _objects[0].Position = _cup.Move;
            _objects[0].Held = _cup.IsHeld;
            _objects[0].Corrected = _cup.Move;
            _objects[0].CorrectedScale = _cup.Scale;
            byte[] report = _scene.Report(_objects, _clock.NowMs, out full);
            if (report != null)
            {
                _link.Publish(_topics.Scene, report, 0, full, 0);
            }
        }

        private void Read()
        {
            string line;
            while ((line = Console.In.ReadLine()) != null)
            {
                _commands.Enqueue(line);
            }
            _commands.Enqueue("quit");
        }

        private bool Obey(string[] words)
        {
            switch (words[0])
            {
                case "dismiss":
                    _session.Dismiss(words[1]);
                    return true;
                case "hold":
                    _cup.Hold();
                    return true;
                case "cup":
                    Options.Say(string.Format(
                        CultureInfo.InvariantCulture, "cup {0:F3} {1:F3}", _cup.Move.X, _cup.Scale));
                    return true;
                case "view":
                    string view = "view";
                    for (int i = 0; i < _session.Alerts.Count; i++)
                    {
                        view += " " + _session.Alerts[i].Alert.Id;
                    }
                    Options.Say(view);
                    return true;
                case "counters":
                    HeadsetCounters counters = _session.Counters;
                    Options.Say("counters malformed=" + counters.Malformed + " acks=" + counters.AcksSent
                        + " pending=" + _link.Pending + " other=" + counters.OfOtherDevice
                        + " retained=" + counters.RetainedAlerts + " dropped=" + _link.Counters.InboxDropped
                        + " old=" + _session.Alerts.OldRevisions);
                    return true;
                default:
                    return false;
            }
        }
    }
}

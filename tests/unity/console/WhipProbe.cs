using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net;
using System.Text;
using System.Threading;
using Arwarden.Core;

namespace Arwarden.ConsoleTools
{
    /// <summary>
    /// The package's WHIP client with an offer out of a file: says each request, its status and each change of state;
    /// takes lines "connected", "candidate TEXT", "lost", "stop" and "quit". The clock channel's messages come as
    /// "heard TEXT" after "open" and go out as "say TEXT".
    /// </summary>
    internal sealed class WhipProbe : IWhipPeer, IWhipTransport
    {
        private const int FrameMs = 14;

        private readonly ConcurrentQueue<string> _commands = new ConcurrentQueue<string>();
        private readonly ConcurrentQueue<WhipResponse> _responses = new ConcurrentQueue<WhipResponse>();
        private readonly Queue<string> _candidates = new Queue<string>();
        private readonly IClock _clock = new StopwatchClock();
        private readonly ClockOffset _offset = new ClockOffset();
        private readonly string _offer;
        private readonly ClockTalk _talk;

        private WhipProbe(string offer, View view)
        {
            _offer = offer;
            _talk = new ClockTalk(_offset, _clock, view, "probe", text => Options.Say("say " + text));
        }

        public PeerState State { get; private set; }

        public string Offer
        {
            get { return _offer; }
        }

        public bool IsGathered
        {
            get { return true; }
        }

        public string Problem
        {
            get { return "lost"; }
        }

        public static int Main(string[] arguments)
        {
            var options = new Options(arguments);
            View view = options.Text("view", "") == "passthrough" ? View.Passthrough : View.Composited;
            new WhipProbe(File.ReadAllText(options.Text("offer", "")), view).Run(new WhipTarget
            {
                Endpoint = options.Text("url", ""),
                Token = options.Text("token", null),
                DeviceId = options.Text("device", null),
                View = view,
                MaxKbps = options.Number("kbps", 2000),
            });
            Options.Say("bye");
            return 0;
        }

        public void Open()
        {
            State = PeerState.Offering;
        }

        public void Accept(string answer)
        {
            State = PeerState.Connecting;
            Options.Say("answer " + System.Convert.ToBase64String(Encoding.UTF8.GetBytes(answer)));
        }

        public string NextCandidate()
        {
            return _candidates.Count > 0 ? _candidates.Dequeue() : null;
        }

        public void Close()
        {
            State = PeerState.Closed;
        }

        public void Begin(WhipRequest request)
        {
            ThreadPool.QueueUserWorkItem(ignored => _responses.Enqueue(Ask(request)));
        }

        public bool TryEnd(out WhipResponse response)
        {
            return _responses.TryDequeue(out response);
        }

        public void Abort()
        {
            WhipResponse late;
            while (_responses.TryDequeue(out late))
            {
                Options.Say("dropped " + late.Status);
            }
        }

        private static WhipResponse Ask(WhipRequest request)
        {
            var response = new WhipResponse();
            try
            {
                using (HttpWebResponse answer = Answer(request))
                using (var reader = new StreamReader(answer.GetResponseStream(), Encoding.UTF8))
                {
                    response.Status = (int)answer.StatusCode;
                    response.Location = answer.Headers["Location"] ?? "";
                    response.ETag = answer.Headers["ETag"] ?? "";
                    response.RetryAfter = answer.Headers["Retry-After"] ?? "";
                    response.Body = reader.ReadToEnd();
                }
            }
            catch (WebException error)
            {
                response.Error = error.Message;
            }
            Options.Say("asked " + request.Method + " " + response.Status);
            return response;
        }

        private static HttpWebResponse Answer(WhipRequest request)
        {
            var web = (HttpWebRequest)WebRequest.Create(request.Url);
            web.Method = request.Method;
            web.Timeout = request.TimeoutMs;
            web.AllowAutoRedirect = false;
            web.Proxy = null;
            if (request.Token != null)
            {
                web.Headers["Authorization"] = "Bearer " + request.Token;
            }
            if (request.IfMatch != null)
            {
                web.Headers["If-Match"] = request.IfMatch;
            }
            try
            {
                if (request.Body != null)
                {
                    byte[] body = Encoding.UTF8.GetBytes(request.Body);
                    web.ContentType = request.ContentType;
                    web.ContentLength = body.Length;
                    using (Stream stream = web.GetRequestStream())
                    {
                        stream.Write(body, 0, body.Length);
                    }
                }
                return (HttpWebResponse)web.GetResponse();
            }
            catch (WebException error)
            {
                var refused = error.Response as HttpWebResponse;
                if (refused == null)
                {
                    throw;
                }
                return refused;
            }
        }

        private void Run(WhipTarget target)
        {
            var publication = new WhipPublication(this, this, target, 1);
            new Thread(Read) { IsBackground = true }.Start();
            publication.Start(_clock.NowMs);
            string said = "";
            bool running = true;
            while (running)
            {
                _talk.Step();
                publication.Step(_clock.NowMs, _talk.IsOpen ? _talk.HeardMs : _clock.NowMs);
                string now = "state " + publication.State + " " + publication.Codec + publication.Problem
                    + (publication.CandidatesRefused > 0 ? " candidates refused" : "");
                if (now != said)
                {
                    said = now;
                    Options.Say(now);
                }
                string command;
                while (_commands.TryDequeue(out command))
                {
                    running &= Obey(command, publication);
                }
                Thread.Sleep(FrameMs);
            }
        }

        private bool Obey(string command, WhipPublication publication)
        {
            switch (command.Split(' ')[0])
            {
                case "connected":
                    State = PeerState.Connected;
                    return true;
                case "lost":
                    State = PeerState.Failed;
                    return true;
                case "candidate":
                    _candidates.Enqueue(command.Substring("candidate ".Length));
                    return true;
                case "open":
                    _talk.Opened();
                    return true;
                case "heard":
                    _talk.Take(Encoding.UTF8.GetBytes(command.Substring("heard ".Length)));
                    return true;
                case "offset":
                    Options.Say("offset " + _offset.Filter.Exchanges + " "
                        + _offset.OffsetMs(_clock.NowMs).ToString("F2", CultureInfo.InvariantCulture));
                    return true;
                case "stop":
                    publication.Stop();
                    return true;
                default:
                    return false;
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
    }
}

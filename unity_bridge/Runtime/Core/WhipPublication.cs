using System;
using System.Collections.Generic;

namespace Arwarden.Core
{
    /// <summary>Where to publish, and as whom.</summary>
    public sealed class WhipTarget
    {
        public string Endpoint = "";

        /// <summary>Null where the daemon asks for none.</summary>
        public string Token;

        /// <summary>Null with a token: the daemon then knows the device by it.</summary>
        public string DeviceId;

        public View View = View.Composited;
        public int MaxKbps = 4000;
    }

    public enum PublicationState
    {
        Stopped,
        Offering,
        Posting,
        Connecting,
        Streaming,

        /// <summary>The connection was lost or did not come about; the next try follows.</summary>
        Waiting,

        /// <summary>The daemon does not want the stream; tried again, but slowly.</summary>
        Refused,
    }

    /// <summary>
    /// One headset's stream, kept published by WHIP (RFC 9725): offer, POST, answer, connection, late candidates by
    /// PATCH, DELETE at the end, and again after every loss. Makes no request and no connection itself; stepped once a
    /// frame, allocates nothing while nothing happens.
    /// </summary>
    public sealed class WhipPublication
    {
        public const double OfferMs = 5000;

        /// <summary>Candidates that take longer are sent later: a first picture must not wait for a dead interface.</summary>
        public const double GatherMs = 2000;

        public const int RequestTimeoutMs = 8000;
        public const int GoodbyeTimeoutMs = 3000;
        public const double ConnectMs = 10000;

        /// <summary>Pings go out five times a second: who leaves 25 unanswered is gone.</summary>
        public const double SilenceMs = 5000;

        public const double RefusedPauseMs = 30000;
        public const int MaxRedirects = 3;

        private readonly IWhipPeer _peer;
        private readonly IWhipTransport _transport;
        private readonly WhipTarget _target;
        private readonly Backoff _backoff;
        private readonly List<string> _late = new List<string>();
        private string _offer;
        private string _url;
        private string _session;
        private string _tag;
        private int _redirects;
        private bool _patching;
        private bool _goodbye;
        private double _sinceMs;
        private double _streamingMs;
        private double _pauseMs;

        public WhipPublication(IWhipPeer peer, IWhipTransport transport, WhipTarget target, int seed)
        {
            _peer = peer;
            _transport = transport;
            _target = target;
            _backoff = new Backoff(seed);
        }

        public PublicationState State { get; private set; } = PublicationState.Stopped;

        /// <summary>Why it is not streaming; empty where it is, or is about to.</summary>
        public string Problem { get; private set; } = "";

        /// <summary>The codec that the daemon chose.</summary>
        public string Codec { get; private set; } = "";

        public long Connections { get; private set; }

        public long Losses { get; private set; }

        /// <summary>Late candidates that the daemon did not take.</summary>
        public long CandidatesRefused { get; private set; }

        public void Start(double nowMs)
        {
            if (State == PublicationState.Stopped)
            {
                Begin(nowMs);
            }
        }

        /// <summary>
        /// Once a frame. <paramref name="heardMs"/>: when the daemon last said something on the data channel, on the same
        /// clock; minus infinity before.
        /// </summary>
        public void Step(double nowMs, double heardMs)
        {
            switch (State)
            {
                case PublicationState.Offering:
                    StepOffer(nowMs);
                    break;
                case PublicationState.Posting:
                    StepPost(nowMs);
                    break;
                case PublicationState.Connecting:
                    StepConnecting(nowMs);
                    break;
                case PublicationState.Streaming:
                    StepStreaming(nowMs, heardMs);
                    break;
                case PublicationState.Waiting:
                case PublicationState.Refused:
                    StepWaiting(nowMs);
                    break;
                default:
                    break;
            }
        }

        /// <summary>The stream cannot go on from here, for a reason known elsewhere.</summary>
        public void Drop(double nowMs, string why)
        {
            if (State != PublicationState.Stopped && State != PublicationState.Waiting)
            {
                Lose(nowMs, why, 0);
            }
        }

        /// <summary>Ends it in order: the daemon is told, nobody waits for its answer.</summary>
        public void Stop()
        {
            if (State == PublicationState.Stopped)
            {
                return;
            }
            State = PublicationState.Stopped;
            Problem = "";
            End();
            _goodbye = false;
        }

        private void Begin(double nowMs)
        {
            string fault;
            _offer = null;
            _session = null;
            _redirects = 0;
            if (!WhipAddress.TryEndpoint(_target.Endpoint, _target.View, _target.DeviceId, out _url, out fault))
            {
                Wait(nowMs, PublicationState.Refused, fault, RefusedPauseMs);
                return;
            }
            Go(nowMs, PublicationState.Offering);
            _peer.Open();
        }

        private void StepOffer(double nowMs)
        {
            double tookMs = nowMs - _sinceMs;
            if (_peer.State == PeerState.Failed || _peer.State == PeerState.Closed)
            {
                Lose(nowMs, _peer.Problem, 0);
                return;
            }
            if (_peer.Offer == null)
            {
                if (tookMs > OfferMs)
                {
                    Lose(nowMs, "this device makes no offer", 0);
                }
                return;
            }
            if (_peer.IsGathered || tookMs >= GatherMs)
            {
                _offer = _peer.Offer;
                Post(nowMs);
            }
        }

        private void Post(double nowMs)
        {
            Go(nowMs, PublicationState.Posting);
            _transport.Begin(Request("POST", _url, SdpText.MediaType, _offer, RequestTimeoutMs));
        }

        private void StepPost(double nowMs)
        {
            WhipResponse response;
            if (!_transport.TryEnd(out response))
            {
                if (nowMs - _sinceMs > RequestTimeoutMs + 2000)
                {
                    Lose(nowMs, "the daemon does not answer", 0);
                }
                return;
            }
            switch (WhipVerdicts.Of(response.Status))
            {
                case WhipVerdict.Taken:
                    Take(nowMs, response);
                    break;
                case WhipVerdict.Redirected:
                    Redirect(nowMs, response);
                    break;
                case WhipVerdict.Transient:
                    Lose(nowMs, WhipVerdicts.Reason(response, _url), WhipVerdicts.RetryAfterMs(response));
                    break;
                default:
                    Refuse(nowMs, WhipVerdicts.Reason(response, _url));
                    break;
            }
        }

        private void Take(double nowMs, WhipResponse response)
        {
            if (!WhipAddress.TryFollow(_url, response.Location, out _session))
            {
                Refuse(nowMs, "the daemon's answer does not say where the session is");
                return;
            }
            _tag = response.ETag;
            string fault = SdpText.AnswerFault(response.Body);
            if (fault != null)
            {
                Refuse(nowMs, fault);
                return;
            }
            Codec = SdpText.ChosenCodec(response.Body);
            Go(nowMs, PublicationState.Connecting);
            _peer.Accept(SdpText.WithBitrate(response.Body, _target.MaxKbps));
        }

        private void Redirect(double nowMs, WhipResponse response)
        {
            string next;
            if (++_redirects > MaxRedirects || !WhipAddress.TryFollow(_url, response.Location, out next))
            {
                Refuse(nowMs, "the daemon sends the stream to another address; put that one into the settings");
                return;
            }
            _url = next;
            Post(nowMs);
        }

        private void StepConnecting(double nowMs)
        {
            if (_peer.State == PeerState.Connected)
            {
                Connections++;
                _streamingMs = nowMs;
                Go(nowMs, PublicationState.Streaming);
                return;
            }
            if (_peer.State == PeerState.Failed || _peer.State == PeerState.Closed)
            {
                Lose(nowMs, _peer.Problem, 0);
            }
            else if (nowMs - _sinceMs > ConnectMs)
            {
                Lose(nowMs, "the daemon took the stream, but no connection came about: a firewall may block UDP", 0);
            }
            else
            {
                StepCandidates();
            }
        }

        private void StepStreaming(double nowMs, double heardMs)
        {
            StepCandidates();
            if (_peer.State != PeerState.Connected && _peer.State != PeerState.Connecting)
            {
                Lose(nowMs, _peer.State == PeerState.Failed ? _peer.Problem : "the daemon ended the stream", 0);
            }
            else if (nowMs - Math.Max(heardMs, _streamingMs) > SilenceMs)
            {
                Lose(nowMs, "the daemon no longer answers", 0);
            }
        }

        private void StepCandidates()
        {
            WhipResponse response;
            if (_patching)
            {
                if (!_transport.TryEnd(out response))
                {
                    return;
                }
                _patching = false;
                CandidatesRefused += response.Status == 204 ? 0 : _late.Count;
                _late.Clear();
            }
            string candidate;
            while ((candidate = _peer.NextCandidate()) != null)
            {
                _late.Add(candidate);
            }
            if (_late.Count == 0)
            {
                return;
            }
            string fragment = SdpText.Fragment(_offer, _late, _peer.IsGathered);
            WhipRequest request = Request("PATCH", _session, SdpText.FragmentType, fragment, RequestTimeoutMs);
            request.IfMatch = _tag;
            _patching = true;
            _transport.Begin(request);
        }

        private void StepWaiting(double nowMs)
        {
            WhipResponse ignored;
            if (_goodbye && _transport.TryEnd(out ignored))
            {
                _goodbye = false;
            }
            double waitedMs = nowMs - _sinceMs;
            if (waitedMs >= _pauseMs && (!_goodbye || waitedMs >= _pauseMs + GoodbyeTimeoutMs))
            {
                Begin(nowMs);
            }
        }

        private void Lose(double nowMs, string why, double atLeastMs)
        {
            double heldMs = State == PublicationState.Streaming ? nowMs - _streamingMs : 0;
            Losses += State == PublicationState.Streaming ? 1 : 0;
            double pauseMs = Math.Max(atLeastMs, _backoff.PauseMs(heldMs));
            Wait(nowMs, PublicationState.Waiting, why, pauseMs);
        }

        private void Refuse(double nowMs, string why)
        {
            Wait(nowMs, PublicationState.Refused, why, RefusedPauseMs);
        }

        private void Wait(double nowMs, PublicationState state, string why, double pauseMs)
        {
            State = state;
            Problem = string.IsNullOrEmpty(why) ? "the connection broke" : why;
            _sinceMs = nowMs;
            _pauseMs = pauseMs;
            End();
        }

        /// <summary>Closes the connection and says so to the daemon, which would notice only seconds later.</summary>
        private void End()
        {
            _transport.Abort();
            _peer.Close();
            _patching = false;
            _late.Clear();
            Codec = "";
            _goodbye = _session != null;
            if (_goodbye)
            {
                _transport.Begin(Request("DELETE", _session, null, null, GoodbyeTimeoutMs));
                _session = null;
            }
        }

        private void Go(double nowMs, PublicationState state)
        {
            State = state;
            Problem = "";
            _sinceMs = nowMs;
        }

        private WhipRequest Request(string method, string url, string type, string body, int timeoutMs)
        {
            return new WhipRequest
            {
                Method = method,
                Url = url,
                ContentType = type,
                Body = body,
                Token = _target.Token,
                TimeoutMs = timeoutMs,
            };
        }
    }
}

using System;
using System.Collections.Generic;
using System.Text;
using Arwarden.Core;
using UnityEngine.Networking;

namespace Arwarden.WebRtc
{
    /// <summary>WHIP's requests by the engine's HTTP client, one at a time, looked at once a frame.</summary>
    internal sealed class WebRequestTransport : IWhipTransport
    {
        private readonly IReadOnlyList<string> _pins;
        private UnityWebRequest _request;
        private string _refusal;

        public WebRequestTransport(IReadOnlyList<string> pins)
        {
            _pins = pins;
        }

        public void Begin(WhipRequest request)
        {
            Abort();
            _request = new UnityWebRequest(request.Url, request.Method);
            _request.downloadHandler = new DownloadHandlerBuffer();
            _request.redirectLimit = 0;
            _request.timeout = (int)Math.Ceiling(request.TimeoutMs / 1000.0);
            if (_pins.Count > 0)
            {
                _request.certificateHandler = new PinnedCertificate(_pins);
            }
            if (request.Body != null)
            {
                _request.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(request.Body));
                _request.uploadHandler.contentType = request.ContentType;
            }
            if (!string.IsNullOrEmpty(request.Token))
            {
                _request.SetRequestHeader("Authorization", "Bearer " + request.Token);
            }
            if (request.IfMatch != null)
            {
                _request.SetRequestHeader("If-Match", request.IfMatch);
            }
            try
            {
                _request.SendWebRequest();
            }
            catch (InvalidOperationException error)
            {
                // How the engine says that the project allows no HTTP without TLS.
                Abort();
                _refusal = error.Message;
            }
        }

        public bool TryEnd(out WhipResponse response)
        {
            response = _refusal == null ? null : new WhipResponse { Error = _refusal };
            _refusal = null;
            if (response != null)
            {
                return true;
            }
            if (_request == null || !_request.isDone)
            {
                return false;
            }
            response = new WhipResponse
            {
                Status = (int)_request.responseCode,
                Location = _request.GetResponseHeader("Location") ?? "",
                ETag = _request.GetResponseHeader("ETag") ?? "",
                RetryAfter = _request.GetResponseHeader("Retry-After") ?? "",
                Body = _request.downloadHandler.text ?? "",
                Error = _request.error ?? "",
            };
            Abort();
            return true;
        }

        public void Abort()
        {
            _refusal = null;
            if (_request != null)
            {
                _request.Dispose();
                _request = null;
            }
        }

        /// <summary>Trusts a certificate by its fingerprint and by nothing else.</summary>
        private sealed class PinnedCertificate : CertificateHandler
        {
            private readonly IReadOnlyList<string> _pins;

            public PinnedCertificate(IReadOnlyList<string> pins)
            {
                _pins = pins;
            }

            protected override bool ValidateCertificate(byte[] certificateData)
            {
                return Sha256Pin.Matches(certificateData, _pins);
            }
        }
    }
}

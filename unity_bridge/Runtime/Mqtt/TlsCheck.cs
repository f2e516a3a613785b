using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Arwarden.Core;

namespace Arwarden.Mqtt
{
    /// <summary>
    /// Whether a certificate is the broker's. The name is compared here (RFC 6125), because mono accepts a certificate
    /// for any other host without a word.
    /// </summary>
    public sealed class TlsCheck
    {
        private const string SubjectAltName = "2.5.29.17";
        private const byte TagDnsName = 0x82;
        private const byte TagIpAddress = 0x87;

        private readonly string _host;
        private readonly TlsOptions _options;

        public TlsCheck(string host, TlsOptions options)
        {
            _host = host;
            _options = options;
        }

        /// <summary>Why the last certificate was refused; null where it was not.</summary>
        public string Fault { get; private set; }

        /// <summary>For SslStream.</summary>
        public bool Accepts(
            object sender, X509Certificate certificate, X509Chain presented, SslPolicyErrors errors)
        {
            try
            {
                Fault = certificate == null
                    ? "the broker shows no certificate"
                    : FaultOf(new X509Certificate2(certificate), presented, errors);
            }
            catch (CryptographicException)
            {
                Fault = "the broker's certificate cannot be read";
            }
            catch (NotSupportedException)
            {
                // Mono's chains know RSA only: an elliptic-curve certificate is trusted by its fingerprint or not at all.
                Fault = "the broker's kind of certificate cannot be checked here; pin its SHA-256 fingerprint";
            }
            return Fault == null;
        }

        private string FaultOf(X509Certificate2 certificate, X509Chain presented, SslPolicyErrors errors)
        {
            if (_options.PinnedSha256.Count > 0)
            {
                return Sha256Pin.Matches(certificate.RawData, _options.PinnedSha256)
                    ? null
                    : "the broker's certificate is not the one that is pinned";
            }
            bool trusted = _options.Authorities.Count > 0
                ? IsSignedByOurs(certificate, presented)
                : (errors & SslPolicyErrors.RemoteCertificateChainErrors) == 0;
            if (!trusted)
            {
                return "no trusted authority has signed the broker's certificate, or it is out of date";
            }
            X509Extension names = certificate.Extensions[SubjectAltName];
            bool named = names != null && Names(names.RawData, _host);
            return named ? null : "the broker's certificate is not for the host " + _host;
        }

        private bool IsSignedByOurs(X509Certificate2 certificate, X509Chain presented)
        {
            var ours = new List<X509Certificate2>();
            var chain = new X509Chain();
            chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
            chain.ChainPolicy.VerificationFlags = X509VerificationFlags.AllowUnknownCertificateAuthority;
            foreach (byte[] authority in _options.Authorities)
            {
                var known = new X509Certificate2(Der(authority));
                ours.Add(known);
                chain.ChainPolicy.ExtraStore.Add(known);
            }
            for (int i = 1; presented != null && i < presented.ChainElements.Count; i++)
            {
                chain.ChainPolicy.ExtraStore.Add(presented.ChainElements[i].Certificate);
            }
            chain.Build(certificate);
            foreach (X509ChainStatus status in chain.ChainStatus)
            {
                if (status.Status != X509ChainStatusFlags.NoError
                    && status.Status != X509ChainStatusFlags.UntrustedRoot)
                {
                    return false;
                }
            }
            int length = chain.ChainElements.Count;
            if (length == 0)
            {
                return false;
            }
            string root = chain.ChainElements[length - 1].Certificate.Thumbprint;
            return ours.Exists(known => known.Thumbprint == root);
        }

        /// <summary>The DER of a certificate in PEM; anything else is taken to be DER.</summary>
        public static byte[] Der(byte[] certificate)
        {
            const string begin = "-----BEGIN CERTIFICATE-----";
            const string end = "-----END CERTIFICATE-----";
            string text = Encoding.ASCII.GetString(certificate);
            int from = text.IndexOf(begin, StringComparison.Ordinal);
            int to = text.IndexOf(end, StringComparison.Ordinal);
            if (from < 0 || to < from)
            {
                return certificate;
            }
            from += begin.Length;
            try
            {
                return Convert.FromBase64String(text.Substring(from, to - from));
            }
            catch (FormatException)
            {
                throw new CryptographicException("not a certificate in PEM");
            }
        }

        /// <summary>Whether the subjectAltName extension (DER, RFC 5280 section 4.2.1.6) names the host.</summary>
        public static bool Names(byte[] subjectAltName, string host)
        {
            IPAddress address;
            byte[] addressBytes = IPAddress.TryParse(host, out address) ? address.GetAddressBytes() : null;
            int at = 0;
            int end;
            if (!Header(subjectAltName, ref at, out end) || subjectAltName[0] != 0x30)
            {
                return false;
            }
            while (at < end)
            {
                byte tag = subjectAltName[at];
                int stop;
                if (!Header(subjectAltName, ref at, out stop))
                {
                    return false;
                }
                bool same = addressBytes != null
                    ? tag == TagIpAddress && SameBytes(subjectAltName, at, stop, addressBytes)
                    : tag == TagDnsName && SameName(Encoding.ASCII.GetString(subjectAltName, at, stop - at), host);
                if (same)
                {
                    return true;
                }
                at = stop;
            }
            return false;
        }

        /// <summary>Steps over a tag and a length; false where the content does not fit.</summary>
        private static bool Header(byte[] der, ref int at, out int end)
        {
            end = 0;
            if (at + 2 > der.Length)
            {
                return false;
            }
            int length = der[at + 1];
            at += 2;
            if (length >= 0x80)
            {
                int bytes = length & 0x7F;
                if (bytes == 0 || bytes > 2 || at + bytes > der.Length)
                {
                    return false;
                }
                length = 0;
                for (int i = 0; i < bytes; i++)
                {
                    length = (length << 8) | der[at++];
                }
            }
            end = at + length;
            return end <= der.Length;
        }

        private static bool SameBytes(byte[] der, int from, int to, byte[] wanted)
        {
            if (to - from != wanted.Length)
            {
                return false;
            }
            for (int i = 0; i < wanted.Length; i++)
            {
                if (der[from + i] != wanted[i])
                {
                    return false;
                }
            }
            return true;
        }

        private static bool SameName(string pattern, string host)
        {
            pattern = pattern.TrimEnd('.');
            host = host.TrimEnd('.');
            if (pattern.StartsWith("*.", StringComparison.Ordinal))
            {
                // A wildcard stands for exactly one level, and never for all of a top-level domain.
                int dot = host.IndexOf('.');
                string rest = pattern.Substring(1);
                return dot > 0 && rest.IndexOf('.', 1) > 0
                    && string.Equals(host.Substring(dot), rest, StringComparison.OrdinalIgnoreCase);
            }
            return pattern.Length > 0 && string.Equals(pattern, host, StringComparison.OrdinalIgnoreCase);
        }
    }
}

using System;
using System.Collections.Generic;
using System.Security.Cryptography;

namespace Arwarden.Core
{
    /// <summary>
    /// Certificates known by a SHA-256: of the certificate, in hexadecimal as openssl and browsers print it, or of its
    /// public key, in base64 as in RFC 7469. A key outlives the renewals of its certificate.
    /// </summary>
    public static class Sha256Pin
    {
        private const int HexDigits = 64;
        private const int Base64Digits = 44;
        private const byte Sequence = 0x30;
        private const byte Version = 0xA0;

        /// <summary>Whether a text is a pin: 64 hexadecimal digits, with colons or without, or 44 of base64.</summary>
        public static bool IsPin(string text)
        {
            string plain = Plain(text);
            bool hex = plain.Length == HexDigits;
            bool base64 = plain.Length == Base64Digits && plain[Base64Digits - 1] == '=';
            for (int i = 0; i < plain.Length; i++)
            {
                hex = hex && Uri.IsHexDigit(plain[i]);
                base64 = base64 && (IsBase64(plain[i]) || i == Base64Digits - 1);
            }
            return hex || base64;
        }

        /// <summary>Whether a certificate (DER) is one of those that are pinned.</summary>
        public static bool Matches(byte[] certificate, IReadOnlyList<string> pins)
        {
            using (SHA256 sha = SHA256.Create())
            {
                string own = BitConverter.ToString(sha.ComputeHash(certificate)).Replace("-", "");
                int start;
                int length;
                string key = TryKey(certificate, out start, out length)
                    ? System.Convert.ToBase64String(sha.ComputeHash(certificate, start, length))
                    : null;
                for (int i = 0; i < pins.Count; i++)
                {
                    string pin = Plain(pins[i]);
                    if (string.Equals(own, pin, StringComparison.OrdinalIgnoreCase)
                        || string.Equals(key, pin, StringComparison.Ordinal))
                    {
                        return true;
                    }
                }
                return false;
            }
        }

        /// <summary>
        /// Where the SubjectPublicKeyInfo lies: after version, serial number, signature, issuer, validity and subject of
        /// the first part of a certificate (RFC 5280, section 4.1).
        /// </summary>
        private static bool TryKey(byte[] der, out int start, out int length)
        {
            int position = 0;
            length = 0;
            start = 0;
            int inner;
            if (!TryEnter(der, ref position) || !TryEnter(der, ref position))
            {
                return false;
            }
            int toSkip = position < der.Length && der[position] == Version ? 6 : 5;
            for (int i = 0; i < toSkip; i++)
            {
                if (!TryLength(der, position, out inner, out length))
                {
                    return false;
                }
                position = inner + length;
            }
            start = position;
            if (!TryLength(der, position, out inner, out length) || der[start] != Sequence)
            {
                return false;
            }
            length = inner + length - start;
            return true;
        }

        private static bool TryEnter(byte[] der, ref int position)
        {
            int inner;
            int length;
            bool found = TryLength(der, position, out inner, out length) && der[position] == Sequence;
            position = inner;
            return found;
        }

        /// <summary>Where the content of an element begins and how long it is, both within the bytes.</summary>
        private static bool TryLength(byte[] der, int position, out int inner, out int length)
        {
            inner = position + 2;
            length = 0;
            if (position < 0 || inner > der.Length)
            {
                return false;
            }
            length = der[position + 1];
            if (length >= 0x80)
            {
                int bytes = length - 0x80;
                length = 0;
                if (bytes < 1 || bytes > 3 || inner + bytes > der.Length)
                {
                    return false;
                }
                for (int i = 0; i < bytes; i++)
                {
                    length = (length << 8) | der[inner + i];
                }
                inner += bytes;
            }
            return length <= der.Length - inner;
        }

        private static bool IsBase64(char sign)
        {
            return (sign >= 'A' && sign <= 'Z') || (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9')
                || sign == '+' || sign == '/';
        }

        private static string Plain(string text)
        {
            return (text ?? "").Replace(":", "").Trim();
        }
    }
}

using System;
using System.Globalization;
using System.Text;

namespace Arwarden.Core
{
    /// <summary>Writes one JSON document. Numbers that are not finite are written as null.</summary>
    public sealed class JsonWriter
    {
        private readonly StringBuilder _out = new StringBuilder();
        private bool _comma;

        public JsonWriter Begin()
        {
            return Open('{');
        }

        public JsonWriter End()
        {
            return Close('}');
        }

        public JsonWriter BeginList(string name)
        {
            return Name(name).Open('[');
        }

        public JsonWriter EndList()
        {
            return Close(']');
        }

        /// <summary>The name of a member; its value is written next.</summary>
        public JsonWriter Name(string name)
        {
            Separate();
            Quote(name);
            _out.Append(':');
            _comma = false;
            return this;
        }

        public JsonWriter Value(string text)
        {
            Separate();
            if (text == null)
            {
                _out.Append("null");
            }
            else
            {
                Quote(text);
            }
            return this;
        }

        public JsonWriter Value(double number)
        {
            Separate();
            bool finite = !double.IsNaN(number) && !double.IsInfinity(number);
            _out.Append(finite ? number.ToString("R", CultureInfo.InvariantCulture) : "null");
            return this;
        }

        public JsonWriter Value(bool value)
        {
            Separate();
            _out.Append(value ? "true" : "false");
            return this;
        }

        public JsonWriter Member(string name, string text)
        {
            return Name(name).Value(text);
        }

        public JsonWriter Member(string name, double number)
        {
            return Name(name).Value(number);
        }

        public JsonWriter Member(string name, bool value)
        {
            return Name(name).Value(value);
        }

        public override string ToString()
        {
            return _out.ToString();
        }

        public byte[] ToUtf8()
        {
            return Encoding.UTF8.GetBytes(_out.ToString());
        }

        /// <summary>The place of the first surrogate without its other half, or -1.</summary>
        internal static int IndexOfUnpaired(string text, int from)
        {
            for (int i = from; i < text.Length; i++)
            {
                if (!char.IsSurrogate(text[i]))
                {
                    continue;
                }
                if (i + 1 >= text.Length || !char.IsSurrogatePair(text[i], text[i + 1]))
                {
                    return i;
                }
                i++;
            }
            return -1;
        }

        /// <summary>The first <paramref name="limit"/> characters, never half a surrogate pair.</summary>
        public static string Cut(string text, int limit)
        {
            if (text == null || text.Length <= limit)
            {
                return text ?? "";
            }
            return text.Substring(0, char.IsHighSurrogate(text[limit - 1]) ? limit - 1 : limit);
        }

        private JsonWriter Open(char sign)
        {
            Separate();
            _out.Append(sign);
            _comma = false;
            return this;
        }

        private JsonWriter Close(char sign)
        {
            _out.Append(sign);
            _comma = true;
            return this;
        }

        private void Separate()
        {
            if (_comma)
            {
                _out.Append(',');
            }
            _comma = true;
        }

        private void Quote(string text)
        {
            int unpaired = IndexOfUnpaired(text, 0);
            _out.Append('"');
            for (int i = 0; i < text.Length; i++)
            {
                char sign = text[i];
                if (i == unpaired)
                {
                    _out.Append('\uFFFD');
                    unpaired = IndexOfUnpaired(text, i + 1);
                }
                else if (sign == '"' || sign == '\\')
                {
                    _out.Append('\\').Append(sign);
                }
                else if (sign < ' ')
                {
                    _out.Append("\\u").Append(((int)sign).ToString("x4", CultureInfo.InvariantCulture));
                }
                else
                {
                    _out.Append(sign);
                }
            }
            _out.Append('"');
        }
    }
}

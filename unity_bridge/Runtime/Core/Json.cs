using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Arwarden.Core
{
    /// <summary>What a <see cref="JsonValue"/> is.</summary>
    public enum JsonKind
    {
        Null,
        Boolean,
        Number,
        Text,
        List,
        Object,
    }

    /// <summary>A parsed JSON value (RFC 8259). Immutable once parsed.</summary>
    public sealed class JsonValue
    {
        public static readonly JsonValue Null = new JsonValue(JsonKind.Null);
        public static readonly JsonValue True = new JsonValue(JsonKind.Boolean) { _number = 1 };
        public static readonly JsonValue False = new JsonValue(JsonKind.Boolean);

        private double _number;
        private string _text;
        private List<JsonValue> _items;
        private Dictionary<string, JsonValue> _members;

        private JsonValue(JsonKind kind)
        {
            Kind = kind;
        }

        public JsonKind Kind { get; }

        public bool Boolean
        {
            get { return _number != 0; }
        }

        public double Number
        {
            get { return _number; }
        }

        public string Text
        {
            get { return _text; }
        }

        /// <summary>The items of a list; null for any other kind.</summary>
        public IReadOnlyList<JsonValue> Items
        {
            get { return _items; }
        }

        /// <summary>The members of an object; null for any other kind.</summary>
        public IReadOnlyDictionary<string, JsonValue> Members
        {
            get { return _members; }
        }

        /// <summary>A member of an object, or null where there is none or this is no object.</summary>
        public JsonValue Member(string name)
        {
            JsonValue found = null;
            if (_members != null)
            {
                _members.TryGetValue(name, out found);
            }
            return found;
        }

        internal static JsonValue Of(double number)
        {
            return new JsonValue(JsonKind.Number) { _number = number };
        }

        internal static JsonValue Of(string text)
        {
            return new JsonValue(JsonKind.Text) { _text = text };
        }

        internal static JsonValue Of(List<JsonValue> items)
        {
            return new JsonValue(JsonKind.List) { _items = items };
        }

        internal static JsonValue Of(Dictionary<string, JsonValue> members)
        {
            return new JsonValue(JsonKind.Object) { _members = members };
        }
    }

    /// <summary>How much of a document is read before it is refused.</summary>
    public sealed class JsonLimits
    {
        /// <summary>Far above any message of the contract (16 kB) and at the most a broker may send.</summary>
        public static readonly JsonLimits Message = new JsonLimits(65536, 16, 8192);

        public JsonLimits(int maxBytes, int maxDepth, int maxValues)
        {
            MaxBytes = maxBytes;
            MaxDepth = maxDepth;
            MaxValues = maxValues;
        }

        public int MaxBytes { get; }

        /// <summary>Nested lists and objects; a list in an object is two.</summary>
        public int MaxDepth { get; }

        public int MaxValues { get; }
    }

    /// <summary>
    /// A strict reader of JSON: what RFC 8259 does not allow is refused, and so are duplicate members, unpaired
    /// surrogates, numbers that are not finite, and anything above the limits.
    /// </summary>
    public sealed class JsonReader
    {
        private static readonly UTF8Encoding StrictUtf8 = new UTF8Encoding(false, true);

        private readonly string _text;
        private readonly JsonLimits _limits;
        private readonly StringBuilder _buffer = new StringBuilder();
        private int _at;
        private int _depth;
        private int _values;
        private string _fault;

        private JsonReader(string text, JsonLimits limits)
        {
            _text = text;
            _limits = limits;
        }

        /// <summary>Reads one document; <paramref name="fault"/> says where it is wrong.</summary>
        public static bool TryRead(byte[] utf8, JsonLimits limits, out JsonValue value, out string fault)
        {
            value = null;
            if (utf8 == null || utf8.Length > limits.MaxBytes)
            {
                fault = utf8 == null ? "no document" : "longer than " + limits.MaxBytes + " bytes";
                return false;
            }
            string text;
            try
            {
                text = StrictUtf8.GetString(utf8);
            }
            catch (ArgumentException)
            {
                fault = "not UTF-8";
                return false;
            }
            return TryRead(text, limits, out value, out fault);
        }

        /// <summary>Reads one document; <paramref name="fault"/> says where it is wrong.</summary>
        public static bool TryRead(string text, JsonLimits limits, out JsonValue value, out string fault)
        {
            value = null;
            if (text == null || text.Length > limits.MaxBytes)
            {
                fault = text == null ? "no document" : "longer than " + limits.MaxBytes + " characters";
                return false;
            }
            var reader = new JsonReader(text, limits);
            JsonValue read = reader.Value();
            if (read != null)
            {
                reader.SkipSpace();
                if (reader._at < text.Length)
                {
                    read = reader.Fail("something after the document");
                }
            }
            value = read;
            fault = reader._fault;
            return read != null;
        }

        private JsonValue Fail(string what)
        {
            if (_fault == null)
            {
                _fault = what + " at character " + _at.ToString(CultureInfo.InvariantCulture);
            }
            return null;
        }

        private JsonValue Value()
        {
            SkipSpace();
            if (++_values > _limits.MaxValues)
            {
                return Fail("more than " + _limits.MaxValues + " values");
            }
            if (_at >= _text.Length)
            {
                return Fail("the end instead of a value");
            }
            switch (_text[_at])
            {
                case '{':
                    return Nested(true);
                case '[':
                    return Nested(false);
                case '"':
                    string text = String();
                    return text == null ? null : JsonValue.Of(text);
                case 't':
                    return Word("true", JsonValue.True);
                case 'f':
                    return Word("false", JsonValue.False);
                case 'n':
                    return Word("null", JsonValue.Null);
                default:
                    return Number();
            }
        }

        private JsonValue Nested(bool isObject)
        {
            if (++_depth > _limits.MaxDepth)
            {
                return Fail("nested deeper than " + _limits.MaxDepth);
            }
            _at++;
            JsonValue value = isObject ? Object() : List();
            _depth--;
            return value;
        }

        private JsonValue Object()
        {
            var members = new Dictionary<string, JsonValue>(StringComparer.Ordinal);
            if (Next('}'))
            {
                return JsonValue.Of(members);
            }
            do
            {
                SkipSpace();
                string name = _at < _text.Length && _text[_at] == '"' ? String() : null;
                if (name == null)
                {
                    return Fail("no name of a member");
                }
                if (!Next(':'))
                {
                    return Fail("no colon after a name");
                }
                JsonValue value = Value();
                if (value == null)
                {
                    return null;
                }
                if (members.ContainsKey(name))
                {
                    return Fail("a member that was there before");
                }
                members.Add(name, value);
            }
            while (Next(','));
            return Next('}') ? JsonValue.Of(members) : Fail("an object that does not end");
        }

        private JsonValue List()
        {
            var items = new List<JsonValue>();
            if (Next(']'))
            {
                return JsonValue.Of(items);
            }
            do
            {
                JsonValue value = Value();
                if (value == null)
                {
                    return null;
                }
                items.Add(value);
            }
            while (Next(','));
            return Next(']') ? JsonValue.Of(items) : Fail("a list that does not end");
        }

        private JsonValue Word(string word, JsonValue value)
        {
            if (string.CompareOrdinal(_text, _at, word, 0, word.Length) != 0)
            {
                return Fail("no value");
            }
            _at += word.Length;
            return value;
        }

        private JsonValue Number()
        {
            int start = _at;
            Skip('-');
            if (!Skip('0') && Digits() == 0)
            {
                return Fail("no value");
            }
            if (Skip('.') && Digits() == 0)
            {
                return Fail("no digit after the point");
            }
            if (Skip('e') || Skip('E'))
            {
                if (!Skip('+'))
                {
                    Skip('-');
                }
                if (Digits() == 0)
                {
                    return Fail("no digit in the exponent");
                }
            }
            double number;
            string text = _text.Substring(start, _at - start);
            bool read = double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out number);
            if (!read || double.IsInfinity(number) || double.IsNaN(number))
            {
                return Fail("a number that is too large");
            }
            return JsonValue.Of(number);
        }

        private string String()
        {
            _at++;
            _buffer.Length = 0;
            while (_at < _text.Length)
            {
                char sign = _text[_at++];
                if (sign == '"')
                {
                    return Paired();
                }
                if (sign < ' ')
                {
                    break;
                }
                if (sign == '\\')
                {
                    if (!Escape())
                    {
                        break;
                    }
                }
                else
                {
                    _buffer.Append(sign);
                }
            }
            Fail("a text that is not written properly");
            return null;
        }

        private string Paired()
        {
            string text = _buffer.ToString();
            if (JsonWriter.IndexOfUnpaired(text, 0) >= 0)
            {
                Fail("half a surrogate pair");
                return null;
            }
            return text;
        }

        private bool Escape()
        {
            if (_at >= _text.Length)
            {
                return false;
            }
            char sign = _text[_at++];
            int simple = "\"\\/bfnrt".IndexOf(sign);
            if (simple >= 0)
            {
                _buffer.Append("\"\\/\b\f\n\r\t"[simple]);
                return true;
            }
            if (sign != 'u' || _at + 4 > _text.Length)
            {
                return false;
            }
            int code = 0;
            for (int i = 0; i < 4; i++)
            {
                int digit = Hex(_text[_at++]);
                if (digit < 0)
                {
                    return false;
                }
                code = code * 16 + digit;
            }
            _buffer.Append((char)code);
            return true;
        }

        private static int Hex(char sign)
        {
            if (sign >= '0' && sign <= '9')
            {
                return sign - '0';
            }
            char lower = (char)(sign | 0x20);
            return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
        }

        private bool Next(char sign)
        {
            SkipSpace();
            return Skip(sign);
        }

        private bool Skip(char sign)
        {
            if (_at >= _text.Length || _text[_at] != sign)
            {
                return false;
            }
            _at++;
            return true;
        }

        private int Digits()
        {
            int start = _at;
            while (_at < _text.Length && _text[_at] >= '0' && _text[_at] <= '9')
            {
                _at++;
            }
            return _at - start;
        }

        private void SkipSpace()
        {
            while (_at < _text.Length && " \t\n\r".IndexOf(_text[_at]) >= 0)
            {
                _at++;
            }
        }
    }
}

using System.Collections.Generic;
using System.Globalization;

namespace Arwarden.Core
{
    /// <summary>
    /// Reads the members of one message and remembers the first fault. What a reader returns after a fault has no
    /// meaning: look at <see cref="Fault"/> at the end. Unknown members are ignored, as the contract says.
    /// </summary>
    internal sealed class Members
    {
        private readonly JsonValue _object;
        private readonly string _path;
        private readonly Members _root;
        private string _fault;

        public Members(JsonValue value, string path)
            : this(value, path, null)
        {
        }

        private Members(JsonValue value, string path, Members root)
        {
            _object = value;
            _path = path;
            _root = root ?? this;
            if (value.Kind != JsonKind.Object)
            {
                Fail("", "is not an object");
            }
        }

        public string Fault
        {
            get { return _root._fault; }
        }

        public void Fail(string name, string what)
        {
            if (_root._fault == null)
            {
                _root._fault = _path + (name.Length == 0 ? "" : "." + name) + " " + what;
            }
        }

        public void Const(string name, string wanted)
        {
            JsonValue value = _object.Member(name);
            if (value != null && (value.Kind != JsonKind.Text || value.Text != wanted))
            {
                Fail(name, "is not " + wanted);
            }
        }

        public string Text(string name)
        {
            JsonValue value = Required(name, JsonKind.Text);
            return value == null ? "" : value.Text;
        }

        public string Text(string name, string otherwise)
        {
            JsonValue value = Optional(name, JsonKind.Text);
            return value == null ? otherwise : value.Text;
        }

        /// <summary>A text of at most so many characters (code points, as JSON Schema counts).</summary>
        public string Text(string name, int minLength, int maxLength)
        {
            string text = Text(name);
            CheckLength(name, text, minLength, maxLength);
            return text;
        }

        public string ShortText(string name, string otherwise, int maxLength)
        {
            string text = Text(name, otherwise);
            CheckLength(name, text, 0, maxLength);
            return text;
        }

        /// <summary>The place of the text in the list of those allowed.</summary>
        public int Choice(string name, string[] allowed)
        {
            JsonValue value = Required(name, JsonKind.Text);
            return value == null ? 0 : ChoiceOf(name, value.Text, allowed);
        }

        public int Choice(string name, string[] allowed, int otherwise)
        {
            JsonValue value = Optional(name, JsonKind.Text);
            return value == null ? otherwise : ChoiceOf(name, value.Text, allowed);
        }

        public bool Boolean(string name)
        {
            JsonValue value = Required(name, JsonKind.Boolean);
            return value != null && value.Boolean;
        }

        public double Number(string name, double least, double most)
        {
            JsonValue value = Required(name, JsonKind.Number);
            return value == null ? least : InRange(name, value.Number, least, most);
        }

        public double Number(string name, double least, double most, double otherwise)
        {
            JsonValue value = Optional(name, JsonKind.Number);
            return value == null ? otherwise : InRange(name, value.Number, least, most);
        }

        /// <summary>A number, or null in the document or no member: not a number then.</summary>
        public double NumberOrNan(string name)
        {
            JsonValue value = NullIsAbsent(name);
            if (value != null && value.Kind != JsonKind.Number)
            {
                Fail(name, "is not a number");
                value = null;
            }
            return value == null ? double.NaN : value.Number;
        }

        public long Whole(string name, long least, long most)
        {
            JsonValue value = Required(name, JsonKind.Number);
            return value == null ? least : WholeOf(name, value.Number, least, most);
        }

        public long Whole(string name, long least, long most, long otherwise)
        {
            JsonValue value = Optional(name, JsonKind.Number);
            return value == null ? otherwise : WholeOf(name, value.Number, least, most);
        }

        /// <summary>An object in this one; null where it is absent or null.</summary>
        public Members ObjectOrNull(string name)
        {
            JsonValue value = NullIsAbsent(name);
            return value == null ? null : new Members(value, _path + "." + name, _root);
        }

        /// <summary>A list of objects; empty where it is absent.</summary>
        public List<Members> Objects(string name)
        {
            var objects = new List<Members>();
            JsonValue value = Optional(name, JsonKind.List);
            for (int i = 0; value != null && i < value.Items.Count; i++)
            {
                string place = "[" + i.ToString(CultureInfo.InvariantCulture) + "]";
                objects.Add(new Members(value.Items[i], _path + "." + name + place, _root));
            }
            return objects;
        }

        /// <summary>A list of texts; empty where it is absent.</summary>
        public string[] Texts(string name)
        {
            JsonValue value = Optional(name, JsonKind.List);
            var texts = new string[value == null ? 0 : value.Items.Count];
            for (int i = 0; i < texts.Length; i++)
            {
                if (value.Items[i].Kind != JsonKind.Text)
                {
                    Fail(name, "holds something that is no text");
                }
                texts[i] = value.Items[i].Text ?? "";
            }
            return texts;
        }

        /// <summary>A list of exactly so many numbers.</summary>
        public double[] Numbers(string name, int count)
        {
            JsonValue value = Required(name, JsonKind.List);
            return value == null ? new double[count] : NumbersOf(name, value, count);
        }

        public double[] Numbers(string name, int count, double[] otherwise)
        {
            JsonValue value = Optional(name, JsonKind.List);
            return value == null ? otherwise : NumbersOf(name, value, count);
        }

        /// <summary>Checks an object of numbers by name, such as times per stage.</summary>
        public Dictionary<string, double> NumbersByName(string name)
        {
            var numbers = new Dictionary<string, double>();
            JsonValue value = Optional(name, JsonKind.Object);
            if (value == null)
            {
                return numbers;
            }
            foreach (KeyValuePair<string, JsonValue> member in value.Members)
            {
                if (member.Value.Kind != JsonKind.Number)
                {
                    Fail(name, "holds something that is no number");
                }
                numbers[member.Key] = member.Value.Number;
            }
            return numbers;
        }

        private double[] NumbersOf(string name, JsonValue list, int count)
        {
            var numbers = new double[count];
            if (list.Items.Count != count)
            {
                Fail(name, "does not hold " + count + " numbers");
                return numbers;
            }
            for (int i = 0; i < count; i++)
            {
                if (list.Items[i].Kind != JsonKind.Number)
                {
                    Fail(name, "holds something that is no number");
                }
                numbers[i] = list.Items[i].Number;
            }
            return numbers;
        }

        private JsonValue Required(string name, JsonKind kind)
        {
            JsonValue value = Optional(name, kind);
            if (value == null)
            {
                Fail(name, "is missing");
            }
            return value;
        }

        private JsonValue Optional(string name, JsonKind kind)
        {
            JsonValue value = _object.Member(name);
            if (value != null && value.Kind != kind)
            {
                Fail(name, "is of another type");
                return null;
            }
            return value;
        }

        private JsonValue NullIsAbsent(string name)
        {
            JsonValue value = _object.Member(name);
            return value == null || value.Kind == JsonKind.Null ? null : value;
        }

        private void CheckLength(string name, string text, int least, int most)
        {
            int length = 0;
            for (int i = 0; i < text.Length; i++)
            {
                if (!char.IsLowSurrogate(text[i]))
                {
                    length++;
                }
            }
            if (length < least || length > most)
            {
                Fail(name, "is too short or too long");
            }
        }

        private int ChoiceOf(string name, string text, string[] allowed)
        {
            for (int i = 0; i < allowed.Length; i++)
            {
                if (allowed[i] == text)
                {
                    return i;
                }
            }
            Fail(name, "is none of the values of the contract");
            return 0;
        }

        private double InRange(string name, double number, double least, double most)
        {
            if (!(number >= least && number <= most))
            {
                Fail(name, "is out of range");
            }
            return number;
        }

        private long WholeOf(string name, double number, long least, long most)
        {
            // Above 2^53 a double no longer holds every whole number.
            bool whole = number == System.Math.Floor(number) && System.Math.Abs(number) <= 9007199254740992.0;
            if (!whole || number < least || number > most)
            {
                Fail(name, "is not a whole number in its range");
                return least;
            }
            return (long)number;
        }
    }
}

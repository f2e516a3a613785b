using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Arwarden.Core
{
    /// <summary>
    /// What the wearer reads. Texts of an alert come out of the picture, so they are cut, put on one line and freed of
    /// characters that steer how text is drawn.
    /// </summary>
    public static class AlertText
    {
        public const int NameLength = 32;
        public const int LineLength = 34;
        public const int Lines = 3;

        private const char Ellipsis = '\u2026';
        private static readonly string[] Words = { "Note", "Warning", "Critical" };

        public static string Word(Severity severity)
        {
            return Words[(int)severity];
        }

        /// <summary>The element's own text, or else the class of its picture, or else what kind of thing it is.</summary>
        public static string Name(Element element)
        {
            string text = Plain(element.Text);
            if (text.Length > 0)
            {
                return "\u201C" + Shorten(text, NameLength) + "\u201D";
            }
            string kind = element.Label.Length > 0 ? element.Label : element.Type;
            return Shorten(Plain(kind.Replace('_', ' ')), NameLength);
        }

        /// <summary>The elements that contradict each other, numbered as their regions are; empty without any.</summary>
        public static string Names(Alert alert)
        {
            int count = alert.Elements.Count < 2 ? alert.Elements.Count : 2;
            string names = "";
            for (int i = 0; i < count; i++)
            {
                string number = count < 2 ? "" : (i + 1).ToString(CultureInfo.InvariantCulture) + "  ";
                names += (i == 0 ? "" : "\n") + number + Name(alert.Elements[i]);
            }
            return names;
        }

        /// <summary>The sentence for the wearer, broken into at most three lines.</summary>
        public static string Message(Alert alert)
        {
            return Wrap(Plain(alert.Message), LineLength, Lines);
        }

        /// <summary>On one line, without control characters and without characters that change the writing direction.</summary>
        public static string Plain(string text)
        {
            var plain = new StringBuilder(text.Length);
            bool space = false;
            for (int i = 0; i < text.Length; i++)
            {
                UnicodeCategory category = CharUnicodeInfo.GetUnicodeCategory(text, i);
                bool gap = category == UnicodeCategory.Control || category == UnicodeCategory.SpaceSeparator
                    || category == UnicodeCategory.LineSeparator || category == UnicodeCategory.ParagraphSeparator;
                if (gap)
                {
                    space = plain.Length > 0;
                }
                else if (category != UnicodeCategory.Format)
                {
                    plain.Append(space ? " " : "").Append(text[i]);
                    space = false;
                }
            }
            return plain.ToString();
        }

        /// <summary>At most so many characters; what was cut ends in an ellipsis.</summary>
        public static string Shorten(string text, int limit)
        {
            return text.Length <= limit ? text : JsonWriter.Cut(text, limit - 1).TrimEnd() + Ellipsis;
        }

        /// <summary>Broken between words, or within one that is longer than a line; at most so many lines.</summary>
        public static string Wrap(string text, int width, int lines)
        {
            var wrapped = new List<string>();
            string rest = text;
            while (rest.Length > width && wrapped.Count < lines - 1)
            {
                int gap = rest.LastIndexOf(' ', width);
                string line = gap > 0 ? rest.Substring(0, gap) : JsonWriter.Cut(rest, width);
                wrapped.Add(line);
                rest = rest.Substring(line.Length).TrimStart();
            }
            wrapped.Add(Shorten(rest, width));
            return string.Join("\n", wrapped.ToArray());
        }
    }
}

using System.Globalization;
using System.Text;
using System.Threading;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class JsonTests
    {
        private static bool Reads(string text)
        {
            JsonValue value;
            string fault;
            bool read = JsonReader.TryRead(text, JsonLimits.Message, out value, out fault);
            Assert.That(read, Is.EqualTo(value != null));
            Assert.That(read, Is.EqualTo(fault == null), fault);
            return read;
        }

        private static JsonValue Read(string text)
        {
            JsonValue value;
            string fault;
            Assert.That(JsonReader.TryRead(text, JsonLimits.Message, out value, out fault), Is.True, fault);
            return value;
        }

        [TestCase("null")]
        [TestCase(" true ")]
        [TestCase("-0")]
        [TestCase("1.5e-3")]
        [TestCase("\"\\u00e9\\n\\\"\"")]
        [TestCase("\"\\ud83e\\udd50\"")]
        [TestCase("[]")]
        [TestCase("{\"a\":[1,{\"b\":null}]}")]
        public void TakesWhatIsJson(string text)
        {
            Assert.That(Reads(text), Is.True);
        }

        [TestCase("")]
        [TestCase("nul")]
        [TestCase("NaN")]
        [TestCase("Infinity")]
        [TestCase("1e999")]
        [TestCase("01")]
        [TestCase("+1")]
        [TestCase(".5")]
        [TestCase("1.")]
        [TestCase("1e")]
        [TestCase("-")]
        [TestCase("0x10")]
        [TestCase("'a'")]
        [TestCase("\"a")]
        [TestCase("\"\\x\"")]
        [TestCase("\"\\u12g4\"")]
        [TestCase("\"\\u12\"")]
        [TestCase("\"tab\tin it\"")]
        [TestCase("\"\\ud83e\"")]
        [TestCase("\"\\udd50\\ud83e\"")]
        [TestCase("[1,]")]
        [TestCase("[1 2]")]
        [TestCase("{\"a\":1,}")]
        [TestCase("{a:1}")]
        [TestCase("{\"a\" 1}")]
        [TestCase("{\"a\":1,\"a\":2}")]
        [TestCase("{} {}")]
        [TestCase("// no\n1")]
        [TestCase("[")]
        [TestCase("{\"a\":")]
        public void RefusesWhatIsNot(string text)
        {
            Assert.That(Reads(text), Is.False);
        }

        [Test]
        public void RefusesWhatIsNotUtf8()
        {
            JsonValue value;
            string fault;
            var bytes = new byte[] { (byte)'"', 0xC3, 0x28, (byte)'"' };
            Assert.That(JsonReader.TryRead(bytes, JsonLimits.Message, out value, out fault), Is.False);
            Assert.That(fault, Is.EqualTo("not UTF-8"));
        }

        [Test]
        public void RefusesTooMuch()
        {
            Assert.That(Reads(new string('[', 16) + new string(']', 16)), Is.True);
            Assert.That(Reads(new string('[', 17) + new string(']', 17)), Is.False);
            Assert.That(Reads(new string('[', 60000)), Is.False);
            Assert.That(Reads("\"" + new string('x', 65536) + "\""), Is.False);
            var many = new StringBuilder("[0");
            for (int i = 0; i < 9000; i++)
            {
                many.Append(",0");
            }
            Assert.That(Reads(many.Append("]").ToString()), Is.False);
        }

        [Test]
        public void SaysWhere()
        {
            JsonValue value;
            string fault;
            JsonReader.TryRead("{\"a\": nothing}", JsonLimits.Message, out value, out fault);
            Assert.That(fault, Is.EqualTo("no value at character 6"));
        }

        [Test]
        public void NumbersDoNotDependOnTheCulture()
        {
            CultureInfo before = Thread.CurrentThread.CurrentCulture;
            Thread.CurrentThread.CurrentCulture = new CultureInfo("de-DE");
            try
            {
                Assert.That(Read("-1234.5e1").Number, Is.EqualTo(-12345.0));
                Assert.That(new JsonWriter().Value(0.5).ToString(), Is.EqualTo("0.5"));
            }
            finally
            {
                Thread.CurrentThread.CurrentCulture = before;
            }
        }

        [Test]
        public void WritesWhatItReads()
        {
            string text = new JsonWriter().Begin()
                .Member("text", "a\"\\\u0001é🥐")
                .Member("number", 1764460800123.25)
                .Member("yes", true)
                .Member("nothing", (string)null)
                .Member("endless", double.PositiveInfinity)
                .BeginList("list").Value(1).Value("x").Begin().End().EndList()
                .End().ToString();
            JsonValue value = Read(text);
            Assert.That(value.Member("text").Text, Is.EqualTo("a\"\\\u0001é🥐"));
            Assert.That(value.Member("number").Number, Is.EqualTo(1764460800123.25));
            Assert.That(value.Member("yes").Boolean, Is.True);
            Assert.That(value.Member("nothing").Kind, Is.EqualTo(JsonKind.Null));
            Assert.That(value.Member("endless").Kind, Is.EqualTo(JsonKind.Null));
            Assert.That(value.Member("list").Items.Count, Is.EqualTo(3));
            Assert.That(value.Member("absent"), Is.Null);
        }

        [Test]
        public void HalfAPairIsWrittenAsAReplacement()
        {
            string text = new JsonWriter().Value("a\ud83eb").ToString();
            Assert.That(Read(text).Text, Is.EqualTo("a\ufffdb"));
        }

        [Test]
        public void ATextIsNotCutWithinAPair()
        {
            Assert.That(JsonWriter.Cut("ab🥐", 3), Is.EqualTo("ab"));
            Assert.That(JsonWriter.Cut("ab🥐", 4), Is.EqualTo("ab🥐"));
            Assert.That(JsonWriter.Cut(null, 4), Is.EqualTo(""));
        }
    }
}

using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    /// <summary>Alerts and adjustments as the daemon would send them.</summary>
    internal static class TestAlerts
    {
        public static string Json(
            string id,
            long revision = 1,
            string state = "raised",
            string severity = "warning",
            double publishedMs = 1000,
            double expiresMs = 4000,
            string epoch = "e1",
            string device = "quest",
            string confirmation = "none")
        {
            return new JsonWriter().Begin()
                .Member("epoch", epoch).Member("published_ms", publishedMs)
                .Member("alert_id", id).Member("revision", revision).Member("state", state)
                .Member("device_id", device).Member("session_id", "s").Member("kind", "contradiction")
                .Member("attribute", "origin").Member("severity", severity).Member("message", "m")
                .Member("confidence", 0.9).Member("tier", "fast").Member("confirmation", confirmation)
                .Member("first_captured_ms", publishedMs - 100).Member("captured_ms", publishedMs - 100)
                .Member("capture_clock", "synced").Member("expires_ms", expiresMs)
                .Member("budget_ms", 500).Member("age_ms", 100).Member("late", false)
                .End().ToString();
        }

        public static Alert Alert(
            string id,
            long revision = 1,
            string state = "raised",
            string severity = "warning",
            double publishedMs = 1000,
            double expiresMs = 4000,
            string epoch = "e1",
            string confirmation = "none")
        {
            string text = Json(
                id, revision, state, severity, publishedMs, expiresMs, epoch, "quest", confirmation);
            Alert alert;
            string fault;
            Assert.That(Core.Alert.TryRead(Parse(text), out alert, out fault), Is.True, fault);
            return alert;
        }

        public static string AdjustmentJson(
            long version,
            double x,
            double y,
            double z,
            double scale = 1,
            string action = "apply",
            double expiresMs = 4000,
            string epoch = "e1")
        {
            return new JsonWriter().Begin()
                .Member("epoch", epoch).Member("published_ms", 1000).Member("adjustment_id", "j" + version)
                .Member("version", version).Member("device_id", "quest").Member("session_id", "s")
                .Member("object_id", "cup").Member("action", action)
                .BeginList("move_m").Value(x).Value(y).Value(z).EndList()
                .Member("scale", scale).Member("captured_ms", 900).Member("expires_ms", expiresMs)
                .End().ToString();
        }

        public static Adjustment Adjustment(
            long version,
            double x,
            double y,
            double z,
            double scale = 1,
            string action = "apply",
            double expiresMs = 4000,
            string epoch = "e1")
        {
            Adjustment adjustment;
            string fault;
            string text = AdjustmentJson(version, x, y, z, scale, action, expiresMs, epoch);
            Assert.That(Core.Adjustment.TryRead(Parse(text), out adjustment, out fault), Is.True, fault);
            return adjustment;
        }

        public static JsonValue Parse(string text)
        {
            JsonValue json;
            string fault;
            Assert.That(JsonReader.TryRead(text, JsonLimits.Message, out json, out fault), Is.True, fault);
            return json;
        }
    }
}

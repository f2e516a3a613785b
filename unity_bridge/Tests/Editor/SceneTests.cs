using System.Collections.Generic;
using System.Text;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class SceneTests
    {
        private static SceneObject Thing(string id, double x = 0, string label = "cup")
        {
            return new SceneObject
            {
                Id = id,
                Class = "cup",
                Label = label,
                Box = new BoxNorm(0.1, 0.1, 0.2, 0.2),
                Position = new Vector3D(x, 0, 1),
                RotationW = 1,
            };
        }

        private static JsonValue Report(SceneReporter reporter, double nowMs, out bool full, params SceneObject[] things)
        {
            byte[] report = reporter.Report(things, nowMs, out full);
            return report == null ? null : TestAlerts.Parse(Encoding.UTF8.GetString(report));
        }

        [Test]
        public void TheFirstReportIsFullAndTheNextSayWhatChanged()
        {
            var reporter = new SceneReporter();
            bool full;
            JsonValue first = Report(reporter, 0, out full, Thing("a"), Thing("b"));
            Assert.That(full, Is.True);
            Assert.That(first.Member("base").Number, Is.EqualTo(0));
            Assert.That(first.Member("objects").Items.Count, Is.EqualTo(2));
            Assert.That(Report(reporter, 300, out full, Thing("a"), Thing("b")), Is.Null);
            JsonValue second = Report(reporter, 600, out full, Thing("a", 0.5));
            Assert.That(full, Is.False);
            Assert.That(second.Member("base").Number, Is.EqualTo(first.Member("version").Number));
            Assert.That(second.Member("objects").Items.Count, Is.EqualTo(1));
            Assert.That(second.Member("objects").Items[0].Member("id").Text, Is.EqualTo("a"));
            Assert.That(second.Member("removed").Items[0].Text, Is.EqualTo("b"));
        }

        [Test]
        public void WhatIsNowhereSpoilsNoReport()
        {
            var reporter = new SceneReporter();
            bool full;
            SceneObject lost = Thing("b");
            lost.RotationW = double.PositiveInfinity;
            JsonValue report = Report(reporter, 0, out full, Thing("a"), Thing("c", double.NaN), lost);
            Assert.That(report.Member("objects").Items.Count, Is.EqualTo(1));
            Assert.That(reporter.LeftOut, Is.EqualTo(2));
        }

        [Test]
        public void TremblingIsNotReported()
        {
            var reporter = new SceneReporter();
            bool full;
            Report(reporter, 0, out full, Thing("a"));
            Assert.That(Report(reporter, 300, out full, Thing("a", 0.005)), Is.Null);
            Assert.That(Report(reporter, 600, out full, Thing("a", 0.011)), Is.Not.Null, "it adds up");
            Assert.That(Report(reporter, 900, out full, Thing("a", 0.011, "mug")), Is.Not.Null);
            SceneObject turned = Thing("a", 0.011, "mug");
            turned.RotationY = 0.02;
            turned.RotationW = 0.9998;
            Assert.That(Report(reporter, 1200, out full, turned), Is.Not.Null);
            SceneObject same = turned;
            same.RotationY = -turned.RotationY;
            same.RotationW = -turned.RotationW;
            Assert.That(Report(reporter, 1500, out full, same), Is.Null, "the negative quaternion is the same turn");
        }

        [Test]
        public void WhatHoldsOrCorrectsAnObjectIsReported()
        {
            var reporter = new SceneReporter();
            bool full;
            SceneObject cup = Thing("a");
            JsonValue first = Report(reporter, 0, out full, cup).Member("objects").Items[0];
            Assert.That(first.Member("corrected_m"), Is.Null, "an app that does not say");
            cup.Held = true;
            JsonValue held = Report(reporter, 300, out full, cup).Member("objects").Items[0];
            Assert.That(held.Member("held").Boolean, Is.True);
            cup.Held = false;
            cup.Corrected = new Vector3D(0, -0.2, 0);
            cup.CorrectedScale = 0.5;
            JsonValue corrected = Report(reporter, 600, out full, cup).Member("objects").Items[0];
            Assert.That(corrected.Member("corrected_m").Items[1].Number, Is.EqualTo(-0.2));
            Assert.That(corrected.Member("corrected_scale").Number, Is.EqualTo(0.5));
            cup.CorrectedScale = 0.502;
            Assert.That(Report(reporter, 900, out full, cup), Is.Null);
        }

        [Test]
        public void ItIsNotReportedTooOften()
        {
            var reporter = new SceneReporter();
            bool full;
            Report(reporter, 0, out full, Thing("a"));
            Assert.That(Report(reporter, 100, out full, Thing("a", 1)), Is.Null);
            Assert.That(Report(reporter, 200, out full, Thing("a", 1)), Is.Not.Null);
        }

        [Test]
        public void AFullReportComesAgainAndWhenAskedFor()
        {
            var reporter = new SceneReporter();
            bool full;
            Report(reporter, 0, out full, Thing("a"));
            Report(reporter, SceneReporter.FullIntervalMs, out full, Thing("a"));
            Assert.That(full, Is.True);
            reporter.Restart();
            Assert.That(Report(reporter, SceneReporter.FullIntervalMs + 300, out full, Thing("a")), Is.Not.Null);
            Assert.That(full, Is.True);
        }

        [Test]
        public void AReportIsBounded()
        {
            var reporter = new SceneReporter();
            var things = new List<SceneObject>();
            for (int i = 0; i < 200; i++)
            {
                things.Add(Thing("object-" + i, i, new string('é', 300)));
            }
            things.Add(Thing(""));
            var told = new HashSet<string>();
            for (int round = 0; round < 10; round++)
            {
                bool full;
                byte[] report = reporter.Report(things, 300 * round, out full);
                if (report == null)
                {
                    break;
                }
                Assert.That(report.Length, Is.LessThanOrEqualTo(SceneReporter.MaxBytes));
                foreach (JsonValue item in TestAlerts.Parse(Encoding.UTF8.GetString(report)).Member("objects").Items)
                {
                    told.Add(item.Member("id").Text);
                }
            }
            Assert.That(told.Count, Is.EqualTo(SceneReporter.MaxObjects), "what did not fit came later");
            Assert.That(reporter.LeftOut, Is.GreaterThan(0));
        }
    }
}

using System;
using Arwarden.Core;
using NUnit.Framework;

namespace Arwarden.Tests
{
    [TestFixture]
    public class ClockTests
    {
        private static bool Exchange(OffsetFilter filter, double askedMs, double offsetMs, double goMs, double backMs)
        {
            double arrivedMs = askedMs + goMs + offsetMs;
            return filter.Add(askedMs, arrivedMs, arrivedMs + 1, askedMs + goMs + 1 + backMs);
        }

        [Test]
        public void TheShortestRoundTripsAreBelieved()
        {
            var filter = new OffsetFilter();
            Assert.That(filter.OffsetMs, Is.NaN);
            var random = new Random(5);
            for (int i = 0; i < 64; i++)
            {
                double queueMs = i % 4 == 0 ? 0 : random.NextDouble() * 300;
                Assert.That(Exchange(filter, 1000 + (200 * i), 5000, 2 + queueMs, 2), Is.True);
            }
            Assert.That(filter.OffsetMs, Is.EqualTo(5000).Within(0.5));
            Assert.That(filter.RttMs, Is.EqualTo(4).Within(0.001));
        }

        [Test]
        public void ASleepIsMadeUpForAndNeverTakenBack()
        {
            DateTime wall = DateTime.UtcNow;
            var clock = new StopwatchClock(() => wall);
            double before = clock.NowMs;
            wall = wall.AddHours(1);
            Assert.That(clock.NowMs - before, Is.LessThan(60000), "only the stopwatch counts while the app runs");
            clock.Resumed();
            Assert.That(clock.NowMs - before, Is.EqualTo(3600000).Within(60000));
            before = clock.NowMs;
            wall = wall.AddHours(-5);
            clock.Resumed();
            Assert.That(clock.NowMs, Is.InRange(before, before + 60000));
        }

        [Test]
        public void WhatCannotBeTrueIsRefused()
        {
            var filter = new OffsetFilter();
            Assert.That(filter.Add(100, 200, 199, 150), Is.False, "answered before it arrived");
            Assert.That(filter.Add(100, 200, 300, 150), Is.False, "held longer than the whole exchange");
            Assert.That(filter.Add(100, 200, 200, 6000), Is.False, "too slow");
            Assert.That(filter.Add(100, double.NaN, 200, 150), Is.False);
            Assert.That(filter.Add(100, double.PositiveInfinity, double.PositiveInfinity, 150), Is.False);
            Assert.That(filter.Exchanges, Is.EqualTo(0));
        }

        [Test]
        public void AClockThatWasSetIsFollowedAfterThree()
        {
            var filter = new OffsetFilter();
            for (int i = 0; i < 20; i++)
            {
                Exchange(filter, 1000 + i, 10, 2, 2);
            }
            Exchange(filter, 2000, 90000, 2, 2);
            Exchange(filter, 2001, 90000, 2, 2);
            Assert.That(filter.OffsetMs, Is.EqualTo(10).Within(0.001));
            Exchange(filter, 2002, 90000, 2, 2);
            Assert.That(filter.OffsetMs, Is.EqualTo(90000).Within(0.001));
            Assert.That(filter.Exchanges, Is.EqualTo(3));
        }

        [Test]
        public void AnAnswerCountsOnce()
        {
            var offset = new ClockOffset();
            ClockMessage ping = offset.Exchange.Ask(100);
            ClockMessage pong = ClockMessage.Pong(ping, 1102, 1102);
            Assert.That(offset.Exchange.Answered(ClockMessage.Pong(ClockMessage.Ping(9, 0), 1, 1), 104), Is.False);
            Assert.That(offset.Exchange.Answered(pong, 104), Is.True);
            Assert.That(offset.Exchange.Answered(pong, 105), Is.False);
            Assert.That(offset.OffsetMs(105), Is.EqualTo(1000).Within(0.001));
        }

        [Test]
        public void TheFirstQuestionsAreAskedFaster()
        {
            var exchange = new ClockExchange(new OffsetFilter());
            double nowMs = 0;
            int asked = 0;
            while (nowMs < 3000)
            {
                if (exchange.IsDue(nowMs))
                {
                    exchange.Ask(nowMs);
                    asked++;
                }
                nowMs += 10;
            }
            Assert.That(asked, Is.EqualTo(20).Within(1));
        }

        [Test]
        public void WithoutADataChannelMessagesTellTheTime()
        {
            var offset = new ClockOffset();
            Assert.That(offset.OffsetMs(0), Is.NaN);
            foreach (double delayMs in new double[] { 80, 3, 500, 12 })
            {
                offset.OneWay.Add(10000, 1000 + delayMs);
            }
            Assert.That(offset.OffsetMs(1500), Is.EqualTo(8997), "short by the shortest delay");
            Assert.That(offset.IsExchanged(1500), Is.False);
            Assert.That(offset.OffsetMs(1501 + OneWayOffset.WindowMs), Is.NaN);
        }

        [Test]
        public void TheExchangeIsBelievedBeforeMessagesButNotForEver()
        {
            var offset = new ClockOffset();
            ClockMessage ping = offset.Exchange.Ask(100);
            offset.Exchange.Answered(ClockMessage.Pong(ping, 1102, 1102), 104);
            offset.OneWay.Add(1090, 104);
            Assert.That(offset.OffsetMs(200), Is.EqualTo(1000));
            offset.OneWay.Add(61090, 60104);
            Assert.That(offset.OffsetMs(60200), Is.EqualTo(986));
            offset.Reset();
            Assert.That(offset.OffsetMs(60200), Is.NaN);
        }

        [Test]
        public void TheOwnClockOnlyGoesForward()
        {
            var clock = new StopwatchClock();
            double before = clock.NowMs;
            double wallMs = (DateTime.UtcNow - new DateTime(1970, 1, 1)).TotalMilliseconds;
            Assert.That(before, Is.EqualTo(wallMs).Within(60000));
            for (int i = 0; i < 1000; i++)
            {
                double now = clock.NowMs;
                Assert.That(now >= before, Is.True);
                before = now;
            }
        }

        [Test]
        public void PausesGrowAndStartAnewAfterASteadyConnection()
        {
            var backoff = new Backoff(1);
            double full = Backoff.FirstMs;
            for (int i = 0; i < 8; i++)
            {
                double pause = backoff.PauseMs(0);
                Assert.That(pause, Is.InRange(full * 0.75, full));
                full = Math.Min(Backoff.LongestMs, full * 2);
            }
            Assert.That(backoff.PauseMs(Backoff.SteadyAfterMs), Is.LessThanOrEqualTo(Backoff.FirstMs));
        }
    }
}

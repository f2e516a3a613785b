// The daemon's clock as this page knows it: every time in an event or alert is on that clock.
const BEST_OF = 20;

// Monotonic like the clock that the browser stamps its pictures with, so that both sides mean the same.
export const localNow = () => performance.timeOrigin + performance.now();

export class DaemonClock {
  #exchanges = [];
  #stamps = [];

  // An exchange over the data channel: asked t0 and answered t3 on our clock, t1 and t2 on the daemon's.
  exchange(t0, t1, t2, t3) {
    this.#exchanges.push({ rtt: t3 - t0 - (t2 - t1), offset: ((t1 - t0) + (t2 - t3)) / 2 });
    if (this.#exchanges.length > BEST_OF) this.#exchanges.shift();
  }

  // A message that the daemon stamped has just come: behind by its way, so the largest offset is the best.
  stamped(atMs) {
    this.#stamps.push(atMs - localNow());
    if (this.#stamps.length > BEST_OF) this.#stamps.shift();
  }

  // Another daemon, another clock.
  forget() { this.#exchanges = []; this.#stamps = []; }

  // { offset, rtt } of the exchange with the shortest way, or null before the first.
  get best() {
    return this.#exchanges.length ? this.#exchanges.reduce((a, b) => (b.rtt < a.rtt ? b : a)) : null;
  }

  // The daemon's time now, or null while nothing is known about it.
  now() {
    if (this.best) return localNow() + this.best.offset;
    return this.#stamps.length ? localNow() + Math.max(...this.#stamps) : null;
  }
}

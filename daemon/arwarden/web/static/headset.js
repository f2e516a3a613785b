// This browser as a headset: streams a source until it is stopped, and comes back when the daemon does.
import { aborted, pause } from "/static/wait.js";
import { Publication, StreamError } from "/static/whip.js";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
// A stream that held this long was a good one: the next loss starts with a short wait again.
const STEADY_MS = 30_000;
const WATCH_MS = 1000;
const STILL_CHECKS = 3;

export class BrowserHeadset {
  #video; #clock; #onState; #onFacts; #abort = null; #publication = null; #early = null;

  // onState(mode, text) with mode idle, opening, live, still, lost or failed; onFacts(text) every second.
  constructor({ video, clock, onState, onFacts }) {
    this.#video = video; this.#clock = clock; this.#onState = onState; this.#onFacts = onFacts;
  }

  get sessionId() { return this.#publication?.sessionId ?? null; }

  async start(openSource, settings) {
    const abort = new AbortController();
    this.#abort = abort;
    this.#onState("opening", "Opening the picture …");
    let source = null;
    try {
      source = await openSource(this.#video);
      const ended = source.ended.then((text) => { throw new Error(text); });
      if (!abort.signal.aborted) await Promise.race([this.#keepStreaming(source, settings, abort.signal), ended]);
      this.#onState("idle", "Not streaming.");
    } catch (error) {
      this.#onState("failed", error.message);
    } finally {
      abort.abort();
      source?.close();
      this.#onFacts("");
    }
  }

  // Ends the stream and its session at the daemon.
  stop() { this.#abort?.abort(); }

  // The page goes away: the goodbye is sent without waiting for an answer.
  leave() { this.stop(); this.#publication?.close(); }

  // The daemon is there: no need to wait longer before the next attempt.
  hurry() { this.#early?.abort(); }

  // It is there in this run of its: a session of an earlier run is gone.
  daemonIs(run) {
    this.hurry();
    const known = this.#publication?.run;
    if (known && known !== run) this.#publication.drop("The daemon was restarted.");
  }

  async #keepStreaming(source, settings, signal) {
    let wait = FIRST_WAIT_MS;
    for (let first = true; !signal.aborted; first = false) {
      const begun = performance.now();
      const lost = await this.#streamOnce(source, settings, signal, first);
      if (!lost) return;
      if (performance.now() - begun > STEADY_MS) wait = FIRST_WAIT_MS;
      this.#onFacts("");
      this.#onState("lost", `${lost} Connecting again …`);
      this.#early = new AbortController();
      await pause(wait * (0.75 + Math.random() / 2), AbortSignal.any([signal, this.#early.signal]));
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    }
  }

  // One session; says why it was lost, or null where it was stopped. Throws where trying again is pointless.
  async #streamOnce(source, settings, signal, first) {
    const publication = new Publication(source, this.#clock);
    this.#publication = publication;
    const watch = new AbortController();
    try {
      await publication.open(settings);
      publication.run = await daemonRun();
      this.#watch(publication, source, watch.signal);
      const lost = await Promise.race([publication.lost, aborted(signal)]);
      if (!lost) return null;
      if (lost.byDaemon && publication.run && await daemonRun() === publication.run) {
        throw new StreamError("The daemon ended this stream: another client may now stream as this device. Start again to take it back.", true);
      }
      return lost.text;
    } catch (error) {
      if (first || error.final !== false) throw error;
      return error.message;
    } finally {
      watch.abort();
      this.#publication = null;
      const confirmed = publication.close();
      if (signal.aborted && !await confirmed) throw new Error("Not streaming. The daemon did not confirm the end; it frees the session by itself.");
    }
  }

  // Says every second what leaves the browser, and notices when nothing does.
  async #watch(publication, source, signal) {
    let pictures = -1;
    let still = 0;
    while (!signal.aborted) {
      const sent = await publication.sent();
      if (signal.aborted) return;
      const count = source.pictures ?? sent.pictures;
      still = count > pictures ? 0 : still + 1;
      pictures = count;
      this.#onFacts(sent.width ? this.#facts(sent) : "");
      if (still >= STILL_CHECKS) {
        this.#onState("still", document.hidden && source.pausesWhenHidden
          ? "This tab is hidden, so the browser has paused the video. Show the tab to go on."
          : "No picture is leaving this browser.");
      } else if (document.hidden && source.pausesWhenHidden) {
        this.#onState("still", "This tab is hidden: the browser may slow down or pause the video.");
      } else {
        this.#onState("live", "Streaming.");
      }
      await pause(WATCH_MS, signal);
    }
  }

  #facts({ width, height, fps }) {
    const best = this.#clock.best;
    const clock = best ? `clock known to ±${Math.max(0.1, best.rtt / 2).toFixed(1)} ms` : "clock not known yet";
    return `${width}×${height} · ${fps} frames/s sent · ${clock}`;
  }
}

// The id of the daemon's run, or null where it cannot be reached.
async function daemonRun() {
  try {
    return (await (await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(2000) })).json()).epoch ?? null;
  } catch {
    return null;
  }
}

// The headset's side of the contract: alerts, health and the daemon's state come in, acknowledgements go out.
import { localNow } from "/static/clock.js";
import { reasonOf } from "/static/events.js";
import { MqttError, MqttLink } from "/static/mqtt.js";
import { pause } from "/static/wait.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const REQUEST_MS = 5000;
const MOST_ACKS = 128;
const ACK_AGAIN_MS = 2000;

export class HeadsetLink {
  #on; #abort = null; #link = null; #topics = null; #acks = []; #early = null;

  // on: alert(message), health(message), daemon(message), state(name, text); name is off, away, live or refused.
  constructor(on) { this.#on = on; }

  get live() { return this.#link !== null; }

  start(settings) {
    this.stop();
    this.#abort = new AbortController();
    this.#keep(settings, this.#abort.signal);
  }

  stop() {
    this.#abort?.abort();
    this.#abort = null;
    this.#link?.close();
    this.#on.state("off", "");
  }

  // The daemon is there: no need to wait longer before the next attempt.
  hurry() { this.#early?.abort(); }

  // Kept until the broker has it, and sent again after a loss: at least once.
  acknowledge(alert, action, reason = "") {
    this.#acks.push({ schema: "arwarden/ack/1", alert_id: alert.alert_id, revision: alert.revision, action, headset_ms: localNow(), reason });
    if (this.#acks.length > MOST_ACKS) this.#acks.shift();
    this.#flush();
  }

  async #keep(settings, signal) {
    let wait = FIRST_WAIT_MS;
    while (!signal.aborted) {
      try {
        const lost = await this.#once(settings, signal, () => { wait = FIRST_WAIT_MS; });
        if (signal.aborted) return;
        this.#on.state("away", `Alerts by MQTT: ${lost}; trying again …`);
      } catch (error) {
        if (signal.aborted) return;
        this.#on.state(error.final ? "refused" : "away", `Alerts by MQTT: ${error.message}${error.final ? "." : "; trying again …"}`);
        if (error.final) return;
      }
      this.#early = new AbortController();
      await pause(wait * (0.75 + Math.random() / 2), AbortSignal.any([signal, this.#early.signal]));
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    }
  }

  // One connection from its opening to its end; says why it ended.
  async #once({ device, token }, signal, opened) {
    const known = await whoAmI(device, token);
    if (signal.aborted) return "";
    const url = Object.assign(new URL(known.mqtt, location.href), { protocol: location.protocol === "https:" ? "wss:" : "ws:" });
    const link = new MqttLink({ url, username: device, password: token, onMessage: (...message) => this.#take(known.topics, ...message) });
    signal.addEventListener("abort", () => link.close(), { once: true });
    try {
      await link.opened;
      const { alerts, health, status } = known.topics;
      await link.subscribe([alerts, health, status]);
      this.#link = link;
      this.#topics = known.topics;
      opened();
      this.#on.state("live", "Alerts by MQTT");
      this.#flush();
      return await link.closed;
    } finally {
      this.#link = null;
      link.close();
    }
  }

  #take(topics, topic, text, retained) {
    if (!text) return;
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return; // nobody but the daemon should write here; what is no message shows nothing
    }
    // Alerts are never retained: somebody else keeps an old one at the broker.
    if (topic === topics.alerts && !retained && isAlert(message)) this.#on.alert(message);
    if (topic === topics.health && Array.isArray(message?.reasons)) this.#on.health(message);
    if (topic === topics.status && typeof message?.state === "string") this.#on.daemon(message);
  }

  #flush() {
    const link = this.#link;
    if (!link) return;
    for (const ack of this.#acks.filter((ack) => !ack.under)) {
      ack.under = link.publish(this.#topics.acks, JSON.stringify(ack)).then(
        () => { this.#acks = this.#acks.filter((other) => other !== ack); },
        // Also where a broker that has just come back has it for nobody, since the daemon is not back there yet.
        () => {
          delete ack.under;
          setTimeout(() => this.#flush(), ACK_AGAIN_MS);
        },
      );
    }
  }
}

// Which device the token stands for, and its topics.
async function whoAmI(device, token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(`/headset?${new URLSearchParams({ device })}`, { headers, cache: "no-store", signal: AbortSignal.timeout(REQUEST_MS) })
    .catch(() => { throw new MqttError("the daemon cannot be reached"); });
  if (!response.ok) throw new MqttError(await reasonOf(response), response.status === 401 || response.status === 403);
  return response.json();
}

function isAlert(message) {
  return typeof message?.alert_id === "string" && Number.isInteger(message.revision) && typeof message.message === "string"
    && ["expires_ms", "published_ms", "captured_ms", "first_captured_ms", "confidence", "age_ms"].every((name) => Number.isFinite(message[name]))
    && Array.isArray(message.elements) && message.elements.every(({ box }) => Array.isArray(box) && box.length === 4 && box.every(Number.isFinite));
}

// One WHIP session (RFC 9725) with the data channel "clock", from the offer to its end.
import { localNow } from "/static/clock.js";
import { reasonOf } from "/static/events.js";

const PING_MS = 1000;
// Pings are counted, not seconds: a page that was frozen has sent none and has missed nothing.
const UNANSWERED_PINGS = 5;
const CONNECT_MS = 10_000;
const REQUEST_MS = 8000;
const GOODBYE_MS = 3000;

const passing = (status) => status >= 500 || status === 408 || status === 429;

// `final` where trying again would end the same way.
export class StreamError extends Error {
  constructor(text, final) { super(text); this.final = final; }
}

export class Publication {
  #peer = new RTCPeerConnection({ iceServers: [] });
  #channel; #clock; #headers = {}; #resource = null; #timer = 0; #connecting = 0; #nextId = 0; #asked = new Map(); #tellLost;
  sessionId = null;
  // Which run of the daemon it belongs to, once that is known.
  run = null;
  // { text, byDaemon }: why the stream ended, unless we ended it. byDaemon: it closed the connection in order.
  lost = new Promise((done) => { this.#tellLost = (text, byDaemon = false) => done({ text, byDaemon }); });

  constructor(source, clock) {
    this.#clock = clock;
    this.#peer.addTransceiver(source.track, { direction: "sendonly", streams: [source.stream] });
  }

  async open({ device, token, view }) {
    this.#openChannel(view);
    this.#peer.onconnectionstatechange = () => {
      if (this.#peer.connectionState === "connected") clearTimeout(this.#connecting);
      if (this.#peer.connectionState === "failed") this.#tellLost("The connection broke.");
    };
    if (token) this.#headers = { Authorization: `Bearer ${token}` };
    await this.#peer.setLocalDescription();
    await this.#gathered();
    const response = await fetch(`/whip?${new URLSearchParams({ device, view })}`, {
      method: "POST",
      headers: { ...this.#headers, "Content-Type": "application/sdp" },
      body: this.#peer.localDescription.sdp,
      signal: AbortSignal.timeout(REQUEST_MS),
    }).catch((error) => { throw new StreamError(`The daemon cannot be reached (${error.message}).`, false); });
    if (response.status !== 201) {
      const reason = response.status === 401 && !token ? "it knows this headset by its token; enter it under Device token." : await reasonOf(response);
      throw new StreamError(`The daemon refused the stream: ${reason}`, !passing(response.status));
    }
    this.#resource = response.headers.get("Location");
    this.sessionId = new URL(this.#resource, location.href).pathname.split("/").pop();
    this.#connecting = setTimeout(() => this.#tellLost("The daemon took the stream, but no connection came about: a firewall may block UDP."), CONNECT_MS);
    await this.#peer.setRemoteDescription({ type: "answer", sdp: await response.text() });
  }

  // What leaves the browser: pictures so far, their rate and size.
  async sent() {
    const reports = [...(await this.#peer.getStats()).values()];
    const sent = reports.find((report) => report.type === "outbound-rtp" && report.kind === "video");
    return { pictures: sent?.framesSent ?? 0, fps: sent?.framesPerSecond ?? 0, width: sent?.frameWidth ?? 0, height: sent?.frameHeight ?? 0 };
  }

  // It is known from elsewhere that the session is gone.
  drop(text) { this.#tellLost(text); }

  // Ends the session; false where the daemon did not confirm it. Also safe while the page goes away.
  async close() {
    clearInterval(this.#timer);
    clearTimeout(this.#connecting);
    this.#channel.onclose = this.#peer.onconnectionstatechange = null;
    const resource = this.#resource;
    this.#resource = null;
    const goodbye = resource && fetch(resource, { method: "DELETE", headers: this.#headers, keepalive: true, signal: AbortSignal.timeout(GOODBYE_MS) });
    this.#peer.close();
    return !goodbye || goodbye.then((response) => response.ok || response.status === 404, () => false);
  }

  #gathered() {
    return new Promise((done) => {
      const check = () => { if (this.#peer.iceGatheringState === "complete") done(); };
      this.#peer.addEventListener("icegatheringstatechange", check);
      setTimeout(done, 1000);
      check();
    });
  }

  #openChannel(view) {
    this.#channel = this.#peer.createDataChannel("clock", { ordered: false, maxRetransmits: 0 });
    this.#channel.onopen = () => {
      this.#send({ type: "hello", view, client: "arwarden page" });
      this.#timer = setInterval(() => this.#ping(), PING_MS);
      this.#ping();
    };
    this.#channel.onclose = () => this.#tellLost("The daemon ended the stream.", true);
    this.#channel.onmessage = ({ data }) => this.#answer(JSON.parse(data), localNow());
  }

  #send(message) { if (this.#channel.readyState === "open") this.#channel.send(JSON.stringify(message)); }

  #ping() {
    if (this.#asked.size >= UNANSWERED_PINGS) this.#tellLost("The daemon no longer answers.");
    const id = this.#nextId++;
    this.#asked.set(id, localNow());
    this.#send({ type: "ping", id, t0_ms: this.#asked.get(id) });
  }

  #answer(message, arrived) {
    if (message.type === "ping") {
      this.#send({ type: "pong", id: message.id, t0_ms: message.t0_ms, t1_ms: arrived, t2_ms: localNow() });
    } else if (message.type === "pong" && this.#asked.has(message.id)) {
      this.#clock.exchange(this.#asked.get(message.id), message.t1_ms, message.t2_ms, arrived);
      this.#asked.clear();
    }
  }
}

// MQTT 5 over WebSocket, as much of it as a headset needs: one clean session, QoS 0 and 1.
const KEEP_ALIVE_S = 20;
const CONNECT_MS = 10_000;
// The daemon's relay passes nothing longer, and says so to the broker.
const MOST_BYTES = 65_536;
const CONNECT = 1, CONNACK = 2, PUBLISH = 3, PUBACK = 4, SUBSCRIBE = 8, SUBACK = 9, PINGREQ = 12, PINGRESP = 13, DISCONNECT = 14;
const FAILED = 0x80;
// "No matching subscribers": taken, and given to nobody.
const NOBODY = 0x10;
const REASONS = {
  0x85: "it takes no client like this one",
  0x86: "it does not know this device or token",
  0x87: "this device may not do that",
  0x88: "the daemon does not reach its broker",
};
const utf8 = new TextEncoder();
// A payload that is no text becomes one that says nothing: whoever writes it must not end the connection.
const plain = new TextDecoder();

export class MqttError extends Error {
  // `final` where trying again would end the same way.
  constructor(text, final = false) { super(text); this.final = final; }
}

export class MqttLink {
  #socket; #onMessage; #pending = new Uint8Array(0); #waiting = new Map(); #nextId = 0; #opened; #refused; #timer = 0; #heard = 0; #tellClosed;
  // Resolves with the reason once the connection is gone, also where it never came about.
  closed = new Promise((done) => { this.#tellClosed = done; });

  // Connects at once; `opened` resolves when the broker has said yes. onMessage(topic, text, retained).
  constructor({ url, username, password, onMessage }) {
    this.#onMessage = onMessage;
    this.opened = new Promise((done, failed) => { this.#opened = done; this.#refused = failed; });
    this.opened.catch(() => {});
    this.#socket = new WebSocket(url, "mqtt");
    this.#socket.binaryType = "arraybuffer";
    this.#timer = setTimeout(() => this.#fail(new MqttError("nothing answers")), CONNECT_MS);
    this.#socket.onopen = () => this.#send(CONNECT, 0, connectBody(username, password));
    this.#socket.onmessage = ({ data }) => this.#take(data);
    this.#socket.onclose = () => this.#fail(new MqttError("the connection was closed"));
  }

  // Resolves when every filter is granted.
  subscribe(topics) {
    return this.#asked(SUBSCRIBE, 2, (id) => [...id, 0, ...topics.flatMap((topic) => [...text(topic), 1])]);
  }

  // Resolves when the broker has the message (QoS 1).
  publish(topic, message) {
    return this.#asked(PUBLISH, 2, (id) => [...text(topic), ...id, 0, ...utf8.encode(message)]);
  }

  close() {
    this.#send(DISCONNECT, 0, []);
    this.#fail(new MqttError("closed here"));
  }

  #asked(kind, flags, body) {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.reject(new MqttError("there is no connection"));
    this.#nextId = this.#nextId % 0xffff + 1;
    const id = this.#nextId;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done, failed });
      this.#send(kind, flags, body([id >> 8, id & 0xff]));
    });
  }

  // While the socket closes nothing leaves any more; whoever waits for an answer is told when it has.
  #send(kind, flags, body) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(Uint8Array.from([kind << 4 | flags, ...variable(body.length), ...body]));
  }

  #fail(error) {
    clearTimeout(this.#timer);
    clearInterval(this.#timer);
    this.#socket.onclose = this.#socket.onmessage = null;
    this.#socket.close();
    this.#refused(error);
    for (const { failed } of this.#waiting.values()) failed(error);
    this.#waiting.clear();
    this.#tellClosed(error.message);
  }

  #take(data) {
    const joined = new Uint8Array(this.#pending.length + data.byteLength);
    joined.set(this.#pending);
    joined.set(new Uint8Array(data), this.#pending.length);
    this.#pending = joined;
    try {
      for (let packet = this.#next(); packet; packet = this.#next()) this.#handle(packet);
    } catch (error) {
      this.#fail(error instanceof MqttError ? error : new MqttError(`what came is not MQTT (${error.message})`));
    }
  }

  #next() {
    const size = length(this.#pending, 1);
    if (!size) return null;
    if (size.value > MOST_BYTES) throw new MqttError("a message is too long");
    const end = size.end + size.value;
    if (this.#pending.length < end) return null;
    const packet = { kind: this.#pending[0] >> 4, flags: this.#pending[0] & 15, body: this.#pending.slice(size.end, end) };
    this.#pending = this.#pending.slice(end);
    return packet;
  }

  #handle({ kind, flags, body }) {
    this.#heard = performance.now();
    if (kind === CONNACK) this.#connected(body[1]);
    else if (kind === PUBLISH) this.#published(flags, body);
    else if (kind === PUBACK || kind === SUBACK) this.#answered(kind, body);
    else if (kind === DISCONNECT) throw new MqttError(`the broker ended it: ${REASONS[body[0]] ?? `reason ${body[0] ?? 0}`}`);
    else if (kind !== PINGRESP) throw new MqttError(`a packet of type ${kind}`);
  }

  #connected(code) {
    if (code !== 0) throw new MqttError(REASONS[code] ?? `it refuses with reason ${code}`, code !== 0x88 && code !== 0x89);
    clearTimeout(this.#timer);
    this.#timer = setInterval(() => this.#ping(), KEEP_ALIVE_S * 500);
    this.#opened();
  }

  #ping() {
    if (performance.now() - this.#heard > KEEP_ALIVE_S * 1500) this.#fail(new MqttError("the broker no longer answers"));
    else this.#send(PINGREQ, 0, []);
  }

  #published(flags, body) {
    const topicEnd = 2 + (body[0] << 8 | body[1]);
    const withId = flags & 6 ? 2 : 0;
    const properties = length(body, topicEnd + withId);
    const topic = plain.decode(body.subarray(2, topicEnd));
    if (withId) this.#send(PUBACK, 0, [...body.subarray(topicEnd, topicEnd + 2)]);
    this.#onMessage(topic, plain.decode(body.subarray(properties.end + properties.value)), Boolean(flags & 1));
  }

  #answered(kind, body) {
    const id = body[0] << 8 | body[1];
    const asked = this.#waiting.get(id);
    this.#waiting.delete(id);
    const properties = kind === SUBACK ? length(body, 2) : null;
    const codes = properties ? [...body.subarray(properties.end + properties.value)] : [body[2] ?? 0];
    const bad = codes.find((code) => code >= FAILED || code === NOBODY);
    if (bad === undefined) asked?.done(); else asked?.failed(new MqttError(REASONS[bad] ?? `reason ${bad}`, true));
  }
}

function connectBody(username, password) {
  const flags = 2 | (username ? 0x80 : 0) | (password ? 0x40 : 0);
  // Property 0x27: the longest packet that is taken here.
  const properties = [0x27, MOST_BYTES >>> 24, MOST_BYTES >> 16 & 0xff, MOST_BYTES >> 8 & 0xff, MOST_BYTES & 0xff];
  return [...text("MQTT"), 5, flags, 0, KEEP_ALIVE_S, properties.length, ...properties, ...text(""),
    ...(username ? text(username) : []), ...(password ? text(password) : [])];
}

function text(string) {
  const bytes = utf8.encode(string);
  return [bytes.length >> 8, bytes.length & 0xff, ...bytes];
}

function variable(value) {
  const bytes = [];
  do {
    bytes.push(value % 128 | (value > 127 ? 0x80 : 0));
    value = Math.floor(value / 128);
  } while (value);
  return bytes;
}

// A variable byte integer at `start`: its value and where it ends; null where it goes on past the bytes.
function length(bytes, start) {
  let value = 0;
  for (let at = start; at < start + 4; at++) {
    if (at >= bytes.length) return null;
    value += (bytes[at] & 0x7f) * 128 ** (at - start);
    if (!(bytes[at] & 0x80)) return { value, end: at + 1 };
  }
  throw new MqttError("a length of more than four bytes");
}

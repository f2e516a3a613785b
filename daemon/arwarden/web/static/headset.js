// A WHIP publisher (RFC 9725) with the data channel "clock".
const PING_MS = 1000;
const BEST_OF = 20;
const now = () => performance.timeOrigin + performance.now();

export class BrowserHeadset {
  #video; #say; #peer = null; #stream = null; #channel = null; #resource = null; #timer = null;
  #token = ""; #asked = new Map(); #exchanges = []; #nextId = 0; #objectUrl = null;
  sessionId = null;

  constructor(video, say) { this.#video = video; this.#say = say; }

  // The daemon's clock minus ours, from the exchange with the shortest way.
  get offsetMs() {
    return this.#exchanges.length ? this.#exchanges.reduce((a, b) => (b.rtt < a.rtt ? b : a)).offset : 0;
  }

  daemonNow() { return now() + this.offsetMs; }

  async openCamera() {
    if (!navigator.mediaDevices) throw new Error("The camera needs a secure page: open it over HTTPS, or on this machine as localhost.");
    const stream = await navigator.mediaDevices.getUserMedia({
      video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 }, facingMode: "environment" },
    });
    this.#video.srcObject = stream;
    await this.#video.play();
    return stream;
  }

  async openFile(file) {
    this.#objectUrl = URL.createObjectURL(file);
    this.#video.srcObject = null;
    this.#video.src = this.#objectUrl;
    this.#video.loop = true;
    await new Promise((done, failed) => {
      this.#video.onloadeddata = done;
      this.#video.onerror = () => failed(new Error(`This browser cannot play ${file.name}.`));
    });
    await this.#video.play();
    const capture = this.#video.captureStream ?? this.#video.mozCaptureStream;
    if (!capture) throw new Error("This browser cannot stream a video file.");
    const stream = capture.call(this.#video);
    stream.getAudioTracks().forEach((track) => stream.removeTrack(track));
    return stream;
  }

  async start(open, { device, token, view }) {
    this.#say("opening the picture");
    this.#token = token;
    this.#stream = await open();
    const [track] = this.#stream.getVideoTracks();
    if (!track) throw new Error("There is no picture in this source.");
    // Text is what the daemon reads: rather fewer frames than blurred letters.
    track.contentHint = "detail";
    this.#peer = new RTCPeerConnection({ iceServers: [] });
    this.#peer.addTransceiver(track, { direction: "sendonly", streams: [this.#stream] });
    this.#openChannel(view);
    this.#peer.onconnectionstatechange = () => this.#say(`${this.#peer?.connectionState ?? "closed"} as ${device}`);
    await this.#negotiate(device, view);
  }

  async #negotiate(device, view) {
    await this.#peer.setLocalDescription();
    await this.#gathered();
    const query = new URLSearchParams({ device, view });
    const headers = { "Content-Type": "application/sdp" };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const response = await fetch(`/whip?${query}`, { method: "POST", headers, body: this.#peer.localDescription.sdp });
    if (response.status !== 201) {
      const problem = await response.json().catch(() => ({}));
      throw new Error(`The daemon refused the stream: ${problem.detail ?? problem.title ?? response.status}`);
    }
    this.#resource = response.headers.get("Location");
    this.sessionId = this.#resource.split("/").pop();
    await this.#peer.setRemoteDescription({ type: "answer", sdp: await response.text() });
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
    this.#channel.onmessage = ({ data }) => this.#answer(JSON.parse(data), now());
  }

  #send(message) { if (this.#channel?.readyState === "open") this.#channel.send(JSON.stringify(message)); }

  #ping() {
    const id = this.#nextId++;
    this.#asked.clear();
    this.#asked.set(id, now());
    this.#send({ type: "ping", id, t0_ms: this.#asked.get(id) });
  }

  #answer(message, arrived) {
    if (message.type === "ping") {
      this.#send({ type: "pong", id: message.id, t0_ms: message.t0_ms, t1_ms: arrived, t2_ms: now() });
    } else if (message.type === "pong" && this.#asked.has(message.id)) {
      const t0 = this.#asked.get(message.id);
      this.#asked.delete(message.id);
      const rtt = arrived - t0 - (message.t2_ms - message.t1_ms);
      this.#exchanges.push({ rtt, offset: ((message.t1_ms - t0) + (message.t2_ms - arrived)) / 2 });
      if (this.#exchanges.length > BEST_OF) this.#exchanges.shift();
    }
  }

  // The tab is going away: say so without waiting for an answer.
  leave() {
    if (!this.#resource) return;
    const headers = this.#token ? { Authorization: `Bearer ${this.#token}` } : {};
    fetch(this.#resource, { method: "DELETE", headers, keepalive: true }).catch(() => {});
    this.#resource = null;
  }

  async stop(state) {
    clearInterval(this.#timer);
    this.leave();
    this.#peer?.close();
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#video.pause();
    this.#video.srcObject = null;
    this.#video.removeAttribute("src");
    if (this.#objectUrl) URL.revokeObjectURL(this.#objectUrl);
    this.#objectUrl = this.#peer = this.#stream = this.#channel = null;
    this.sessionId = null;
    this.#exchanges = [];
    this.#say(state);
  }
}

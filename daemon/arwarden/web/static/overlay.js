// Draws over the picture what the daemon read, and the alerts of this browser's own stream until they expire.
const COLOURS = { info: "#4aa3ff", warning: "#ffb020", critical: "#ff5a52" };
const SAMPLE_SHOWN_MS = 1500;

export class Overlay {
  #stage; #video; #canvas; #list; #headset; #alerts = new Map(); #sample = null;

  constructor(stage, video, canvas, list, headset) {
    this.#stage = stage; this.#video = video; this.#canvas = canvas; this.#list = list; this.#headset = headset;
    const frame = () => { this.#draw(); requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  }

  clear() { this.#alerts.clear(); this.#sample = null; this.#warn(); }

  sample(event) { if (event.session_id === this.#headset.sessionId) this.#sample = { ...event, until: performance.now() + SAMPLE_SHOWN_MS }; }

  alert(alert) {
    if (alert.session_id !== this.#headset.sessionId) return;
    const known = this.#alerts.get(alert.alert_id);
    if (known && known.revision >= alert.revision) return;
    if (alert.state === "cleared" || alert.state === "retracted") this.#alerts.delete(alert.alert_id);
    else this.#alerts.set(alert.alert_id, alert);
    this.#warn();
  }

  // Where the letterboxed picture lies inside the stage, in canvas pixels.
  #area() {
    const { width, height } = this.#canvas;
    const ratio = (this.#video.videoWidth || 16) / (this.#video.videoHeight || 9);
    const w = Math.min(width, height * ratio);
    const h = w / ratio;
    return { x: (width - w) / 2, y: (height - h) / 2, w, h };
  }

  #draw() {
    const scale = devicePixelRatio || 1;
    const width = Math.round(this.#stage.clientWidth * scale);
    const height = Math.round(this.#stage.clientHeight * scale);
    if (this.#canvas.width !== width || this.#canvas.height !== height) Object.assign(this.#canvas, { width, height });
    const context = this.#canvas.getContext("2d");
    context.clearRect(0, 0, width, height);
    const now = this.#headset.daemonNow();
    for (const [id, alert] of this.#alerts) {
      if (alert.expires_ms < now) { this.#alerts.delete(id); this.#warn(); }
    }
    if (this.#sample && this.#sample.until < performance.now()) this.#sample = null;
    const area = this.#area();
    for (const element of this.#sample?.elements ?? []) this.#box(context, area, element.box, "#ffffff99", 1.5 * scale, "");
    for (const alert of this.#alerts.values()) {
      for (const element of alert.elements) this.#box(context, area, element.box, COLOURS[alert.severity], 4 * scale, element.text);
    }
  }

  #box(context, area, [x, y, w, h], colour, lineWidth, label) {
    const left = area.x + x * area.w;
    const top = area.y + y * area.h;
    context.strokeStyle = colour;
    context.lineWidth = lineWidth;
    context.strokeRect(left, top, w * area.w, h * area.h);
    if (!label) return;
    const size = Math.max(12, area.h / 36);
    context.font = `600 ${size}px system-ui, sans-serif`;
    const wide = context.measureText(label).width + size * 0.8;
    const above = top - size * 1.5 < area.y ? top + h * area.h : top - size * 1.5;
    context.fillStyle = colour;
    context.fillRect(left, above, wide, size * 1.5);
    context.fillStyle = "#10151d";
    context.fillText(label, left + size * 0.4, above + size * 1.1);
  }

  #warn() {
    this.#list.replaceChildren(...[...this.#alerts.values()].map((alert) => {
      const li = document.createElement("li");
      li.className = alert.severity;
      li.textContent = alert.message;
      const details = document.createElement("small");
      details.textContent = `${alert.state} · seen ${Math.max(0, this.#headset.daemonNow() - alert.captured_ms).toFixed(0)} ms ago`;
      li.append(details);
      return li;
    }));
  }
}

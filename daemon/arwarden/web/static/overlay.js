// Over the picture: what the daemon sees in it, and the alerts of this browser's own stream while they count.
import { describe, kindOf } from "/static/elements.js";
import { opinionOf } from "/static/opinions.js";

const COLOURS = { info: "#4aa3ff", warning: "#ffb020", critical: "#ff5a52" };
const RANK = { critical: 0, warning: 1, info: 2 };
const OVER = new Set(["cleared", "retracted"]);
const MOST_KNOWN = 256;
// The daemon looks at a picture that stands still every 5 s (sampling.refresh_ms).
const SAMPLE_SHOWN_MS = 6000;
// What lies over the picture must leave it to be seen; the rest is in the list.
const WIDEST = 16 / 9;
const TALLEST = 3 / 4;
const TALL_STAGE_PX = 380;

export class Overlay {
  #stage; #video; #canvas; #list; #headset; #clock; #onChange; #alerts = new Map(); #known = new Map(); #sample = null; #items = new Map(); #drawing = 0; #expiry = 0;

  // onChange(alert, action, msAfterCapture) says what became of an alert here: shown, dismissed or expired.
  constructor({ stage, video, canvas, list, headset, clock, onChange }) {
    this.#stage = stage; this.#video = video; this.#canvas = canvas; this.#list = list; this.#headset = headset; this.#clock = clock; this.#onChange = onChange;
    document.addEventListener("visibilitychange", () => this.#warn());
    new ResizeObserver(() => { this.#warn(); this.#redraw(); }).observe(stage);
    // A phone that is turned, or the next video, changes the picture's shape within the stage.
    video.addEventListener("resize", () => {
      stage.style.setProperty("--ratio", Math.min(WIDEST, Math.max(TALLEST, video.videoWidth / video.videoHeight || WIDEST)));
      this.#redraw();
    });
  }

  clear() {
    this.#alerts.clear();
    this.#known.clear();
    this.#sample = null;
    this.#update();
  }

  sample(event) {
    if (event.session_id !== this.#headset.sessionId) return;
    this.#sample = { event, until: performance.now() + SAMPLE_SHOWN_MS };
    this.#update();
  }

  alert(alert) {
    if (alert.session_id !== this.#headset.sessionId) return;
    // It may come twice, from the broker and with the live view, and an old revision after its end.
    const known = this.#known.get(alert.alert_id);
    if (known && known.revision >= alert.revision) return;
    // What the wearer dismissed stays away, unless it has become worse.
    const dismissed = known?.dismissed !== undefined && RANK[alert.severity] >= known.dismissed ? known.dismissed : undefined;
    this.#remember(alert, { revision: alert.revision, shown: 0, dismissed });
    if (OVER.has(alert.state)) this.#alerts.delete(alert.alert_id);
    else this.#alerts.set(alert.alert_id, { alert, arrived: performance.now() });
    this.#update();
  }

  #remember(alert, state) {
    this.#known.delete(alert.alert_id);
    this.#known.set(alert.alert_id, state);
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value);
  }

  #dismiss(alert) {
    this.#known.get(alert.alert_id).dismissed = RANK[alert.severity];
    this.#onChange(alert, "dismissed");
    this.#update();
  }

  // What is left of an alert's time, by the daemon's clock; where that is not known, counted from its arrival.
  #leftMs({ alert, arrived }) {
    const now = this.#clock.now();
    return now === null ? alert.expires_ms - alert.published_ms - (performance.now() - arrived) : alert.expires_ms - now;
  }

  // Drops what is over, shows the rest, and comes back when the next thing ends.
  #update() {
    clearTimeout(this.#expiry);
    const left = [];
    for (const [id, entry] of this.#alerts) {
      const ms = this.#leftMs(entry);
      if (ms > 0) left.push(ms);
      else {
        this.#alerts.delete(id);
        this.#onChange(entry.alert, "expired");
      }
    }
    if (this.#sample) {
      const ms = this.#sample.until - performance.now();
      if (ms > 0) left.push(ms); else this.#sample = null;
    }
    if (left.length) this.#expiry = setTimeout(() => this.#update(), Math.min(...left) + 1);
    this.#warn();
    this.#redraw();
  }

  #sorted() {
    return [...this.#alerts.values()].map(({ alert }) => alert).filter(({ alert_id: id }) => this.#known.get(id)?.dismissed === undefined)
      .sort((a, b) => RANK[a.severity] - RANK[b.severity] || b.first_captured_ms - a.first_captured_ms);
  }

  // Items are kept while their alert lasts, so that a screen reader says each warning once.
  #warn() {
    const alerts = this.#sorted();
    const shown = alerts.slice(0, this.#stage.clientHeight >= TALL_STAGE_PX ? 2 : 1);
    const items = new Map(shown.map((alert) => [alert.alert_id, this.#items.get(alert.alert_id) ?? warningItem()]));
    for (const alert of shown) fillWarning(items.get(alert.alert_id), alert, () => this.#dismiss(alert));
    this.#items = items;
    const wanted = [...items.values()];
    if (alerts.length > shown.length) wanted.push(moreItem(alerts.length - shown.length));
    if (wanted.length !== this.#list.children.length || wanted.some((item, at) => item !== this.#list.children[at])) {
      this.#list.replaceChildren(...wanted);
    }
    // A hidden tab shows nobody anything; what it holds is shown when the tab is.
    if (!document.hidden) shown.forEach((alert) => this.#tellShown(alert));
  }

  #tellShown(alert) {
    const known = this.#known.get(alert.alert_id);
    if (known.shown === alert.revision) return;
    known.shown = alert.revision;
    const now = this.#clock.now();
    this.#onChange(alert, "shown", now === null ? null : now - alert.captured_ms);
  }

  #redraw() {
    // A hidden tab draws nothing; what is then asked for is drawn when it is shown.
    if (!this.#drawing) this.#drawing = requestAnimationFrame(() => { this.#drawing = 0; this.#draw(); });
  }

  // Where the picture lies inside the stage, in canvas pixels: whole, centred, as `object-fit: contain` has it.
  #area(width, height) {
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
    const pen = new Pen(context, this.#area(width, height), scale);
    const read = this.#sample?.event.elements ?? [];
    for (const element of read) {
      pen.box(element.box, "#ffffffb0", 1.5);
      pen.caption(describe(element), element.box);
    }
    for (const alert of this.#sorted().reverse()) {
      const elements = alert.elements.map((element) => ({ ...element, box: this.#newestBox(element, alert) }));
      pen.link(elements.map((element) => element.box), alert.attribute);
      for (const element of elements) pen.box(element.box, COLOURS[alert.severity], 4, labelOf(element));
    }
  }

  // The wearer's head moves on after the alert: a later sample knows better where the element is.
  #newestBox(element, alert) {
    const { event } = this.#sample ?? {};
    if (!event || event.captured_ms <= alert.captured_ms) return element.box;
    const same = event.elements.filter((other) => other.text === element.text && kindOf(other) === kindOf(element));
    return same.length === 1 ? same[0].box : element.box;
  }
}

// What the element says about the thing on which they disagree, or what it is.
function labelOf(element) {
  const { claim } = element;
  if (!claim) return describe(element);
  return `${claim.subject || claim.attribute}${claim.polarity ? "" : " not"}: ${claim.value}`;
}

class Pen {
  #context; #area; #scale;

  constructor(context, area, scale) {
    this.#context = context; this.#area = area; this.#scale = scale;
    context.lineJoin = "round";
  }

  #place([x, y, w, h]) {
    const { x: left, y: top, w: width, h: height } = this.#area;
    return { x: left + x * width, y: top + y * height, w: w * width, h: h * height };
  }

  box(box, colour, thickness, label = "") {
    const { x, y, w, h } = this.#place(box);
    // A dark edge keeps the box visible on a picture of its own colour.
    for (const [style, extra] of [["#0c0f1480", 2], [colour, 0]]) {
      this.#context.strokeStyle = style;
      this.#context.lineWidth = (thickness + extra) * this.#scale;
      this.#context.strokeRect(x, y, w, h);
    }
    if (label) this.#label(label, x, y, h, colour);
  }

  #label(text, x, y, h, colour) {
    const context = this.#context;
    const size = Math.max(11 * this.#scale, this.#area.h / 40);
    context.font = `600 ${size}px system-ui, sans-serif`;
    const shown = this.#fitted(text, this.#area.w * 0.5);
    const wide = context.measureText(shown).width + size;
    const high = size * 1.6;
    const left = Math.max(this.#area.x, Math.min(x, this.#area.x + this.#area.w - wide));
    const top = y - high < this.#area.y ? y + h : y - high;
    context.fillStyle = colour;
    context.fillRect(left, top, wide, high);
    context.fillStyle = "#0c0f14";
    context.textBaseline = "middle";
    context.fillText(shown, left + size / 2, top + high / 2);
  }

  // What was made of an element, small and below it.
  caption(text, box) {
    const { x, y, h } = this.#place(box);
    const context = this.#context;
    const size = Math.max(9 * this.#scale, this.#area.h / 60);
    context.font = `${size}px system-ui, sans-serif`;
    const shown = this.#fitted(text, this.#area.w * 0.3);
    const wide = context.measureText(shown).width + size;
    const left = Math.max(this.#area.x, Math.min(x, this.#area.x + this.#area.w - wide));
    const top = Math.min(y + h + 2 * this.#scale, this.#area.y + this.#area.h - size * 1.4);
    context.fillStyle = "#0c0f14a0";
    context.fillRect(left, top, wide, size * 1.4);
    context.fillStyle = "#ffffff";
    context.textBaseline = "middle";
    context.fillText(shown, left + size / 2, top + size * 0.7);
  }

  #fitted(text, room) {
    let shown = text;
    while (shown.length > 2 && this.#context.measureText(shown).width > room) shown = `${shown.slice(0, Math.floor(shown.length * 0.8))}…`;
    return shown;
  }

  // A line between what contradicts each other, and on what.
  link(boxes, attribute) {
    if (boxes.length !== 2) return;
    const context = this.#context;
    const [from, to] = ends(...boxes.map((box) => this.#place(box)));
    context.save();
    context.setLineDash([8 * this.#scale, 7 * this.#scale]);
    for (const [style, thickness] of [["#0c0f1470", 4], ["#ffffffd0", 2]]) {
      context.strokeStyle = style;
      context.lineWidth = thickness * this.#scale;
      context.beginPath();
      context.moveTo(...from);
      context.lineTo(...to);
      context.stroke();
    }
    context.restore();
    const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    const size = Math.max(10 * this.#scale, this.#area.h / 48);
    context.font = `600 ${size}px system-ui, sans-serif`;
    const wide = context.measureText(attribute).width + size;
    context.fillStyle = "#0c0f14d0";
    context.fillRect(middle[0] - wide / 2, middle[1] - size * 0.8, wide, size * 1.6);
    context.fillStyle = "#ffffff";
    context.textBaseline = "middle";
    context.fillText(attribute, middle[0] - wide / 2 + size / 2, middle[1]);
  }
}

// Where the line between the middles of two boxes leaves the one and enters the other.
function ends(a, b) {
  const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2];
  const edge = (box, [tx, ty]) => {
    const [mx, my] = middle(box);
    const [dx, dy] = [tx - mx, ty - my];
    const share = Math.min(1, box.w / 2 / Math.abs(dx || 1e-9), box.h / 2 / Math.abs(dy || 1e-9));
    return [mx + dx * share, my + dy * share];
  };
  return [edge(a, middle(b)), edge(b, middle(a))];
}

function warningItem() {
  const li = document.createElement("li");
  const tag = document.createElement("span");
  tag.className = "tag";
  const details = document.createElement("small");
  details.setAttribute("aria-live", "off");
  const dismiss = Object.assign(document.createElement("button"), { type: "button", className: "dismiss", textContent: "Dismiss" });
  li.append(tag, document.createElement("span"), details, dismiss);
  return li;
}

function fillWarning(li, alert, onDismiss) {
  const [tag, message, details, dismiss] = li.children;
  dismiss.onclick = onDismiss;
  li.className = alert.severity;
  li.dataset.alertId = alert.alert_id;
  setText(tag, alert.severity);
  setText(message, alert.message);
  const second = opinionOf(alert);
  setText(details, `${alert.state} · ${(alert.confidence * 100).toFixed(0)} % sure · ${alert.age_ms.toFixed(0)} ms after capture${alert.late ? ", late" : ""}${second ? ` · ${second}` : ""}`);
}

function moreItem(count) {
  const li = document.createElement("li");
  li.className = "more";
  li.textContent = `and ${count} more in the list`;
  return li;
}

function setText(node, text) { if (node.textContent !== text) node.textContent = text; }

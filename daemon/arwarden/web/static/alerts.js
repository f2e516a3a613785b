// The list of alerts, newest first. All text is set as text, never as HTML: it comes out of somebody's picture.
import { pairOf } from "/static/elements.js";
import { opinionOf } from "/static/opinions.js";

const MOST = 50;
const OVER = new Set(["cleared", "retracted", "expired"]);

export class AlertList {
  #list; #empty; #known = new Map();

  constructor(list, empty) { this.#list = list; this.#empty = empty; }

  show(alert) {
    let entry = this.#known.get(alert.alert_id);
    if (entry && entry.alert.revision >= alert.revision) return;
    if (!entry) {
      // The first message is about the frame that raised it: its age is what the wearer waited.
      entry = { li: newItem(), first: alert };
      this.#known.set(alert.alert_id, entry);
      this.#list.prepend(entry.li);
    }
    entry.alert = alert;
    fill(entry, alert.state);
    this.#empty.hidden = true;
    while (this.#known.size > MOST) {
      const [oldest, { li }] = this.#known.entries().next().value;
      li.remove();
      this.#known.delete(oldest);
    }
  }

  // Alerts whose end was never told, since their session or daemon went away, end by the daemon's clock.
  expire(now) {
    if (now === null) return;
    for (const entry of this.#known.values()) {
      if (!OVER.has(entry.li.dataset.state) && entry.alert.expires_ms < now) fill(entry, "expired");
    }
  }
}

function newItem() {
  const li = document.createElement("li");
  const tag = Object.assign(document.createElement("span"), { className: "tag" });
  const pair = Object.assign(document.createElement("small"), { className: "pair" });
  const opinion = Object.assign(document.createElement("small"), { className: "opinion" });
  li.append(tag, document.createElement("span"), pair, document.createElement("small"), opinion);
  return li;
}

function fill({ li, alert, first }, state) {
  const [tag, message, pair, details, opinion] = li.children;
  li.className = `${alert.severity}${OVER.has(state) ? " over" : ""}`;
  li.dataset.alertId = alert.alert_id;
  li.dataset.state = state;
  tag.textContent = alert.severity;
  message.textContent = alert.message;
  pair.textContent = pairOf(alert);
  opinion.textContent = opinionOf(alert);
  details.textContent = [
    new Date(alert.first_captured_ms).toLocaleTimeString(),
    alert.device_id,
    alert.reason ? `${state} (${alert.reason.replaceAll("_", " ")})` : state,
    `${first.age_ms.toFixed(0)} ms after capture${first.late ? ", late" : ""}`,
    `${(alert.confidence * 100).toFixed(0)} % sure`,
  ].join(" · ");
}

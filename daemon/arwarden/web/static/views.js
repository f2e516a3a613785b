// The session table with its live latency, and the list of alerts. All text is set as text, never as HTML:
// it comes out of somebody's picture.
const HISTORY = 60;
const MAX_ALERTS = 50;

function row(cells) {
  const tr = document.createElement("tr");
  for (const cell of cells) {
    const td = document.createElement("td");
    if (cell instanceof Node) td.append(cell); else td.textContent = cell;
    tr.append(td);
  }
  return tr;
}

export class SessionTable {
  #body; #empty; #history = new Map();

  constructor(table, empty) { this.#body = table.tBodies[0]; this.#empty = empty; }

  sample(event) {
    const history = this.#history.get(event.session_id) ?? [];
    history.push(event.age_ms);
    if (history.length > HISTORY) history.shift();
    this.#history.set(event.session_id, history);
  }

  show(sessions) {
    this.#empty.hidden = sessions.length > 0;
    for (const id of this.#history.keys()) {
      if (!sessions.some((session) => session.session_id === id)) this.#history.delete(id);
    }
    this.#body.replaceChildren(...sessions.map((session) => this.#row(session)));
  }

  #row(session) {
    const latency = session.capture_to_publish_ms;
    const tr = row([
      session.device_id,
      [session.state, ...session.reasons].join(", "),
      session.view,
      session.width_px ? `${session.width_px}×${session.height_px}` : "–",
      `${session.received_fps.toFixed(1)} fps`,
      `${session.analysed_fps.toFixed(1)} fps`,
      session.capture_clock,
      latency ? `p50 ${latency.p50.toFixed(0)} ms, p95 ${latency.p95.toFixed(0)} ms` : "–",
      this.#sparkline(session.session_id),
    ]);
    if (session.state !== "ok") tr.cells[1].className = "bad";
    return tr;
  }

  #sparkline(id) {
    const canvas = document.createElement("canvas");
    canvas.width = 240; canvas.height = 48;
    const values = this.#history.get(id) ?? [];
    const top = Math.max(500, ...values);
    const context = canvas.getContext("2d");
    context.strokeStyle = "#2f7bd9";
    context.lineWidth = 3;
    context.beginPath();
    values.forEach((value, index) => context.lineTo((index / (HISTORY - 1)) * 240, 46 - (value / top) * 44));
    context.stroke();
    canvas.title = "age of the analysed frames, capture to judgement";
    return canvas;
  }
}

export class AlertList {
  #list; #empty; #items = new Map();

  constructor(list, empty) { this.#list = list; this.#empty = empty; }

  show(alert) {
    this.#empty.hidden = true;
    const li = document.createElement("li");
    const over = alert.state === "cleared" || alert.state === "retracted";
    li.className = `${alert.severity}${over ? " over" : ""}`;
    li.dataset.alertId = alert.alert_id;
    li.dataset.state = alert.state;
    const text = document.createElement("div");
    text.textContent = alert.message;
    const details = document.createElement("small");
    details.textContent = [
      new Date(alert.first_captured_ms).toLocaleTimeString(), alert.device_id, alert.state,
      `${alert.age_ms.toFixed(0)} ms after capture${alert.late ? ", late" : ""}`,
      `confidence ${(alert.confidence * 100).toFixed(0)} %`, alert.attribute,
    ].join(" · ");
    li.append(text, details);
    const earlier = this.#items.get(alert.alert_id);
    if (earlier) earlier.replaceWith(li); else this.#list.prepend(li);
    this.#items.set(alert.alert_id, li);
    while (this.#list.children.length > MAX_ALERTS) {
      this.#items.delete(this.#list.lastElementChild.dataset.alertId);
      this.#list.lastElementChild.remove();
    }
  }
}

// The table of sessions with their live latency. Rows are kept and changed in place, once a second.
import { askedFor } from "/static/opinions.js";

const HISTORY = 60;
const PLOT = { width: 240, height: 52, least_ms: 500 };
const LABELS = ["Device", "State", "Picture", "Received", "Analysed", "Clock", "Capture to alert", "Capture to judgement"];

export class SessionTable {
  #table; #body; #empty; #rows = new Map();

  constructor(table, empty) { this.#table = table; this.#body = table.tBodies[0]; this.#empty = empty; }

  // A frame was judged: its age goes into the session's plot.
  sample({ session_id: id, age_ms: age }) {
    const row = this.#rows.get(id);
    if (!row) return;
    row.ages.push(age);
    if (row.ages.length > HISTORY) row.ages.shift();
    plot(row);
  }

  // sessions: their health messages. own: the session of this page, which is marked.
  show(sessions, own) {
    const ids = new Set(sessions.map((session) => session.session_id));
    for (const [id, row] of this.#rows) {
      if (!ids.has(id)) { row.tr.remove(); this.#rows.delete(id); }
    }
    for (const session of sessions) {
      let row = this.#rows.get(session.session_id);
      if (!row) {
        row = newRow();
        row.tr.dataset.sessionId = session.session_id;
        this.#rows.set(session.session_id, row);
        this.#body.append(row.tr);
      }
      fill(row, session, own);
    }
    this.#table.hidden = sessions.length === 0;
    this.#empty.hidden = sessions.length > 0;
  }
}

function newRow() {
  const tr = document.createElement("tr");
  for (const label of LABELS) tr.insertCell().dataset.label = label;
  const holder = document.createElement("span");
  holder.className = "sparkline";
  const canvas = Object.assign(document.createElement("canvas"), { width: PLOT.width, height: PLOT.height });
  canvas.setAttribute("aria-hidden", "true");
  const newest = document.createElement("span");
  newest.textContent = "–";
  holder.append(canvas, newest);
  tr.lastElementChild.append(holder);
  return { tr, canvas, newest, ages: [] };
}

function fill({ tr }, session, own) {
  const latency = session.capture_to_publish_ms;
  const loss = session.loss_ratio > 0 ? `, ${(session.loss_ratio * 100).toFixed(1)} % lost` : "";
  const texts = [
    session.session_id === own ? `${session.device_id} (this page)` : session.device_id,
    [session.state, ...session.reasons.map((reason) => reason.replaceAll("_", " "))].join(": "),
    session.width_px ? `${session.width_px}×${session.height_px}, ${session.view}` : session.view,
    `${session.received_fps.toFixed(1)} /s${loss}`,
    [`${session.analysed_fps.toFixed(1)} /s`, askedFor(session)].filter(Boolean).join(", "),
    session.capture_clock === "synced" ? "synced" : "by arrival",
    latency ? `p50 ${latency.p50.toFixed(0)}, p95 ${latency.p95.toFixed(0)} ms` : "–",
  ];
  texts.forEach((text, at) => { if (tr.cells[at].textContent !== text) tr.cells[at].textContent = text; });
  tr.cells[1].dataset.state = session.state;
}

function plot({ canvas, newest, ages }) {
  const top = Math.max(PLOT.least_ms, ...ages);
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.strokeStyle = getComputedStyle(canvas).getPropertyValue("color");
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.beginPath();
  ages.forEach((age, at) => {
    context.lineTo(PLOT.width * (1 - (ages.length - 1 - at) / (HISTORY - 1)), PLOT.height - 3 - (age / top) * (PLOT.height - 6));
  });
  context.stroke();
  newest.textContent = `${ages.at(-1).toFixed(0)} ms`;
}

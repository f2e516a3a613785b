// The page: what the daemon sees, and this browser as a headset.
import { AlertList } from "/static/alerts.js";
import { DaemonClock } from "/static/clock.js";
import { watchEvents } from "/static/events.js";
import { BrowserHeadset } from "/static/headset.js";
import { Overlay } from "/static/overlay.js";
import { SessionTable } from "/static/sessions.js";
import { openCamera, openFile } from "/static/source.js";

const element = (id) => document.getElementById(id);
const TOKEN_KEY = "arwarden.viewer-token";
const BADGES = { opening: "opening", live: "live", still: "no picture", lost: "connecting again" };
const TONES = { failed: "bad", lost: "care", still: "care" };

const clock = new DaemonClock();
const sessions = new SessionTable(element("sessions"), element("no-sessions"));
const alerts = new AlertList(element("alerts"), element("no-alerts"));
const headset = new BrowserHeadset({
  video: element("picture"),
  clock,
  onState: showHeadset,
  onFacts: (text) => { element("headset-facts").textContent = text; },
});
const overlay = new Overlay({
  stage: element("stage"), video: element("picture"), canvas: element("overlay"), list: element("warnings"), headset, clock,
});

// The live view -----------------------------------------------------------------------------------

let run = null;
const handlers = {
  sessions: ({ sessions: list, daemon }) => {
    if (daemon.epoch !== run) {
      run = daemon.epoch;
      clock.forget();
      headset.daemonIs(run);
    }
    clock.stamped(daemon.now_ms);
    sessions.show(list, headset.sessionId);
    setText(element("no-sessions"), "Nobody is streaming.");
    const reached = daemon.mqtt === "connected";
    const broker = reached ? "broker connected" : `broker ${daemon.mqtt}: no alert reaches a headset`;
    setText(element("daemon-facts"), `${broker} · event loop lag ${daemon.loop_lag_p95_ms.toFixed(0)} ms · version ${daemon.version}`);
    element("daemon-facts").className = reached ? "" : "care";
  },
  sample: (event) => { sessions.sample(event); overlay.sample(event); },
  alert: (event) => { alerts.show(event.alert); overlay.alert(event.alert); },
};

let view = "wait";
function showDaemon(state, text) {
  view = state;
  element("daemon-state").dataset.state = state;
  setText(element("daemon-state"), text);
  if (state === "live") return;
  element("daemon-facts").textContent = "";
  sessions.show([], null);
  setText(element("no-sessions"), "Not known without the live view.");
  if (state === "refused") element("access").open = true;
}

let watching = null;
function watch() {
  watching?.abort();
  watching = new AbortController();
  watchEvents({
    token: sessionStorage.getItem(TOKEN_KEY) ?? "",
    signal: watching.signal,
    onEvent: (event) => handlers[event.type]?.(event),
    onState: showDaemon,
  });
}

element("access-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN_KEY, element("viewer-token").value.trim());
  element("access").open = false;
  watch();
});
setInterval(() => alerts.expire(clock.now()), 1000);

// The headset -------------------------------------------------------------------------------------

function showHeadset(mode, text) {
  const busy = mode !== "idle" && mode !== "failed";
  element("stage").dataset.mode = busy ? mode : "idle";
  element("badge").hidden = !busy;
  setText(element("badge"), BADGES[mode] ?? "");
  // Without the live view nothing comes back: a picture without warnings must not look like a good one.
  setText(element("headset-state"), mode === "live" && view === "refused" ? `${text} Its alerts cannot be shown here without the viewer token.` : text);
  element("headset-state").className = TONES[mode] ?? (mode === "live" && view !== "live" ? "care" : "");
  element("stop").hidden = !busy;
  element("settings").hidden = busy;
  if (mode !== "live" && mode !== "still") overlay.clear();
}

function stream(openSource) {
  if (!element("device").reportValidity()) return;
  headset.start(openSource, {
    device: element("device").value,
    token: element("device-token").value.trim(),
    view: element("view").value,
  });
}

element("use-camera").addEventListener("click", () => stream(openCamera));
element("file").addEventListener("change", ({ target }) => {
  const [file] = target.files;
  target.value = "";
  if (file) stream((video) => openFile(video, file));
});
element("stop").addEventListener("click", () => headset.stop());
window.addEventListener("pagehide", () => headset.leave());
// A page that comes back from the browser's memory has lost its connections.
window.addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });

function setText(node, text) { if (node.textContent !== text) node.textContent = text; }

watch();

// The page: what the daemon sees, and this browser as a headset.
import { AlertList } from "/static/alerts.js";
import { DaemonClock } from "/static/clock.js";
import { CorrectionList } from "/static/corrections.js";
import { watchEvents } from "/static/events.js";
import { BrowserHeadset } from "/static/headset.js";
import { HeadsetLink } from "/static/link.js";
import { canStream, canUseCamera, isQuest, isThisMachine, whatIsMissing } from "/static/missing.js";
import { Overlay } from "/static/overlay.js";
import { SessionTable } from "/static/sessions.js";
import { cameras, openCamera, openFile } from "/static/source.js";

const element = (id) => document.getElementById(id);
const TOKEN_KEY = "arwarden.viewer-token";
const BADGES = { opening: "opening", live: "live", still: "no picture", lost: "connecting again" };
const TONES = { failed: "bad", lost: "care", still: "care" };

const clock = new DaemonClock();
const sessions = new SessionTable(element("sessions"), element("no-sessions"));
const alerts = new AlertList(element("alerts"), element("no-alerts"));
const corrections = new CorrectionList(element("corrections-part"), element("corrections"));
const headset = new BrowserHeadset({
  video: element("picture"),
  clock,
  onState: showHeadset,
  onFacts: (text) => { element("headset-facts").textContent = text; },
});
const overlay = new Overlay({
  stage: element("stage"), video: element("picture"), canvas: element("overlay"), list: element("warnings"), headset, clock,
  onChange: (alert, action, ms) => {
    link.acknowledge(alert, action);
    if (action === "shown" && typeof ms === "number") lastShown = `last warning shown ${ms.toFixed(0)} ms after capture`;
    showLink();
  },
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
  adjustment: (event) => corrections.show(event),
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

let lastShown = "";
let monitor = "";
let linkSays = { name: "off", text: "" };
const link = new HeadsetLink({
  alert: (alert) => {
    link.acknowledge(alert, "received");
    alerts.show(alert);
    overlay.alert(alert);
  },
  health: ({ session_id: id, state, reasons }) => {
    if (id !== headset.sessionId) return;
    monitor = ["monitor", [state, ...reasons.map((reason) => reason.replaceAll("_", " "))].join(": ")].join(" ");
    showLink();
  },
  daemon: ({ state }) => {
    if (state !== "online") monitor = `monitor off: the daemon is ${state}`;
    showLink();
  },
  state: (name, text) => {
    linkSays = { name, text };
    // Warnings come without the live view: its token may wait, and must not cover them.
    if (name === "live") element("access").open = false;
    // Without the live view this is how a page learns that the daemon is back.
    if (name === "live") headset.hurry();
    if (name !== "live") monitor = "";
    if (name === "off") lastShown = "";
    showLink();
  },
});

function showLink() {
  setText(element("link-facts"), [linkSays.text, monitor, lastShown].filter(Boolean).join(" · "));
  element("link-facts").dataset.state = linkSays.name;
}

let shownMode = "idle";
function showHeadset(mode, text) {
  if (mode === "live" && shownMode === "opening") listCameras();
  if (mode === "live" && shownMode === "lost") link.hurry();
  shownMode = mode;
  if (mode === "idle" || mode === "failed") link.stop();
  const busy = mode !== "idle" && mode !== "failed";
  element("stage").dataset.mode = busy ? mode : "idle";
  element("badge").hidden = !busy;
  setText(element("badge"), BADGES[mode] ?? "");
  // Without the live view nothing comes back: a picture without warnings must not look like a good one.
  setText(element("headset-state"), mode === "live" && view === "refused" && !link.live ? `${text} Its alerts cannot be shown here without the viewer token.` : text);
  element("headset-state").className = TONES[mode] ?? (mode === "live" && view !== "live" && !link.live ? "care" : "");
  element("stop").hidden = !busy;
  element("settings").hidden = busy;
  if (mode !== "live" && mode !== "still") overlay.clear();
}

function stream(openSource) {
  if (!element("device").reportValidity()) return;
  const settings = { device: element("device").value, token: element("device-token").value.trim(), view: element("view").value };
  headset.start(openSource, settings);
  link.start(settings);
}

// Names and number of the cameras are told only after one was allowed.
async function listCameras() {
  const found = await cameras();
  const list = element("camera");
  const chosen = list.value;
  list.replaceChildren(new Option("the one that looks outwards", ""), ...found.map(({ deviceId, label }, at) => new Option(label || `camera ${at + 1}`, deviceId)));
  list.value = found.some(({ deviceId }) => deviceId === chosen) ? chosen : "";
  element("camera-choice").hidden = found.length < 2;
}

async function showWhatIsMissing() {
  const missing = await whatIsMissing();
  if (isQuest()) missing.push("A headset's own camera shows the room without what its apps draw. It shows that stream, latency and alerts work; what a Unity app draws is judged with the Unity package.");
  element("missing").replaceChildren(...missing.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  element("use-camera").disabled = !canUseCamera();
  element("file").disabled = !canStream();
}

element("use-camera").addEventListener("click", () => stream((video) => openCamera(video, element("camera").value)));
navigator.mediaDevices?.addEventListener?.("devicechange", listCameras);
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

if (isQuest()) element("view").value = "passthrough";
// The daemon lets its own machine in without a token, unless it is configured not to.
if (isThisMachine()) element("device-token").placeholder = "none, unless configured";
showWhatIsMissing();
listCameras();
watch();

// The page: what the daemon sees, and this browser as a headset.
import { watchEvents } from "/static/events.js";
import { AlertList, SessionTable } from "/static/views.js";
import { BrowserHeadset } from "/static/headset.js";
import { Overlay } from "/static/overlay.js";

const element = (id) => document.getElementById(id);
const TOKEN_KEY = "arwarden.viewer-token";

const sessions = new SessionTable(element("sessions"), element("no-sessions"));
const alerts = new AlertList(element("alerts"), element("no-alerts"));
const headset = new BrowserHeadset(element("picture"), (text) => { element("headset-state").textContent = text; });
const overlay = new Overlay(element("stage"), element("picture"), element("overlay"), element("warnings"), headset);

const handlers = {
  sessions: (event) => {
    sessions.show(event.sessions);
    element("daemon-state").textContent =
      `broker ${event.daemon.mqtt} · event loop lag ${event.daemon.loop_lag_p95_ms.toFixed(0)} ms · version ${event.daemon.version}`;
  },
  sample: (event) => { sessions.sample(event); overlay.sample(event); },
  alert: (event) => { alerts.show(event.alert); overlay.alert(event.alert); },
};

let watching = null;
function watch() {
  watching?.abort();
  watching = new AbortController();
  watchEvents({
    token: sessionStorage.getItem(TOKEN_KEY) ?? "",
    signal: watching.signal,
    onEvent: (event) => handlers[event.type]?.(event),
    onState: (text) => { element("daemon-state").textContent = text; },
    onRefused: () => { element("access").open = true; },
  });
}

element("save-token").addEventListener("click", () => {
  sessionStorage.setItem(TOKEN_KEY, element("viewer-token").value);
  watch();
});

async function stream(open) {
  const controls = [element("use-camera"), element("file")];
  controls.forEach((control) => { control.disabled = true; });
  try {
    await headset.start(open, {
      device: element("device").value,
      token: element("device-token").value,
      view: element("view").value,
    });
    element("stage").classList.add("live");
    element("stop").disabled = false;
  } catch (error) {
    element("headset-state").textContent = error.message;
    await headset.stop(error.message);
    controls.forEach((control) => { control.disabled = false; });
  }
}

element("use-camera").addEventListener("click", () => stream(() => headset.openCamera()));
element("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  if (file) stream(() => headset.openFile(file));
});
element("stop").addEventListener("click", async () => {
  await headset.stop("not streaming");
  overlay.clear();
  element("stage").classList.remove("live");
  element("stop").disabled = true;
  element("file").value = "";
  [element("use-camera"), element("file")].forEach((control) => { control.disabled = false; });
});
window.addEventListener("pagehide", () => headset.leave());

watch();

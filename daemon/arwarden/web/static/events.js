// Server-sent events read with fetch, because EventSource cannot send a token.
import { pause } from "/static/wait.js";

const RETRY_MS = 1500;
// The daemon sends an overview every second.
const SILENCE_MS = 8000;

// Reads until the signal aborts or the daemon refuses. onState gets "live", "away" or "refused" and a text.
export async function watchEvents({ token, signal, onEvent, onState }) {
  while (!signal.aborted) {
    try {
      if (await watchOnce(token, signal, onEvent, onState)) return;
      if (!signal.aborted) onState("away", "The daemon ended the live view; trying again …");
    } catch (error) {
      if (signal.aborted) return;
      onState("away", `No connection to the daemon (${error.message}); trying again …`);
    }
    await pause(RETRY_MS, signal);
  }
}

// One connection from its opening to its end; true where asking again would change nothing.
async function watchOnce(token, signal, onEvent, onState) {
  const attempt = new AbortController();
  const giveUp = () => attempt.abort();
  signal.addEventListener("abort", giveUp, { once: true });
  let timer = 0;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => attempt.abort(new Error(`nothing heard for ${SILENCE_MS / 1000} s`)), SILENCE_MS);
  };
  try {
    heard();
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const response = await fetch("/events", { headers, signal: attempt.signal, cache: "no-store" });
    if (response.status === 401 || response.status === 403) {
      onState("refused", token
        ? "That is not the viewer token: compare it with server.viewer_token."
        : "The live view needs the viewer token (server.viewer_token): enter it under Access.");
      return true;
    }
    if (!response.ok) throw new Error(await reasonOf(response));
    onState("live", "live");
    await readEvents(response.body, heard, onEvent);
    return false;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}

// What a refusal's problem document (RFC 9457) says.
export async function reasonOf(response) {
  const problem = await response.json().catch(() => ({}));
  return problem.detail ?? problem.title ?? `the daemon answered ${response.status}`;
}

async function readEvents(body, heard, onEvent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
    pending += value;
    const blocks = pending.split("\n\n");
    pending = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("");
      if (data) onEvent(JSON.parse(data));
    }
  }
}

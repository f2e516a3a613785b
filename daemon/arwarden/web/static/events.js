// Server-sent events read with fetch, because EventSource cannot send a token.
const RETRY_MS = 1500;
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

export async function watchEvents({ token, signal, onEvent, onState, onRefused }) {
  while (!signal.aborted) {
    try {
      const headers = token ? { Authorization: `Bearer ${token}` } : {};
      const response = await fetch("/events", { headers, signal, cache: "no-store" });
      if (response.status === 401 || response.status === 403) {
        onState("The live view needs the viewer token (server.viewer_token): see Access.");
        onRefused();
        return;
      }
      if (!response.ok) throw new Error(`the daemon answered ${response.status}`);
      await readEvents(response.body, onEvent);
    } catch (error) {
      if (signal.aborted) return;
      onState(`no connection to the daemon (${error.message}); trying again`);
    }
    await pause(RETRY_MS);
  }
}

async function readEvents(body, onEvent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    pending += value;
    const blocks = pending.split("\n\n");
    pending = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("");
      if (data) onEvent(JSON.parse(data));
    }
  }
}

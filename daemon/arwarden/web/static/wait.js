// Waiting that ends early when its signal aborts; it never throws.

export function pause(ms, signal) {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

export function aborted(signal) {
  return new Promise((done) => {
    if (signal.aborted) done(null);
    signal.addEventListener("abort", () => done(null), { once: true });
  });
}

// What this browser or this page lacks to be a headset, in words; nothing where all is there.

export async function whatIsMissing() {
  const missing = [];
  if (!window.RTCPeerConnection) missing.push("This browser has no WebRTC (or it is switched off), so it cannot stream. Chrome, Edge, Firefox, Safari and the browser of a Quest can.");
  if (!window.isSecureContext) missing.push("This page came over plain HTTP, and browsers give such a page no camera. Open it over HTTPS (start the daemon with --tls auto), or on the daemon's machine as localhost. A video file works all the same.");
  else if (!navigator.mediaDevices?.getUserMedia) missing.push("This browser gives pages no camera. A video file works all the same.");
  else if (await cameraState() === "denied") missing.push("The camera is blocked for this page: allow it in the browser's settings for this site, then reload. On a Quest also allow the browser the headset cameras (Settings, Privacy).");
  return missing;
}

export const canStream = () => Boolean(window.RTCPeerConnection);
export const canUseCamera = () => canStream() && Boolean(navigator.mediaDevices?.getUserMedia);
// Its cameras show the room, never what apps draw into the view.
export const isQuest = () => /OculusBrowser|Quest/.test(navigator.userAgent);

export const isThisMachine = () => /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname);

// granted, denied, prompt, or unknown: not every browser tells.
async function cameraState() {
  try {
    return (await navigator.permissions.query({ name: "camera" })).state;
  } catch {
    return "unknown";
  }
}

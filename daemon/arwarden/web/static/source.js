// Where the picture comes from: the camera or a video file, played in the page's video element.

// The cameras of this machine; their names are empty until one was allowed.
export async function cameras() {
  try {
    return (await navigator.mediaDevices.enumerateDevices()).filter(({ kind, deviceId }) => kind === "videoinput" && deviceId);
  } catch {
    return []; // no secure page, or a browser that tells nobody
  }
}

// deviceId: one of `cameras()`, or empty for the one that looks outwards; a headset's is the passthrough camera.
export async function openCamera(video, deviceId = "") {
  if (!navigator.mediaDevices) throw new Error("The camera needs a secure page: open it over HTTPS, or on this machine as localhost.");
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 }, ...(deviceId ? { deviceId: { exact: deviceId } } : { facingMode: "environment" }) },
    });
  } catch (error) {
    throw new Error(cameraFault(error));
  }
  video.srcObject = stream;
  await video.play();
  return new Source(video, stream, "The camera stopped.");
}

function cameraFault(error) {
  switch (error.name) {
    case "NotAllowedError": return "The camera was not allowed: allow it for this page in the browser and try again.";
    case "NotFoundError": return "This machine has no camera, or the browser may use none.";
    case "OverconstrainedError": return "The chosen camera is no longer there: choose another.";
    case "NotReadableError": return "The camera cannot be opened: another program may be using it.";
    default: return `The camera cannot be opened: ${error.message}`;
  }
}

export async function openFile(video, file) {
  const capture = video.captureStream ?? video.mozCaptureStream;
  if (!capture) throw new Error("This browser cannot stream a video file; Chrome, Edge and Firefox can.");
  const url = URL.createObjectURL(file);
  try {
    video.srcObject = null;
    video.src = url;
    video.loop = true;
    await new Promise((done, failed) => {
      video.onloadeddata = done;
      video.onerror = () => failed(new Error(`This browser cannot play ${file.name}.`));
    });
    if (!video.videoWidth) throw new Error(`There is no picture in ${file.name}.`);
    await video.play();
  } catch (error) {
    unload(video);
    URL.revokeObjectURL(url);
    throw error;
  }
  const stream = capture.call(video);
  stream.getAudioTracks().forEach((track) => { track.stop(); stream.removeTrack(track); });
  return new Source(video, stream, "The video ended.", url);
}

class Source {
  #video; #url; #resume;

  constructor(video, stream, endText, url = null) {
    this.#video = video;
    this.stream = stream;
    this.#url = url;
    [this.track] = stream.getVideoTracks();
    // Text is what the daemon reads: rather fewer frames than blurred letters.
    this.track.contentHint = "detail";
    this.ended = new Promise((done) => { this.track.onended = () => done(endText); });
    // Browsers pause a video in a hidden tab, and not all go on by themselves.
    this.#resume = () => { if (!document.hidden && video.paused) video.play().catch(() => {}); };
    document.addEventListener("visibilitychange", this.#resume);
  }

  // Whether hiding the tab can stop the picture: a camera goes on.
  get pausesWhenHidden() { return this.#url !== null; }

  // How many pictures the video has shown, or null for a camera: the stream of a video that has stopped goes on
  // with its last picture, so it has to be asked itself.
  get pictures() { return this.#url === null ? null : this.#video.getVideoPlaybackQuality().totalVideoFrames; }

  close() {
    document.removeEventListener("visibilitychange", this.#resume);
    this.track.onended = null;
    this.stream.getTracks().forEach((track) => track.stop());
    unload(this.#video);
    if (this.#url) URL.revokeObjectURL(this.#url);
  }
}

function unload(video) {
  video.onloadeddata = video.onerror = null;
  video.pause();
  video.srcObject = null;
  video.removeAttribute("src");
  video.load();
}

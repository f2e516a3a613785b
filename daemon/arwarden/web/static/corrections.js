// The app's own objects that are judged and corrected, newest first: one entry an object, telling its latest story.
// All text is set as text, never as HTML: names are an app's, and an app is somebody else.
const MOST = 20;
const MOST_STEPS = 8;
const LEAST_M = 0.005;
const LEAST_FACTOR = 0.005;
const ANSWERS = { applied: "applied", clamped: "applied as far as the headset allows", refused: "refused by the headset", expired: "came too late" };
const EFFECTS = { improved: "better", unchanged: "no difference", worse: "worse" };
const ENDS = {
  good: "well", improved: "better than before", worse: "taken back", no_better: "taken back", no_wish: "nothing to correct",
  at_limit: "at its limit", rated_only: "only rated", held: "left alone: held by the user", moved: "left alone: moved meanwhile",
  outdated: "answer outdated", late: "answer too late", unanswered: "the headset did not answer", expired: "came too late",
  refused: "refused", unverified: "corrected, not judged again", failed: "the judge gave no answer",
};

export class CorrectionList {
  #section; #list; #known = new Map();

  constructor(section, list) { this.#section = section; this.#list = list; }

  show(event) {
    const key = JSON.stringify([event.device_id, event.object_id]);
    let entry = this.#known.get(key);
    if (!entry || entry.over) {
      // A new story goes to the top; while it is told it stays where it is.
      entry?.li.remove();
      this.#known.delete(key);
      entry = { li: newItem(), steps: [], over: false };
      this.#known.set(key, entry);
      this.#list.prepend(entry.li);
    }
    tell(entry, event);
    this.#section.hidden = false;
    if (this.#known.size > MOST) {
      const [oldest, { li }] = this.#known.entries().next().value;
      li.remove();
      this.#known.delete(oldest);
    }
  }
}

function tell(entry, event) {
  const { li, steps } = entry;
  const text = stepOf(event);
  if (text && steps.at(-1) !== text) steps.push(text);
  if (steps.length > MOST_STEPS) steps.splice(0, 2, "…");
  entry.over = event.what === "ended";
  const [tag, name, told, details] = li.children;
  li.classList.toggle("over", entry.over);
  li.dataset.objectId = event.object_id;
  tag.textContent = entry.over ? (ENDS[event.detail] ?? event.detail) : "at work";
  name.textContent = event.object_id;
  told.textContent = steps.join(" → ");
  details.textContent = [new Date().toLocaleTimeString(), event.device_id].join(" · ");
}

// One event in words; empty where the tag says it.
function stepOf({ what, detail, factor, rating, move_m: move, scale }) {
  if (what === "rated") return `${factor} rated ${rating} of 5`;
  if (what === "sent") return detail === "revert" ? "asked to put it back" : `asked for ${changeOf(move, scale)}`;
  if (what === "acknowledged") return ANSWERS[detail] ?? "";
  if (what === "effect") return EFFECTS[detail] ?? detail;
  return "";
}

// The whole correction against where the app placed the object, in the wearer's words.
function changeOf([right, up], scale) {
  const parts = [];
  if (Math.abs(right) >= LEAST_M) parts.push(`${Math.abs(right).toFixed(2)} m to the ${right > 0 ? "right" : "left"}`);
  if (Math.abs(up) >= LEAST_M) parts.push(`${Math.abs(up).toFixed(2)} m ${up > 0 ? "up" : "down"}`);
  if (Math.abs(scale - 1) >= LEAST_FACTOR) parts.push(`${scale.toFixed(2)} times the size`);
  return parts.join(", ") || "its place and size as before";
}

function newItem() {
  const li = document.createElement("li");
  const tag = Object.assign(document.createElement("span"), { className: "tag" });
  li.append(tag, document.createElement("span"), document.createElement("small"), document.createElement("small"));
  return li;
}

// Elements in words: type, picture, direction and text.
const WAYS = ["→", "↗", "↑", "↖", "←", "↙", "↓", "↘"];

// What an element shows besides its words: "arrow ←", "flag FR", "sign lock"; a plain panel is only that.
export function kindOf({ type, label, direction_deg }) {
  const shown = label ? label.replace(/^.*:/, "").replaceAll("_", " ") : "";
  const way = typeof direction_deg === "number" ? WAYS[Math.round((((direction_deg % 360) + 360) % 360) / 45) % 8] : "";
  return [type, shown, way].filter(Boolean).join(" ");
}

export function describe(element) {
  return element.text ? `${kindOf(element)} “${element.text}”` : kindOf(element);
}

// The two that disagree, and on what; empty for an alert that is not about two elements.
export function pairOf({ elements, attribute }) {
  return elements.length === 2 ? `${describe(elements[0])} ↔ ${describe(elements[1])}, on ${attribute}` : "";
}

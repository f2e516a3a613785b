// What a second opinion has to do with an alert, in words; empty where nobody was asked.
const VERDICTS = {
  pending: () => "second opinion asked for",
  confirmed: (judge) => `${judge.name} confirms`,
  rejected: (judge) => `${judge.name} disagrees`,
  unverified: (judge) => `no second opinion${judge?.problem ? `: ${judge.problem.replaceAll("_", " ")}` : ""}`,
};

export function opinionOf({ confirmation, judge }) {
  const verdict = VERDICTS[confirmation]?.(judge);
  if (!verdict) return "";
  return judge?.reason ? `${verdict}: ${judge.reason}` : verdict;
}

// What was asked for a session so far; empty where no judge is configured.
export function askedFor({ second_opinion: asked }) {
  if (!asked) return "";
  const cost = asked.cost > 0 ? `, cost ${asked.cost.toFixed(3)}` : "";
  const held = asked.held_back ? `, held back by ${asked.held_back.replaceAll("_", " ")}` : "";
  return `${asked.asked} second opinions${cost}${held}`;
}

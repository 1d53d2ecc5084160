// The model: what a run that was cut off may differ in from one that was not. It may have tried again what had not ended;
// everything else must be as if nothing had happened.
import { breakersAgree, isUnderBreaker } from "./checks/breakers.mjs";
import { escalationsAgree, isEscalation } from "./checks/escalations.mjs";
import { lettersAgree } from "./checks/letters.mjs";
import { policiesHeld } from "./checks/policies.mjs";

/** What is wrong with a disturbed run; empty when nothing is. `torn`: writes were lost, so what they told ran again. */
export function compare(reference, disturbed, { torn = false, kills = 0, uses = {} } = {}) {
  const wrong = [];
  differences("result", reference.result, disturbed.result, wrong);
  // Lines about what a torn write lost stay: it did happen.
  if (disturbed.errorLines && !torn) differences("errors.jsonl", reference.errorLines, disturbed.errorLines, wrong);
  for (const key of keysOf(reference.ends, disturbed.ends)) {
    const expected = reference.ends[key] ?? [];
    const found = disturbed.ends[key] ?? [];
    if (expected.join() !== found.join())
      wrong.push(`${key} ended as ${list(found)}, and should have as ${list(expected)}`);
  }
  for (const mark of keysOf(reference.marks, disturbed.marks)) {
    // These have checks of their own.
    if (isEscalation(mark) || isUnderBreaker(mark)) continue;
    const expected = reference.marks[mark] ?? 0;
    const found = disturbed.marks[mark] ?? 0;
    if (expected === 0) wrong.push(`${mark} ran, and should not have`);
    else if (found === 0) wrong.push(`${mark} never ran`);
    else if (!torn && found > expected && found > mostOf(disturbed.events, mark, expected))
      wrong.push(`${mark} ran ${found} times, which is more often than it was begun`);
  }
  wrong.push(...inOrder(disturbed.events), ...endedOnce(disturbed.events), ...policiesHeld(disturbed.events, uses));
  wrong.push(...lettersAgree(reference, disturbed, { torn, drives: kills + 1 }));
  // What was told of in writes that were lost is told of again.
  if (!torn)
    wrong.push(
      ...escalationsAgree(reference, disturbed, kills),
      ...breakersAgree(reference, disturbed, { ...uses, kills }),
    );
  return wrong;
}

const list = (ends) => (ends.length === 0 ? "nothing" : ends.map((end) => end.replace("agent_", "")).join(", "));
const keysOf = (a, b) => new Set([...Object.keys(a), ...Object.keys(b)]);

/** How often a mark may be left: at each start of its visit. A hook has no visit; one that was cut off runs once more. */
function mostOf(events, mark, expected) {
  if (mark.startsWith("hook.")) return expected + events.filter(({ type }) => type === "run_resumed").length;
  const key = mark.replace(/:\d+$/, "");
  return events.filter(({ type, data }) => type === "agent_started" && data.key === key).length;
}

/** `events.jsonl` is a copy of the journal: no gap, no step back. Text that was held back shares the number of its end. */
function inOrder(events) {
  let last = 0;
  for (const [index, { seq }] of events.entries()) {
    if (seq !== last + 1 && seq !== last) return [`events.jsonl has number ${seq} after ${last} in line ${index + 1}`];
    last = seq;
  }
  return [];
}

/** An attempt whose end was written is not begun again: between two ends of a visit there is a start. */
function endedOnce(events) {
  const wrong = [];
  const open = new Map();
  for (const { type, data } of events) {
    if (type === "agent_started") open.set(data.key, true);
    if (type !== "agent_completed" && type !== "agent_failed") continue;
    if (!open.get(data.key)) wrong.push(`${data.key} ended without having begun`);
    open.set(data.key, false);
  }
  return wrong;
}

function differences(path, expected, found, wrong) {
  if (typeof expected !== "object" || expected === null || typeof found !== "object" || found === null) {
    if (JSON.stringify(expected) !== JSON.stringify(found))
      wrong.push(`${path} is ${JSON.stringify(found)}, and should be ${JSON.stringify(expected)}`);
    return;
  }
  for (const key of keysOf(expected, found)) differences(`${path}.${key}`, expected[key], found[key], wrong);
}

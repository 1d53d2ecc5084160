// Escalations: each error that asks for it is told once for good, and told again only when a kill left open whether it was.

const PREFIX = "escalate.";
/** Items that are worked on at a time, at most. */
const WIDEST = 3;
export const isEscalation = (mark) => mark.startsWith(PREFIX);

export function escalationsAgree(reference, disturbed, kills) {
  const wrong = [];
  compare(toldIn(reference.events), toldIn(disturbed.events), (node, least, times) => {
    if (times !== least) wrong.push(`${node} was escalated ${times} times, and should have been ${least} times`);
  });
  compare(marksOf(reference), marksOf(disturbed), (mark, least, times) => {
    if (times < least || times > least + WIDEST * kills || least === 0)
      wrong.push(`${mark} was told ${times} times with ${kills} kills, and ${least} times without`);
  });
  return wrong;
}

function compare(expected, found, look) {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)]))
    look(key, expected[key] ?? 0, found[key] ?? 0);
}

function toldIn(events) {
  const by = {};
  for (const { type, data } of events) if (type === "error_escalated") by[data.key] = (by[data.key] ?? 0) + 1;
  return by;
}

const marksOf = ({ marks }) => Object.fromEntries(Object.entries(marks).filter(([mark]) => isEscalation(mark)));

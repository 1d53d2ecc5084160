// Breakers: how each stands in the end, that its changes follow one another, and that nobody calls while it is open.

/** Calls of these steps stand under a breaker that opens: how many are made is a matter of kills. */
export const isUnderBreaker = (key) => /_down\b/.test(key);

const NEXT = {
  circuit_opened: ["circuit_half_opened"],
  circuit_half_opened: ["circuit_opened", "circuit_closed"],
  circuit_closed: ["circuit_opened"],
};

export function breakersAgree(reference, disturbed, { breaker, kills, wasReset }) {
  if (!breaker) return [];
  const wrong = [...inTurn(disturbed.events), ...nobodyCalls(disturbed.events, breaker, wasReset)];
  const stand = (breakers) => Object.fromEntries(breakers.map((one) => [one.name, one]));
  const [expected, found] = [stand(reference.breakers), stand(disturbed.breakers)];
  for (const name of new Set([...Object.keys(expected), ...Object.keys(found)]))
    if (expected[name]?.status !== found[name]?.status)
      wrong.push(`${name} is ${found[name]?.status}, and should be ${expected[name]?.status}`);
  for (const { name, status, failures, probes } of disturbed.breakers) {
    if (status === "open" && failures < breaker.failure_threshold)
      wrong.push(`${name} opened after ${failures} failures`);
    if (probes > 0) wrong.push(`${name} waits for ${probes} probes, and nothing runs any more`);
  }
  if (breaker.recovery_timeout > 60) wrong.push(...callsBounded(reference, disturbed, breaker, kills));
  return wrong;
}

/** What one process tells of a breaker follows from what it told before; another one's news may have died with it. */
function inTurn(events) {
  const wrong = [];
  let last = new Map();
  for (const { type, data } of events) {
    if (type === "run_resumed") last = new Map();
    if (!(type in NEXT)) continue;
    const before = last.get(data.breaker);
    if (before && !NEXT[before].includes(type)) wrong.push(`${data.breaker}: ${type} after ${before}`);
    last.set(data.breaker, type);
  }
  return wrong;
}

function nobodyCalls(events, { recovery_timeout }, wasReset) {
  const wrong = [];
  const open = new Set();
  for (const { type, path, data } of events) {
    // By the next drive it may have recovered, and the news of that may be lost; or somebody closed it by hand.
    if (type === "run_resumed" && (recovery_timeout < 60 || wasReset)) open.clear();
    if (type === "circuit_opened") open.add(data.breaker);
    if (type === "circuit_half_opened" || type === "circuit_closed") open.delete(data.breaker);
    if (type === "script_started" && path.length === 0 && open.has(`step:main/${data.agent_name}`))
      wrong.push(`${data.agent_name} was called while its breaker was open`);
  }
  return wrong;
}

/** As many calls as it takes to open it; and for each kill those that were not recorded once more. */
function callsBounded(reference, disturbed, { failure_threshold }, kills) {
  const wrong = [];
  const calls = (marks) => {
    const by = {};
    for (const [mark, times] of Object.entries(marks)) {
      const step = /\.(\w+_down):/.exec(mark)?.[1];
      if (step) by[step] = (by[step] ?? 0) + times;
    }
    return by;
  };
  const [expected, found] = [calls(reference.marks), calls(disturbed.marks)];
  for (const [step, times] of Object.entries(expected)) {
    const made = found[step] ?? 0;
    if (made < failure_threshold)
      wrong.push(`${step} was called ${made} times, and its breaker opens after ${failure_threshold}`);
    // Two at a time at most.
    if (made > times + 1 + 2 * kills)
      wrong.push(`${step} was called ${made} times with ${kills} kills, and ${times} without`);
  }
  return wrong;
}

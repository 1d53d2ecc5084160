// What a run came to, in a form that two runs of one seed must share: the result without times and attempts, the
// attempts that ended, and the marks that scripts left.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const runsIn = (home) => (existsSync(join(home, "runs")) ? readdirSync(join(home, "runs")) : []);

/** `told`: the journal's events, where a copy of them may be behind. */
export function outcomeOf({ home, runId, log, result, told, shared = {} }) {
  const folder = join(home, "runs", runId);
  const parsed = (name) => linesOf(join(folder, name)).map((line) => JSON.parse(line));
  const events = told ?? parsed("events.jsonl");
  // A run that was killed at its very end has had nobody yet to write what was left.
  const errorLines = told
    ? undefined
    : parsed("errors.jsonl").map(({ kind, raised_at }) => `${plainKind(kind)} ${raised_at.node}`);
  return {
    result: plainResult(result),
    ends: endsOf(events),
    marks: marksOf(log),
    errorLines: errorLines?.sort(),
    events,
    ...shared,
  };
}

/** A call whose breaker a kill made open sooner is refused where it would have failed: that much may differ. */
export const plainKind = (kind) => (kind === "circuit.open" || kind === "app.down" ? "app.down or circuit.open" : kind);

/** A drive says of which breakers it saw that they are open; how they stand in the end has a check of its own. */
const isAboutBreaker = ({ kind, message }) => !kind && /^the circuit \S+ is open/.test(message);

/** What a torn write lost is told by the drive that found it; an undisturbed run has nothing to tell. */
const isAboutLostEnd = ({ kind, message }) =>
  !kind && /^the last (\d+ events|event) of the run did not survive/.test(message);

/** Status, output, errors and every step's status: what a user would call the result. */
function plainResult({ status, exit_code, output, errors, warnings, termination, execution }) {
  const entry = ({ kind, node_id, group, item_key, path }) =>
    [plainKind(kind), node_id, group, item_key, path].join(" ");
  return {
    status,
    exit_code,
    output,
    errors: errors.map(entry),
    warnings: warnings
      .filter((one) => !isAboutBreaker(one) && !isAboutLostEnd(one))
      .map(entry)
      .sort(),
    termination,
    steps: execution?.steps.map(plainStep),
  };
}

function plainStep({ node_id, item_key, status, kind, steps }) {
  const name = item_key === undefined ? node_id : `${node_id}[${item_key}]`;
  const inner = steps?.map(plainStep) ?? [];
  return [name, status, plainKind(kind ?? "-"), ...(inner.length > 0 ? [inner] : [])];
}

const CONTAINERS = new Set(["parallel", "for_each", "workflow", "terminate"]);

/** How each visit's attempts ended, in order: `{ "a#1": ["agent_failed", "agent_completed"] }`. */
function endsOf(events) {
  const ends = {};
  for (const { type, data } of events) {
    if (type !== "agent_completed" && type !== "agent_failed") continue;
    if (CONTAINERS.has(data.agent_type)) continue;
    ends[data.key] ??= [];
    ends[data.key].push(type);
  }
  return ends;
}

/** How often each attempt left its mark. */
function marksOf(log) {
  const marks = {};
  for (const line of linesOf(log)) marks[line] = (marks[line] ?? 0) + 1;
  return marks;
}

export const linesOf = (file) =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];

// Warnings: what went wrong without ending the run. Only the latest of each place is kept, so that a loop does not add
// one each time.
import type { RunEvent } from "../registry.ts";
import type { GroupState, NodeState, RunState, Warning } from "./state.ts";

/** Bounds messages that differ every time; a longer list would not help a reader. */
const MOST = 10_000;

type Said = Pick<Warning, "kind" | "node" | "path" | "message"> & Partial<Warning>;

/** @param isReused it happened in an earlier drive, and is counted already */
export function warn(state: RunState, said: Said, isReused = false): void {
  const key = keyOf(said);
  if (!hasRoom(state, key)) return;
  const before = state.warnings.get(key);
  const isKept = before !== undefined && before.drive === state.drives;
  put(state, key, { ...said, count: isKept ? before.count + (isReused ? 0 : 1) : 1 });
}

function keyOf(said: Said): string {
  const place = `${said.kind}|${said.path.join("/")}|${said.group ?? ""}|${said.node ?? ""}|${said.itemKey ?? ""}`;
  return said.error ? place : `${place}|${said.message}`;
}

const hasRoom = ({ warnings }: RunState, key: string): boolean => warnings.has(key) || warnings.size < MOST;

function put(state: RunState, key: string, said: Said & Pick<Warning, "count">): void {
  state.warnings.set(key, {
    error: null,
    group: null,
    itemKey: null,
    by: null,
    shell: null,
    ...said,
    drive: state.drives,
  });
}

/** What a group went on without. Members for which there is no room share an entry for each kind: all of them count. */
export function warnLost(state: RunState, path: readonly string[], { name, failures, members }: GroupState): void {
  const together = new Map<string, Said & { readonly members: number }>();
  for (const { node, itemKey, error, isReused } of failures.values()) {
    const shell = members.get(itemKey ?? node)?.shell ?? null;
    const said = { kind: "lost_member" as const, node, path, message: error.message, error, group: name, shell };
    const own = { ...said, itemKey };
    if (hasRoom(state, keyOf(own))) {
      warn(state, own, isReused);
      continue;
    }
    const key = `${keyOf(said)}|${error.kind}`;
    together.set(key, { ...said, members: (together.get(key)?.members ?? 0) + 1 });
  }
  for (const [key, said] of together) put(state, key, { ...said, count: said.members });
}

/** Forgets what was said of a group's lost members. */
export function forgetLost({ warnings }: RunState, path: readonly string[], { name }: GroupState): void {
  const at = path.join("/");
  for (const [key, warning] of warnings)
    if (warning.kind === "lost_member" && warning.group === name && warning.path.join("/") === at) warnings.delete(key);
}

/** A step or an item runs again: what earlier drives said of its failures is past. So it is of an item that runs after the run's end. */
export function forgetFailures(
  state: RunState,
  path: readonly string[],
  { name: node, itemKey, owner }: NodeState,
): void {
  const said = { node, path, message: "", group: owner?.name ?? null, itemKey, error: {} as Warning["error"] };
  for (const kind of ["lost_member", "recovered"] as const) {
    const key = keyOf({ ...said, kind });
    if (state.status !== "running" || state.warnings.get(key)?.drive !== state.drives) state.warnings.delete(key);
  }
}

/** How many members a run went on without. */
export const lostMembers = ({ kind, members = 1 }: Warning): number => (kind === "lost_member" ? members : 0);

/** An error that a route took care of. */
export function warnRecovered(
  state: RunState,
  path: readonly string[],
  node: NodeState,
  by: string | null,
  group: string | null,
  isReused = false,
): void {
  if (!node.error) return;
  const { error, itemKey, shell, key } = node;
  const said = { kind: "recovered" as const, node: node.name, key, path, message: error.message, error };
  warn(state, { ...said, by, shell, group, itemKey }, isReused);
}

/** The error that a route took care of at a place, as it was warned of last. */
export function recoveredError(
  { warnings }: RunState,
  path: readonly string[],
  { name: node, itemKey }: NodeState,
  group: string | null,
): Warning["error"] {
  const place = keyOf({ kind: "recovered", node, path, message: "", group, itemKey, error: {} as Warning["error"] });
  return warnings.get(place)?.error ?? null;
}

/** What an earlier drive said of a place that this drive takes over as it was. */
export function keepWarnings(state: RunState, path: readonly string[], node: NodeState, group: string | null): void {
  const frames = [node, ...(node.group?.members.values() ?? [])].flatMap(({ frame }) => frame ?? []);
  const insides = frames.flatMap(({ slot }) => (slot === undefined ? [] : [[...path, slot].join("/")]));
  for (const [key, warning] of state.warnings) {
    const at = warning.path.join("/");
    const members = at === path.join("/") && warning.group === node.name;
    const own =
      at === path.join("/") &&
      warning.node === node.name &&
      warning.itemKey === node.itemKey &&
      warning.group === group;
    const below = insides.some((inside) => at === inside || at.startsWith(`${inside}/`));
    if (own || members || below) state.warnings.set(key, { ...warning, drive: state.drives });
  }
}

/** The warnings that hold for the run's present course. */
export const currentWarnings = (state: RunState): Warning[] =>
  [...state.warnings.values()].filter((warning) => warning.drive === state.drives);

/** Of a step that was reused although files that it runs or names have changed. */
export const changedFilesText = (node: string, files: readonly string[]): string =>
  `${files.join(", ")} ${files.length === 1 ? "has" : "have"} changed since ${node} ran. ${node} was reused: its inputs are the same.`;

/** The fold's share for events that only leave a warning. */
export function warnOf(state: RunState, event: RunEvent): void {
  const said = saidBy(event);
  if (said) warn(state, { ...said, path: event.path });
}

function saidBy(event: RunEvent): Omit<Said, "path"> | undefined {
  switch (event.type) {
    case "warning":
      return { kind: "note", node: event.data.node, message: event.data.message };
    case "skill_injection_warning":
      return { kind: "note", node: event.data.agent_name, message: event.data.message };
    case "errors_jsonl_write_failed": {
      const { path, reason } = event.data;
      const message = `errors.jsonl could not be written at ${path}: ${reason}. The errors are in this result and in the run's events.`;
      return { kind: "errors_jsonl", node: null, message };
    }
    case "budget_exceeded": {
      const { budget_mode, budget_usd, spent_usd, agent_name } = event.data;
      if (budget_mode === "enforce") return undefined;
      const message = `the run has spent $${spent_usd.toFixed(4)}, more than its budget of $${budget_usd}; budget_mode is ${budget_mode}, so it goes on`;
      return { kind: "budget", node: agent_name, message };
    }
    case "hook_ran":
      if (event.data.ok) return undefined;
      return {
        kind: "hook",
        node: null,
        message: `the hook ${event.data.hook} failed: ${event.data.message ?? "it gave no reason"}`,
      };
    case "escalation_failed":
      return {
        kind: "escalation",
        node: event.data.node,
        message: `the escalation did not get through: ${event.data.message}`,
      };
    default:
      return undefined;
  }
}

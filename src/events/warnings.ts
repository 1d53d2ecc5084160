// What went wrong without ending the run. One entry a place, the latest, so that a loop does not pile them up.
import type { NodeState, RunState, Warning } from "./state.ts";

/** More places than this tell nobody anything; it bounds messages that differ every time. */
const MOST = 10_000;

export type Said = Pick<Warning, "kind" | "node" | "path" | "message"> & Partial<Warning>;

export function warn(state: RunState, said: Said): void {
  const place = `${said.kind}|${said.path.join("/")}|${said.group ?? ""}|${said.node ?? ""}|${said.itemKey ?? ""}`;
  const key = said.error ? place : `${place}|${said.message}`;
  const before = state.warnings.get(key);
  if (!before && state.warnings.size >= MOST) return;
  state.warnings.set(key, {
    error: null,
    group: null,
    itemKey: null,
    by: null,
    shell: null,
    ...said,
    count: before && before.drive === state.drives ? before.count + 1 : 1,
    drive: state.drives,
  });
}

/** An error that a route took care of. */
export function warnRecovered(
  state: RunState,
  path: readonly string[],
  node: NodeState,
  by: string | null,
  group: string | null,
): void {
  if (!node.error) return;
  const { error, itemKey, shell } = node;
  warn(state, { kind: "recovered", node: node.name, path, message: error.message, error, by, shell, group, itemKey });
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

// What has been edited since a drive: the definition that it pinned held against the files as they are now, step by step.

import { hashedPart } from "../../engine/visit/hash.ts";
import { isMapping } from "../../errors/mapping.ts";
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";
import { shownPath } from "../session/shown-path.ts";
import { valueAt } from "./definition.ts";

export interface Change {
  readonly file: string;
  /** A step or group; null for the `workflow:` section and the rest of the file. */
  readonly node_id: string | null;
  readonly what: "changed" | "routes" | "added" | "removed";
  /** Outside of the steps: what differs, such as `workflow.limits.max_iterations`. */
  readonly fields?: readonly string[];
}

export function changesBetween(before: LoadedWorkflow, after: LoadedWorkflow, cwd: string): readonly Change[] {
  const old = new Map(familyOf(before).map((workflow) => [workflow.file, workflow]));
  return familyOf(after).flatMap((workflow): readonly Change[] => {
    const earlier = old.get(workflow.file);
    const file = shownPath(workflow.file, cwd);
    if (!earlier) return [{ file, node_id: null, what: "added" }];
    return [...stepChanges(earlier, workflow), ...restChanges(earlier, workflow)].map((change) => ({
      file,
      ...change,
    }));
  });
}

type StepChange = Omit<Change, "file">;

const namesOf = ({ definition: { agents, parallel, for_each } }: LoadedWorkflow): readonly string[] =>
  [...agents, ...parallel, ...for_each].map(({ name }) => name);

function stepChanges(before: LoadedWorkflow, after: LoadedWorkflow): readonly StepChange[] {
  const old = new Set(namesOf(before));
  const now = namesOf(after);
  const kept = now
    .filter((name) => old.has(name))
    .flatMap((name): readonly StepChange[] => {
      const [a, b] = [rawOf(before, name), rawOf(after, name)];
      if (same(a, b)) return [];
      return [{ node_id: name, what: same(without(a, "routes"), without(b, "routes")) ? "routes" : "changed" }];
    });
  const added = now.filter((name) => !old.has(name)).map((node_id): StepChange => ({ node_id, what: "added" }));
  const removed = [...old]
    .filter((name) => !now.includes(name))
    .map((node_id): StepChange => ({ node_id, what: "removed" }));
  return [...kept, ...added, ...removed];
}

const LISTS = ["agents", "steps", "parallel", "for_each"];

function restChanges(before: LoadedWorkflow, after: LoadedWorkflow): readonly StepChange[] {
  const fields = differing(without(before.raw, ...LISTS), without(after.raw, ...LISTS), []);
  return fields.length === 0 ? [] : [{ node_id: null, what: "changed", fields }];
}

/** `workflow.input.name`: further down are values. */
const DEEPEST = 3;

function differing(a: unknown, b: unknown, path: readonly string[]): readonly string[] {
  if (same(a, b)) return [];
  if (path.length === DEEPEST || !isMapping(a) || !isMapping(b)) return [path.join(".")];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  const inner = [...names].flatMap((name) => differing(a[name], b[name], [...path, name]));
  // Only their order differs.
  return inner.length > 0 || path.length === 0 ? inner : [path.join(".")];
}

const rawOf = (workflow: LoadedWorkflow, name: string): unknown => valueAt(workflow.raw, workflow.pathOf(name));
/** What was written for a step, as far as a resume asks whether it has changed. */
export const textOfStep = (workflow: LoadedWorkflow, name: string): string =>
  JSON.stringify(hashedPart(rawOf(workflow, name))) ?? "null";

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function without(value: unknown, ...keys: readonly string[]): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

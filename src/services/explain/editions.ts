// The files as each drive of a run saw them, and as a resume would see them now; and what has been edited in between, step by
// step.

import { isMapping, keptIn } from "../../base/errors/mapping.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { hashedPart } from "../../engine/visit/hash.ts";
import { environmentNames } from "../../language/environment.ts";
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";
import { NODE_LISTS } from "../../language/schema/names.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import { PinnedDefinition } from "../reading/definition.ts";
import { beginsDrive } from "../reading/read-run.ts";
import { childAt, valueAt } from "../reading/report.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";

export class Editions {
  /** The file that each drive was driven with: a resume may have named another. */
  readonly #files: string[] = [];
  readonly #loaded = new Map<number, PinnedDefinition>();
  now: LoadedWorkflow | undefined;

  private constructor(
    /** The files of each drive; the first drive's at 0. */
    private readonly sources: readonly ReadonlyMap<string, string>[],
    private readonly session: Session,
  ) {}

  static async read(reader: RunReader, session: Session): Promise<Editions> {
    const sources: ReadonlyMap<string, string>[] = [];
    for (let drive = 1; ; drive++) {
      const pinned = await reader.pinned(drive);
      if (pinned.size === 0) return new Editions(sources, session);
      sources.push(pinned);
    }
  }

  add(event: RunEvent): void {
    if (beginsDrive(event)) this.#files.push(event.data.outline.file);
  }

  ofDrive(drive: number): PinnedDefinition {
    const [file = "", sources = new Map<string, string>()] = [this.#files[drive - 1], this.sources[drive - 1]];
    return keptIn(this.#loaded, drive, () => new PinnedDefinition(file, sources, this.session));
  }

  /**
   * The variables that a step names, if it reads the same in both drives and names any: only their values can have
   * changed. Which of them did is not known, since values are kept as one digest.
   */
  environmentOf(
    path: readonly string[],
    node: string,
    before: number,
    after: number | "now",
  ): readonly string[] | undefined {
    const then = this.ofDrive(before).at(path);
    const now = after === "now" ? this.now && childAt(this.now, path) : this.ofDrive(after).at(path);
    if (!then || !now || textOfStep(then, node) !== textOfStep(now, node)) return undefined;
    const names = environmentNames(JSON.parse(textOfStep(now, node)), now.definition.semantics.variables);
    return names.length > 0 ? names : undefined;
  }
}

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

function restChanges(before: LoadedWorkflow, after: LoadedWorkflow): readonly StepChange[] {
  const fields = differing(without(before.raw, ...NODE_LISTS), without(after.raw, ...NODE_LISTS), []);
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
const textOfStep = (workflow: LoadedWorkflow, name: string): string =>
  JSON.stringify(hashedPart(rawOf(workflow, name))) ?? "null";

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function without(value: unknown, ...keys: readonly string[]): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

// Which step or group a read is about.
import { resolveFlattened } from "../../template/index.ts";
import type { Facts, Read } from "./facts.ts";

export interface NamedRead {
  readonly name: string;
  /** What follows the name: `output`, `error`, `outputs` …; undefined when the whole node is read. */
  readonly part: string | number | undefined;
  readonly rest: readonly (string | number)[];
}

/** Finds the node that a read names; nothing for `workflow`, `context`, local names and bare output fields. */
export function resolveNode(read: Read, facts: Facts): NamedRead | undefined {
  const known = resolved.get(read);
  if (known !== undefined) return known || undefined;
  const found = resolve(read, facts);
  resolved.set(read, found ?? false);
  return found;
}

/** Many rules ask about the same reads. */
const resolved = new WeakMap<Read, NamedRead | false>();

function resolve(read: Read, facts: Facts): NamedRead | undefined {
  const [root, ...after] = read.path;
  if (typeof root !== "string" || read.site.locals.includes(root)) return undefined;
  const { names } = facts.nodes;
  // A step may be called like one of these; a template means the workflow and the run all the same.
  if (root === "workflow" || root === "context") return undefined;
  if (names.has(root)) return { name: root, part: after[0], rest: after.slice(1) };
  const flat = read.inExpression ? flattened(root, names) : undefined;
  return flat ? { ...flat, rest: [...flat.rest, ...after] } : undefined;
}

/** The parts of steps and groups that may follow a name after an underscore. */
const PARTS: readonly string[] = ["output", "error", "outputs", "errors", "count", "failed", "succeeded", "type"];

/** Undoes underscores: a name that exists, one of its parts, and whatever field follows. */
function flattened(word: string, names: ReadonlySet<string>): NamedRead | undefined {
  const path = resolveFlattened(word, ([name, part]) => {
    if (name === undefined || !names.has(name)) return false;
    return part === undefined || PARTS.includes(part);
  });
  const [name, part, ...rest] = path ?? [];
  return name === undefined || part === undefined ? undefined : { name, part, rest };
}

// What may change when no person looks: the failing step, and of it nothing that decides what is executed, what secrets
// it sees, or which files it takes in. An error message may hold text from outside, and a model may believe it.
import { environmentNames } from "../../language/environment.ts";
import { familySources, type LoadedWorkflow, type NodePath } from "../../language/loaded.ts";

interface Change {
  readonly before: LoadedWorkflow;
  readonly after: LoadedWorkflow;
  readonly node: string | null;
  /** The file's text before and after. */
  readonly text: string;
  readonly changed: string;
}

/**
 * Fields that need a person. `stdin` of a shell and another sub-workflow are commands as well; where a step leads and
 * what it calls a failure decide whether a gate is passed by.
 */
const NEED_A_PERSON = [
  "routes",
  "raise_when",
  "raises",
  "type",
  "command",
  "args",
  "env",
  "policies",
  "stdin",
  "working_dir",
  "workflow",
  "server",
] as const;

/** Why a person has to look at this change; nothing when nobody has to. */
export function whyNotAlone(change: Change): string | undefined {
  const { before, after, node } = change;
  const what = node === null ? "the workflow's `output`" : `the step \`${node}\``;
  const path = pathOfStep(before, node);
  if (JSON.stringify(path) !== JSON.stringify(pathOfStep(after, node)) || path.length === 0)
    return `it moves, renames or removes ${what}`;
  if (JSON.stringify(without(before.raw, path)) !== JSON.stringify(without(after.raw, path)) || !isAround(change, path))
    return `it changes more than ${what}, and without a person only that may change`;
  const [old, fresh] = [valueAt(before.raw, path), valueAt(after.raw, path)];
  for (const field of node === null ? [] : NEED_A_PERSON)
    if (JSON.stringify(valueAt(old, [field])) !== JSON.stringify(valueAt(fresh, [field])))
      return `it changes \`${field}\` of ${what}, which needs a person`;
  const names = new Set(environmentNames(before.raw));
  const stranger = environmentNames(after.raw).find((name) => !names.has(name));
  if (stranger) return `it reads \${${stranger}}, which the file did not read before; that needs a person`;
  const known = familySources(before);
  const taken = [...familySources(after).keys()].find((file) => !known.has(file));
  if (taken) return `it takes in ${taken}, which the file did not take in before; that needs a person`;
  return undefined;
}

const pathOfStep = (workflow: LoadedWorkflow, node: string | null): NodePath =>
  node === null ? ["output"] : workflow.pathOf(node);

function valueAt(raw: unknown, path: NodePath): unknown {
  let value = raw;
  for (const key of path) value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}

/** A copy in which the value at the path is blank. */
function without(raw: unknown, [key, ...rest]: NodePath): unknown {
  if (key === undefined) return null;
  if (Array.isArray(raw)) return raw.map((item, index) => (index === key ? without(item, rest) : item));
  if (typeof raw !== "object" || raw === null) return raw;
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [name, name === key ? without(value, rest) : value]),
  );
}

/** Comments and layout around the step are a person's work too: no line before it or after it may differ. */
function isAround({ before, text, changed }: Change, path: NodePath): boolean {
  const [lines, now] = [text.split("\n"), changed.split("\n")];
  const start = before.positions.key(path).line - 1;
  const indent = indentOf(lines[start] ?? "");
  let end = start + 1;
  for (let line = end; line < lines.length; line++) {
    if (isBlank(lines[line] ?? "")) continue;
    if (indentOf(lines[line] ?? "") <= indent) break;
    end = line + 1;
  }
  const after = lines.length - end;
  return (
    lines.slice(0, start).join("\n") === now.slice(0, start).join("\n") &&
    lines.slice(end).join("\n") === (after === 0 ? "" : now.slice(-after).join("\n"))
  );
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
const isBlank = (line: string): boolean => line.trim() === "" || line.trimStart().startsWith("#");

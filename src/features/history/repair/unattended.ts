// What a repair may change when no person looks at it: a list of what is harmless, since a model may follow text from
// outside. Of the failing step only a few fields, and in them only names that it read or that the error suggested.
import { unlessItThrows } from "../../../base/errors/mapping.ts";
import type { Entry } from "../../../base/results/index.ts";
import { environmentNames } from "../../../language/environment.ts";
import { familySources, type LoadedWorkflow, type NodePath } from "../../../language/loaded.ts";
import { valueAt } from "../../../services/reading/report.ts";
import { HARMLESS_FIELDS } from "../../../services/workflows/repair-rules.ts";
import { type Constants, constantsOf } from "../../../template/analysis/references.ts";
import { references } from "../../../template/index.ts";

export interface UnattendedChange {
  readonly before: LoadedWorkflow;
  readonly after: LoadedWorkflow;
  readonly node: string | null;
  /** The file's text before and after. */
  readonly text: string;
  readonly changed: string;
  /** Paths that the error suggests, such as `fetch.output.title`. */
  readonly suggested: readonly string[];
}

/** Why a person has to look at this change; nothing when that is not needed. */
export function whyNotAlone(change: UnattendedChange): string | undefined {
  const { before, after, node } = change;
  if (node === null) return "it changes the workflow's `output`, which needs a person";
  const path = before.pathOf(node);
  const what = `the step \`${node}\``;
  if (path.length === 0 || JSON.stringify(path) !== JSON.stringify(after.pathOf(node)))
    return `it moves, renames or removes ${what}`;
  const differences = [...differing(before.raw, after.raw, [])];
  const elsewhere = differences.find(({ at }) => !startsWith(at, path));
  if (elsewhere || !isAround(change, path))
    return `it changes more than ${what}, and without a person only that may change`;
  const taken = strangerFile(before, after);
  if (taken) return `it takes in ${taken}, which the file did not take in before; that needs a person`;
  const names = environmentNames(before.raw, before.definition.semantics.variables);
  const variable = environmentNames(after.raw, after.definition.semantics.variables).find(
    (name) => !names.includes(name),
  );
  if (variable) return `it reads \${${variable}}, which the file did not read before; that needs a person`;
  const reads = readsOf(valueAt(before.raw, path));
  for (const { at, from, to } of differences) {
    const [field = "", ...inside] = at.slice(path.length);
    const name = [field, ...inside].join(".");
    if (!HARMLESS_FIELDS.has(String(field))) return `it changes \`${name}\` of ${what}, which needs a person`;
    if (typeof from !== "string" || typeof to !== "string")
      return `it changes the shape of \`${name}\` of ${what}, which needs a person`;
    const objection = otherThanNames(from, to, reads, change.suggested);
    if (objection) return `in \`${name}\` of ${what} it ${objection}; that needs a person`;
  }
  return undefined;
}

function strangerFile(before: LoadedWorkflow, after: LoadedWorkflow): string | undefined {
  const known = familySources(before);
  return [...familySources(after).keys()].find((file) => !known.has(file));
}

const isTree = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Every place where two trees differ, as deep down as they have the same keys in the same order. */
function* differing(
  from: unknown,
  to: unknown,
  at: NodePath,
): Iterable<{ readonly at: NodePath; readonly from: unknown; readonly to: unknown }> {
  if (!isTree(from) || !isTree(to) || Array.isArray(from) !== Array.isArray(to)) {
    if (!Object.is(from, to)) yield { at, from, to };
    return;
  }
  const keys = Object.keys(from);
  if (JSON.stringify(keys) === JSON.stringify(Object.keys(to))) {
    for (const key of keys)
      yield* differing(Reflect.get(from, key), Reflect.get(to, key), [...at, Array.isArray(from) ? Number(key) : key]);
    return;
  }
  const all = new Set([...keys, ...Object.keys(to)]);
  for (const key of all) {
    const [old, fresh] = [Reflect.get(from, key), Reflect.get(to, key)];
    if (JSON.stringify(old) !== JSON.stringify(fresh))
      yield { at: [...at, Array.isArray(from) ? Number(key) : key], from: old, to: fresh };
  }
  // The same entries in another order are a change too.
  if ([...all].every((key) => key in from && key in to)) yield { at, from, to };
}

const startsWith = (path: NodePath, start: NodePath): boolean =>
  path.length > start.length && start.every((part, index) => part === path[index]);

/** What a template does beyond reading other names; nothing when that is all. */
function otherThanNames(
  from: string,
  to: string,
  reads: readonly string[],
  suggested: readonly string[],
): string | undefined {
  const [old, fresh] = [constantsIn(from), constantsIn(to)];
  if (!old || !fresh) return "is no template";
  if (JSON.stringify(old.texts) !== JSON.stringify(fresh.texts)) return "changes text outside of `{{ … }}`";
  const added = fresh.literals.find((literal) => !old.literals.includes(literal));
  if (added !== undefined) return `writes ${JSON.stringify(added)}, which was not there before`;
  const known = [...reads, ...suggested];
  const read = pathsIn(to);
  if (!read) return "is no template";
  const stranger = read.find((path) => !known.some((one) => path === one || path.startsWith(`${one}.`)));
  return stranger === undefined
    ? undefined
    : `reads ${stranger}, which the step did not read before and the error does not suggest`;
}

const constantsIn = (text: string): Constants | undefined => unlessItThrows(() => constantsOf(text), undefined);

/** The paths that an error suggests: its own expression, with the missing part replaced. */
export function suggestedPaths({ details, suggestions }: Pick<Entry, "details" | "suggestions">): readonly string[] {
  const { expression = "", missing, parent } = (details ?? {}) as Readonly<Record<string, string | undefined>>;
  const rest = expression.startsWith(`${parent}.${missing}`) ? expression.slice(`${parent}.${missing}`.length) : "";
  return (suggestions ?? []).map((name) => (parent && !name.includes(".") ? `${parent}.${name}${rest}` : name));
}

/** Everything that the step's templates read, wherever they stand. */
function readsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return pathsIn(value) ?? [];
  return isTree(value) ? Object.values(value).flatMap(readsOf) : [];
}

const pathsIn = (text: string): readonly string[] | undefined =>
  unlessItThrows(() => references(text).map(({ path }) => path.join(".")), undefined);

/** Comments and layout around the step are a person's work too: no line before it or after it may differ. */
function isAround({ before, text, changed }: UnattendedChange, path: NodePath): boolean {
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

// Whether the templates of a trigger can be read, and read only what there is when it fires.
import { nearest } from "../../errors/nearest.ts";
import type { NodePath } from "../../language/loaded.ts";
import { compile, compileCondition, type Reference, TemplateError } from "../../template/index.ts";
import { COMMON_FIELDS, FIELDS_BY_SOURCE, RUN_FIELDS } from "../../triggers/context.ts";
import { sourceOf, type Trigger, type TriggerSource } from "../../triggers/schema.ts";

export interface TemplateProblem {
  /** Where in the trigger the template stands. */
  readonly path: NodePath;
  readonly message: string;
}

/** Templates see `trigger`, and nothing else. */
export function templateProblems(trigger: Trigger): readonly TemplateProblem[] {
  const { when, dedupe, concurrency, cell, inputs } = trigger;
  const source = sourceOf(trigger);
  const texts = [
    ...stringsIn(["dedupe"], dedupe),
    ...stringsIn(["concurrency", "key"], concurrency?.key),
    ...stringsIn(["cell"], cell),
  ];
  const read = (path: NodePath, make: () => { readonly references: readonly Reference[] }): TemplateProblem[] => {
    const why = whyUnreadable(make, source);
    return why === undefined ? [] : [{ path, message: `\`${path.join(".")}\` ${why}` }];
  };
  return [
    ...(when === undefined ? [] : read(["when"], () => compileCondition(when))),
    ...[...texts, ...stringsIn(["inputs"], inputs)].flatMap(({ path, text }) => read(path, () => compile(text))),
  ];
}

function whyUnreadable(
  make: () => { readonly references: readonly Reference[] },
  source: TriggerSource,
): string | undefined {
  try {
    const { references } = make();
    const stranger = references.find(({ path }) => path[0] !== "trigger");
    if (stranger) return `reads \`${String(stranger.path[0])}\`, and only \`trigger\` is there.`;
    for (const reference of references) {
      const unknown = unknownField(reference, source);
      if (unknown) return `reads ${unknown}`;
    }
    return undefined;
  } catch (problem) {
    if (problem instanceof TemplateError) return `cannot be read: ${problem.message}`;
    throw problem;
  }
}

/** A field that the trigger never has. What a sender puts into a body is not known in advance. */
function unknownField({ path: [, name, inner], guarded, needsRoot }: Reference, source: TriggerSource) {
  if (typeof name !== "string") return undefined;
  const other = SOURCES.find((one) => (FIELDS_BY_SOURCE[one] as readonly string[]).includes(name));
  const known = [...COMMON_FIELDS, ...FIELDS_BY_SOURCE[source]];
  if (other && other !== source)
    // A template that checks first whether it is there allows for its absence: `triggers fire --body` brings one.
    return guarded && !(needsRoot && inner !== undefined)
      ? undefined
      : `\`trigger.${name}\`, which only a trigger with \`${other}\` has. With \`${source}\`, \`trigger\` has ${known.join(", ")}.`;
  if (!other && !known.includes(name as (typeof known)[number])) return missing("trigger", name, known);
  return name === "run" && typeof inner === "string" && !RUN_FIELDS.includes(inner)
    ? missing("trigger.run", inner, RUN_FIELDS)
    : undefined;
}

const SOURCES = Object.keys(FIELDS_BY_SOURCE) as readonly TriggerSource[];

function missing(owner: string, field: string, known: readonly string[]): string {
  const [near] = nearest(field, known);
  return `\`${owner}.${field}\`, and there is none. ${near === undefined ? "" : `Did you mean \`${near}\`? `}\`${owner}\` has ${known.join(", ")}.`;
}

function stringsIn(path: NodePath, value: unknown): { readonly path: NodePath; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((one, index) => stringsIn([...path, index], one));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => stringsIn([...path, key], one));
}

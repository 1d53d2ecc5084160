// Whether the templates of a trigger can be read, and read only what there is when it fires.

import { isEngineKind, isSelectorWord, KINDS, matches } from "../../base/errors/index.ts";
import { didYouMean, nearest } from "../../base/errors/nearest.ts";
import type { NodePath } from "../../language/loaded.ts";
import { offers } from "../../services/project/acting-files.ts";
import type { Project } from "../../services/project/read-project.ts";
import type { Session } from "../../services/session/session.ts";
import { listWorkflows } from "../../services/workflows/workflows.ts";
import { compile, compileCondition, type Reference, TemplateError } from "../../template/index.ts";
import { COMMON_FIELDS, FIELDS_BY_SOURCE, RUN_FIELDS } from "./context.ts";
import { stringsIn } from "./known-trigger.ts";
import { sourceOf, type Trigger, type TriggerSource } from "./schema.ts";

interface Problem {
  readonly path: NodePath;
  readonly message: string;
}

/** Templates see `trigger`, and nothing else. */
export function templateProblems(trigger: Trigger): readonly Problem[] {
  const { when, dedupe, concurrency, cell, inputs } = trigger;
  const source = sourceOf(trigger);
  const texts = stringsIn([], { dedupe, concurrency: { key: concurrency?.key }, cell, inputs });
  const read = (path: NodePath, make: () => { readonly references: readonly Reference[] }): Problem[] => {
    const why = whyUnreadable(make, source);
    return why === undefined ? [] : [{ path, message: `\`${path.join(".")}\` ${why}` }];
  };
  return [
    ...(when === undefined ? [] : read(["when"], () => compileCondition(when))),
    ...texts.flatMap(({ path, text }) => read(path, () => compile(text))),
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

/** Kinds of their own a workflow's authors make up; what the engine raises is known. */
export function kindProblems({ kind = [], status }: NonNullable<Trigger["on_run"]>): readonly Problem[] {
  const wrong = kind.flatMap((word, index): Problem[] => {
    const message = whyNoKind(word);
    return message === undefined ? [] : [{ path: ["on_run", "kind", index], message }];
  });
  const neverFits = kind.length > 0 && status?.length && status.every((one) => one === "completed");
  const message =
    "`on_run` wants a run that completed and an error kind, and a run that completed has none. Leave one of them out.";
  return neverFits ? [...wrong, { path: ["on_run", "kind"], message }] : wrong;
}

function whyNoKind(word: string): string | undefined {
  if (!isSelectorWord(word))
    return `${JSON.stringify(word)} under \`on_run.kind\` is no kind. A kind is a dotted lower-case name such as \`release.failed\`; \`release.*\` is all that begin with it.`;
  if (isEngineKind(word) && ![...KINDS.keys()].some((known) => matches(word, known)))
    return `no run ends with \`${word}\`: it is not one of the engine's kinds.${didYouMean(nearest(word, KINDS.keys()))}`;
  return undefined;
}

/** What the project's workflows are called; nothing where there are too many to look at. */
export function workflowNames(
  { dir, settings }: Project,
  { env, extensions }: Pick<Session, "env" | "extensions">,
): readonly string[] | undefined {
  const { workflows, truncated } = listWorkflows(
    {
      cwd: dir,
      env,
      extensions,
      project: settings.workflows.length > 0 ? { offers: offers(settings.workflows, dir) } : {},
    },
    { roots: [dir] },
  );
  return truncated ? undefined : workflows.flatMap(({ workflow }) => workflow ?? []);
}

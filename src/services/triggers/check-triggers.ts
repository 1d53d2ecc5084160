// Triggers held against the workflows that they start: that the file is there and right, that it takes what it is given,
// and that their templates can be read.
import { existsSync } from "node:fs";
import { nearest } from "../../errors/nearest.ts";
import type { Finding, LoadedWorkflow } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import { compile, compileCondition, TemplateError } from "../../template/index.ts";
import { RUN_FIELDS, TRIGGER_FIELDS } from "../../triggers/context.ts";
import { knownTo } from "../extensions.ts";
import { realFiles } from "../files.ts";
import { knownPeople } from "../people.ts";
import type { Project } from "../project/read-project.ts";
import type { Surroundings } from "../request.ts";
import { type KnownTrigger, triggersOf } from "./known-trigger.ts";

export function* checkTriggers(
  project: Project,
  { env, extensions }: Pick<Surroundings, "env" | "extensions">,
): Iterable<Finding> {
  for (const trigger of triggersOf(project)) {
    const finding = (
      rule: string,
      message: string,
      severity: Finding["severity"] = "error",
      suggestions: readonly string[] = [],
    ): Finding => ({
      rule,
      severity,
      message: `The trigger \`${trigger.name}\`: ${message}`,
      location: trigger.place,
      suggestions,
    });
    if (trigger.webhook?.secret === "")
      yield finding(
        "empty-secret",
        "its secret is empty, so every delivery is refused. Set the variable that it comes from.",
        "warning",
      );
    for (const problem of templateProblems(trigger)) yield finding("template-syntax", problem);
    if (!existsSync(trigger.file)) {
      yield finding("missing-file", `there is no file \`${trigger.workflow}\`. The path is relative to segno.yaml.`);
      continue;
    }
    const { workflow, findings } = validateWorkflow(trigger.file, realFiles(env), {
      ...knownTo(extensions),
      people: knownPeople(project.settings),
    });
    const wrong = findings.find(({ severity }) => severity === "error");
    if (wrong || !workflow)
      yield finding(
        "invalid-workflow",
        `\`${trigger.workflow}\` is not valid: ${wrong?.message ?? "it cannot be read"}`,
      );
    else
      for (const [message, suggestions] of inputProblems(trigger, workflow))
        yield finding("trigger-input", message, "error", suggestions);
  }
}

function* inputProblems(
  { inputs }: KnownTrigger,
  { definition }: LoadedWorkflow,
): Iterable<readonly [string, readonly string[]]> {
  const fields = definition.workflow.input;
  if (!fields) return;
  for (const name of Object.keys(inputs))
    if (!Object.hasOwn(fields, name)) {
      const suggestions = nearest(name, Object.keys(fields));
      yield [
        `the workflow has no input \`${name}\`. It takes ${Object.keys(fields).join(", ") || "none"}.`,
        suggestions,
      ];
    }
  for (const [name, field] of Object.entries(fields)) {
    const value = inputs[name];
    if (value === undefined) {
      if (field.required && field.default === undefined)
        yield [`the workflow needs the input \`${name}\`. Give it under \`inputs\`.`, []];
      continue;
    }
    const type = Array.isArray(value) ? "array" : typeof value;
    const isTemplate = typeof value === "string" && value.includes("{");
    if (!isTemplate && type !== field.type)
      yield [`the input \`${name}\` must be of type ${field.type}, and is ${type}.`, []];
  }
}

/** Templates see `trigger`, and nothing else. */
function* templateProblems({ when, dedupe, concurrency, inputs }: KnownTrigger): Iterable<string> {
  const texts: [string, string][] = [
    ...(dedupe === undefined ? [] : [["dedupe", dedupe] as [string, string]]),
    ...(concurrency ? [["concurrency.key", concurrency.key] as [string, string]] : []),
    ...stringsIn("inputs", inputs),
  ];
  const read = (
    field: string,
    make: () => { readonly references: readonly { readonly path: readonly unknown[] }[] },
  ): string | undefined => {
    try {
      const { references } = make();
      const stranger = references.find(({ path }) => path[0] !== "trigger");
      if (stranger) return `\`${field}\` reads \`${String(stranger.path[0])}\`, and only \`trigger\` is there.`;
      for (const { path } of references) {
        const unknown = unknownField(path.slice(1));
        if (unknown) return `\`${field}\` reads ${unknown}`;
      }
      return undefined;
    } catch (problem) {
      if (problem instanceof TemplateError) return `\`${field}\` cannot be read: ${problem.message}`;
      throw problem;
    }
  };
  const problems = [
    ...(when === undefined ? [] : [read("when", () => compileCondition(when))]),
    ...texts.map(([field, text]) => read(field, () => compile(text))),
  ];
  for (const problem of problems) if (problem !== undefined) yield problem;
}

/** What no trigger has, whatever sets it off. What a sender puts into a body nobody knows before. */
function unknownField([name, inner]: readonly unknown[]): string | undefined {
  if (typeof name !== "string") return undefined;
  const missing = (owner: string, field: string, known: readonly string[]): string | undefined => {
    if (known.includes(field)) return undefined;
    const [near] = nearest(field, known);
    return `\`${owner}.${field}\`, and there is none. ${near === undefined ? "" : `Did you mean \`${near}\`? `}\`${owner}\` has ${known.join(", ")}.`;
  };
  const problem = missing("trigger", name, TRIGGER_FIELDS);
  if (problem !== undefined || name !== "run" || typeof inner !== "string") return problem;
  return missing("trigger.run", inner, RUN_FIELDS);
}

function stringsIn(field: string, value: unknown): [string, string][] {
  if (typeof value === "string") return [[field, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => stringsIn(`${field}.${key}`, one));
}

// Triggers held against the workflows that they start: that the file is there and right, that it takes what it is given,
// and that they can be set off at all.
import { existsSync } from "node:fs";
import { didYouMean, listedNames, nearest } from "../../errors/nearest.ts";
import type { Finding, LoadedWorkflow } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import { LONGEST_CHAIN } from "../../triggers/context.ts";
import { isStandardSecret } from "../../triggers/verify.ts";
import { knownTo } from "../extensions.ts";
import { realFiles } from "../files.ts";
import { knownPeople } from "../people.ts";
import type { Project } from "../project/read-project.ts";
import type { Surroundings } from "../request.ts";
import { circleOf, type StartingTrigger } from "./check-circles.ts";
import { kindProblems, workflowNames } from "./check-on-run.ts";
import { templateProblems } from "./check-templates.ts";
import { type KnownTrigger, triggersOf } from "./known-trigger.ts";

type Checking = Pick<Surroundings, "env" | "extensions">;

export function* checkTriggers(project: Project, where: Checking): Iterable<Finding> {
  const triggers = triggersOf(project).map((trigger) => ({ trigger, started: startedBy(trigger, project, where) }));
  for (const { trigger, started } of triggers) {
    for (const problem of secretProblems(trigger)) yield finding(trigger, ...problem);
    for (const problem of templateProblems(trigger)) yield finding(trigger, "template-syntax", problem);
    if (trigger.on_run)
      for (const problem of kindProblems(trigger.on_run)) yield finding(trigger, "error-kind", problem);
    if ("problem" in started) yield finding(trigger, ...started.problem);
    else
      for (const [message, suggestions] of inputProblems(trigger, started.workflow))
        yield finding(trigger, "trigger-input", message, "error", suggestions);
  }
  const starting = triggers.flatMap(({ trigger, started }) =>
    "workflow" in started ? [{ ...trigger, starts: started.workflow.definition.workflow.name }] : [],
  );
  yield* followingProblems(starting, project, where);
}

type Said = readonly [rule: string, message: string, severity?: Finding["severity"], suggestions?: readonly string[]];

const finding = (
  { name, place }: KnownTrigger,
  ...[rule, message, severity = "error", suggestions = []]: Said
): Finding => ({ rule, severity, message: `The trigger \`${name}\`: ${message}`, location: place, suggestions });

function startedBy(
  { file, workflow: written }: KnownTrigger,
  { settings }: Project,
  { env, extensions }: Checking,
): { readonly workflow: LoadedWorkflow } | { readonly problem: Said } {
  if (!existsSync(file))
    return {
      problem: ["missing-file", `there is no file \`${written}\`. The path is relative to segno.yaml.`],
    };
  const known = { ...knownTo(extensions), people: knownPeople(settings) };
  const { workflow, findings } = validateWorkflow(file, realFiles(env), known);
  const wrong = findings.find(({ severity }) => severity === "error");
  if (workflow && !wrong) return { workflow };
  return {
    problem: ["invalid-workflow", `\`${written}\` is not valid: ${wrong?.message ?? "it cannot be read"}`],
  };
}

/** That it is empty as it stands in the file is said where the file is read. */
function* secretProblems({ webhook }: KnownTrigger): Iterable<Said> {
  if (webhook?.secret === "")
    yield [
      "empty-secret",
      "its secret is empty, so every delivery is refused. Set the variable that it comes from.",
      "warning",
    ];
  else if (webhook?.verify === "standard-webhooks" && !isStandardSecret(webhook.secret))
    yield [
      "secret-format",
      "its secret is no base64, so no delivery would be taken for genuine. Standard Webhooks gives secrets such as `whsec_MfKQ9r8G…`; take yours as the sender shows it.",
    ];
}

/** Neither keeps a trigger from firing: runs of other projects are followed, too, and chains end. */
function* followingProblems(
  triggers: readonly (KnownTrigger & StartingTrigger)[],
  project: Project,
  where: Checking,
): Iterable<Finding> {
  const following = triggers.filter(({ on_run }) => on_run);
  const started = new Set(triggers.map(({ starts }) => starts));
  const strangers = following.filter(({ on_run }) => !started.has(on_run?.workflow ?? ""));
  const names = strangers.length > 0 ? workflowNames(project, where) : undefined;
  for (const trigger of names ? strangers : []) {
    const wanted = trigger.on_run?.workflow ?? "";
    if (names?.includes(wanted)) continue;
    const suggestions = nearest(wanted, names ?? []);
    const message = `it follows runs of \`${wanted}\`, and no workflow of the project is called that: \`on_run.workflow\` is the \`name\` in the file.${didYouMean(suggestions)}`;
    yield finding(trigger, "unknown-workflow", message, "warning", suggestions);
  }
  const told = new Set<string>();
  for (const trigger of following) {
    const circle = circleOf(trigger, following);
    if (!circle || circle.some((name) => told.has(name))) continue;
    for (const name of circle) told.add(name);
    const [, ...others] = circle;
    const way = others.length === 0 ? "" : ` by way of ${listedNames(others, "and")}`;
    const message = `each of its runs sets it off again${way}. The chain ends after ${LONGEST_CHAIN} runs; \`when\`, \`on_run.status\` or \`on_run.kind\` can end it before.`;
    yield finding(trigger, "trigger-circle", message, "warning");
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

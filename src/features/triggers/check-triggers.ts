// Triggers held against the workflows that they start: that the file is there and right, that it takes what it is given,
// and that they can be set off at all.
import { existsSync } from "node:fs";
import { didYouMean, listedNames, nearest } from "../../base/errors/nearest.ts";
import { PUT_IN_QUOTES } from "../../base/json/bounded.ts";
import { environmentNames } from "../../language/environment.ts";
import type { Finding, LoadedWorkflow, NodePath } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import type { Project } from "../../services/project/read-project.ts";
import { knownTo } from "../../services/session/extensions.ts";
import { realFiles } from "../../services/session/files.ts";
import { knownPeople } from "../../services/session/people.ts";
import type { Session } from "../../services/session/session.ts";
import { kindProblems, templateProblems, workflowNames } from "./check-templates.ts";
import { isLiteral, LONGEST_CHAIN } from "./context.ts";
import { isRendered, type KnownTrigger, triggersOf } from "./known-trigger.ts";
import type { Trigger } from "./schema.ts";
import { isStandardSecret } from "./verify.ts";

type Checking = Pick<Session, "env" | "extensions">;

export function* checkTriggers(project: Project, where: Checking): Iterable<Finding> {
  const triggers = triggersOf(project).map((trigger) => ({ trigger, started: startedBy(trigger, project, where) }));
  for (const { trigger, started } of triggers) {
    const said = [
      ...secretProblems(trigger),
      ...templateProblems(trigger).map(({ path, message }) => ({ rule: "template-syntax", path, message })),
      ...(trigger.on_run ? kindProblems(trigger.on_run) : []).map((problem) => ({ rule: "error-kind", ...problem })),
      ...("problem" in started
        ? [started.problem]
        : [...inputProblems(trigger, started.workflow), ...cellProblems(trigger, started.workflow)]),
    ];
    for (const problem of said) yield finding(trigger, problem);
  }
  yield* sharedSecrets(triggers.map(({ trigger }) => trigger));
  const starting = triggers.flatMap(({ trigger, started }) =>
    "workflow" in started ? [{ ...trigger, starts: started.workflow.definition.workflow.name }] : [],
  );
  yield* followingProblems(starting, project, where);
}

interface Said {
  readonly rule: string;
  readonly path: NodePath;
  readonly message: string;
  readonly severity?: Finding["severity"];
  readonly suggestions?: readonly string[];
}

const finding = (
  { name, placeOf }: KnownTrigger,
  { rule, path, message, severity = "error", suggestions = [] }: Said,
): Finding => ({
  rule,
  severity,
  message: `The trigger \`${name}\`: ${message}`,
  location: placeOf(path),
  suggestions,
});

function startedBy(
  { file, workflow: written }: KnownTrigger,
  { settings }: Project,
  { env, extensions }: Checking,
): { readonly workflow: LoadedWorkflow } | { readonly problem: Said } {
  const problem = (rule: string, message: string) => ({ problem: { rule, path: ["workflow"], message } });
  if (!existsSync(file))
    return problem("missing-file", `there is no file \`${written}\`. The path is relative to segno.yaml.`);
  const known = { ...knownTo(extensions), people: knownPeople(settings) };
  const { workflow, findings } = validateWorkflow(file, realFiles(env), known);
  const wrong = findings.find(({ severity }) => severity === "error");
  if (workflow && !wrong) return { workflow };
  return problem("invalid-workflow", `\`${written}\` is not valid: ${wrong?.message ?? "it cannot be read"}`);
}

/** That it is empty as it stands in the file is said where the file is read. */
function secretProblems({ webhook, written }: KnownTrigger): readonly Said[] {
  const path = ["webhook", "secret"];
  if (webhook?.secret === "") {
    const [variable = "the variable that it comes from"] = environmentNames([written(path)]);
    const message = `its secret is empty, so every delivery is refused. Set ${variable}.`;
    return [{ rule: "empty-secret", path, message, severity: "warning" }];
  }
  if (webhook?.verify !== "standard-webhooks" || isStandardSecret(webhook.secret)) return [];
  const message =
    "its secret is no base64, so no delivery would be taken for genuine. Standard Webhooks gives secrets such as `whsec_MfKQ9r8G…`; take yours as the sender shows it.";
  return [{ rule: "secret-format", path, message }];
}

/** By what they come to, or where that is not known here, by how they are written. */
function* sharedSecrets(triggers: readonly KnownTrigger[]): Iterable<Finding> {
  const known = new Map<string, KnownTrigger>();
  for (const trigger of triggers) {
    const { webhook, written } = trigger;
    if (!webhook) continue;
    const path = ["webhook", "secret"];
    const secret = webhook.secret === "" ? `as written: ${written(path)}` : webhook.secret;
    const other = known.get(secret);
    if (other === undefined) known.set(secret, trigger);
    else if (other.webhook?.path !== webhook.path)
      yield finding(trigger, {
        rule: "shared-secret",
        path,
        message: `it has the same secret as \`${other.name}\`, so that whatever is signed for \`${other.webhook?.path}\` is also taken at \`${webhook.path}\`. Give each path a secret of its own.`,
        severity: "warning",
      });
  }
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
    const path = ["on_run", "workflow"];
    yield finding(trigger, { rule: "unknown-workflow", path, message, severity: "warning", suggestions });
  }
  const reported = new Set<string>();
  for (const trigger of following) {
    const circle = circleOf(trigger, following);
    if (!circle || circle.some((name) => reported.has(name))) continue;
    for (const name of circle) reported.add(name);
    const [, ...others] = circle;
    const way = others.length === 0 ? "" : ` by way of ${listedNames(others, "and")}`;
    const message = `each of its runs sets it off again${way}. The chain ends after ${LONGEST_CHAIN} runs; \`when\`, \`on_run.status\` or \`on_run.kind\` can end it before.`;
    yield finding(trigger, { rule: "trigger-circle", path: ["on_run"], message, severity: "warning" });
  }
}

/** Where a template decides, it is known when it fires. */
function cellProblems({ cell }: KnownTrigger, { definition }: LoadedWorkflow): readonly Said[] {
  const wanted = definition.workflow.runtime.cell?.trim();
  if (!cell || !wanted || cell === wanted || isRendered(cell) || isRendered(wanted)) return [];
  const message = `it fires in the cell \`${cell}\`, and its workflow wants the cell \`${wanted}\`. A run is in the cell of its trigger: give both the same \`cell\`.`;
  return [{ rule: "trigger-cell", path: ["cell"], message }];
}

function inputProblems({ inputs }: KnownTrigger, { definition }: LoadedWorkflow): readonly Said[] {
  const fields = definition.workflow.input;
  if (!fields) return [];
  const said = (name: string, message: string, suggestions: readonly string[] = []): Said => ({
    rule: "trigger-input",
    path: ["inputs", name],
    message,
    suggestions,
  });
  const strange = Object.keys(inputs).filter((name) => !Object.hasOwn(fields, name));
  return [
    ...strange.map((name) =>
      said(
        name,
        `the workflow has no input \`${name}\`. It takes ${Object.keys(fields).join(", ") || "none"}.`,
        nearest(name, Object.keys(fields)),
      ),
    ),
    ...Object.entries(fields).flatMap(([name, field]) => {
      const value = inputs[name];
      if (value === undefined)
        return field.required && field.default === undefined
          ? [said(name, `the workflow needs the input \`${name}\`. Give it under \`inputs\`.`)]
          : [];
      const type = Array.isArray(value) ? "array" : typeof value;
      const isTemplate = typeof value === "string" && value.includes("{");
      return isTemplate || type === field.type
        ? []
        : [
            said(
              name,
              `the input \`${name}\` must be of type ${field.type}, and is ${type}.${field.type === "string" && isLiteral(value) ? ` ${PUT_IN_QUOTES}` : ""}`,
            ),
          ];
    }),
  ];
}

/** A trigger with the name of the workflow that it starts. */
interface StartingTrigger extends Pick<Trigger, "name" | "on_run"> {
  readonly starts: string;
}

/** The triggers that lead from one back to itself, by name and the shortest way; nothing where no way does. */
function circleOf(
  trigger: StartingTrigger,
  all: readonly StartingTrigger[],
): readonly [string, ...string[]] | undefined {
  const ways: (readonly [StartingTrigger, readonly [string, ...string[]]])[] = [[trigger, [trigger.name]]];
  const seen = new Set<string>();
  for (const [{ starts }, way] of ways) {
    if (starts === trigger.on_run?.workflow) return way;
    if (seen.has(starts)) continue;
    seen.add(starts);
    for (const next of all) if (next.on_run?.workflow === starts) ways.push([next, [...way, next.name]]);
  }
  return undefined;
}

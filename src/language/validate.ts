// Everything that can be said about a workflow before it runs: form, then meaning, for the file and all that it calls.

import { type LoadOptions, loadWorkflow } from "./load.ts";
import { type Finding, inOrder, type LoadedWorkflow, type LoadWorld, stepsOf } from "./loaded.ts";
import { RULES } from "./rules/index.ts";
import { createRuleContext, type KnownPeople, type Parent, type Rule, type RuleContext } from "./rules/rule.ts";
import { NO_STEP_TYPE } from "./schema/names.ts";

export interface ValidateOptions extends LoadOptions {
  /** The file is only ever called by others, so it may let errors out to them. */
  readonly asChild?: boolean;
  /** Names of providers beside those that Segno has. */
  readonly providers?: readonly string[];
  /** Names of policies that a file may ask for with `policy`. */
  readonly policies?: readonly string[];
  /** Why plugins of the project are not loaded, when they are not. */
  readonly missingPlugins?: string;
  /** Who the project knows: whom `approvers` may name. */
  readonly people?: KnownPeople;
}

export interface Validation {
  readonly workflow?: LoadedWorkflow;
  /** Errors and warnings: the root file's first, then by file, line and column; each once. */
  readonly findings: readonly Finding[];
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Loads a file and checks every rule, on it and on each file that it calls.
 *
 * @example
 * const { workflow, findings } = validateWorkflow("release.yaml", world);
 * const isValid = !findings.some((finding) => finding.severity === "error");
 */
export function validateWorkflow(file: string, world: LoadWorld, options: ValidateOptions = {}): Validation {
  const { workflow, findings: form, sources } = loadWorkflow(file, world, options);
  const findings = options.missingPlugins === undefined ? form : form.map(toldOf(options.missingPlugins));
  const meaning: Finding[] = [];
  if (workflow)
    for (const visit of visits(workflow, options.asChild ?? false)) meaning.push(...judge(visit, world, options));
  const all = inOrder([...findings, ...meaning], workflow?.file);
  return {
    ...(workflow ? { workflow } : {}),
    findings: all.map((finding) => withEnd(finding, (file) => sources.get(file))),
    sources,
  };
}

/** A type that is not known may be one of a plugin that is not loaded. */
const toldOf =
  (missingPlugins: string) =>
  (finding: Finding): Finding =>
    finding.rule === "wrong-type" && finding.message.startsWith(NO_STEP_TYPE) && finding.suggestions.length === 0
      ? { ...finding, message: `${finding.message} ${missingPlugins}` }
      : finding;

interface Visit {
  readonly workflow: LoadedWorkflow;
  readonly asChild: boolean;
  readonly parent?: Parent | undefined;
  readonly via: readonly string[];
}

/** Each file once, in the order in which steps lead to them. */
function* visits(root: LoadedWorkflow, asChild: boolean): Iterable<Visit> {
  const seen = new Set<string>([root.file]);
  const queue: Visit[] = [{ workflow: root, asChild, via: [] }];
  for (let visit = queue.shift(); visit; visit = queue.shift()) {
    yield visit;
    const { workflow, parent, via } = visit;
    for (const step of stepsOf(workflow.definition)) {
      const child = step.type === "workflow" ? workflow.children.get(step.workflow) : undefined;
      if (!child || seen.has(child.file)) continue;
      seen.add(child.file);
      queue.push({
        workflow: child,
        asChild: true,
        parent: { workflow, step: step.name, ...(parent ? { parent } : {}) },
        via: [...via, step.name],
      });
    }
  }
}

function judge({ workflow, asChild, parent, via }: Visit, world: LoadWorld, options: ValidateOptions): Finding[] {
  let context: RuleContext;
  try {
    const { lacks } = world;
    const hasFile = (pattern: string): boolean => world.hasFile?.(pattern, workflow.dir) ?? true;
    context = createRuleContext(workflow, { ...options, asChild, parent, lacks, hasFile });
  } catch (error) {
    return [defect("analysis", workflow, error)];
  }
  const isFlowBroken = workflow.standIns.some((path) => path.some((key) => FLOW_FIELDS.includes(key)));
  const rules = isFlowBroken ? RULES.filter((rule) => !FLOW_RULES.includes(rule.name)) : RULES;
  return rules
    .flatMap((rule) => applied(rule, context))
    .map((finding) => (via.length > 0 ? { ...finding, via } : finding));
}

/** Where one of these is broken, the ways through the file are not known, and what depends on them would accuse the wrong step. */
const FLOW_FIELDS: readonly unknown[] = ["routes", "error_routes", "entry_point", "options", "type", "workflow"];
const FLOW_RULES: readonly string[] = [
  "unreachable-step",
  "no-way-to-end",
  "output-not-on-every-path",
  "read-before-run",
];

function applied(rule: Rule, context: RuleContext): Finding[] {
  try {
    return [...rule.check(context)];
  } catch (error) {
    return [defect(rule.name, context.workflow, error)];
  }
}

/** A rule that fails is our mistake; the other rules still speak. */
function defect(name: string, workflow: LoadedWorkflow, error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    rule: "internal",
    severity: "error",
    message: `Segno has a defect: \`${name}\` could not be checked (${reason}). Please report it with this file.`,
    location: workflow.positions.at([]),
    suggestions: [],
  };
}

/**
 * Where a finding ends, when what made it knew only where it begins: with the word or value that stands there. `textOf`
 * gives the text of a file; nothing where it cannot be read.
 */
export function withEnd(finding: Finding, textOf: (file: string) => string | undefined): Finding {
  const { location, end } = finding;
  if (end && (end.line > location.line || (end.line === location.line && end.column > location.column))) return finding;
  const line = textOf(location.file)?.split("\n", location.line)[location.line - 1] ?? "";
  const rest = line.slice(location.column - 1);
  const length = (/^(?:"[^"]*"|'[^']*'|[^\s:,{}[\]]+)/.exec(rest)?.[0] ?? rest.trimEnd()).length;
  return { ...finding, end: { line: location.line, column: location.column + Math.max(1, length) } };
}

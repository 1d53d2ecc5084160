// What a validation rule is, and what it is handed. One rule, one file, one test beside it.
import { type Facts, gatherFacts } from "../analysis/facts.ts";
import type { Finding, LoadedWorkflow, Location, NodePath, Severity } from "../loaded.ts";

export interface FindingOptions {
  /** Whether it is about the key or the value at the path; the value when left out. */
  readonly at?: "key" | "value";
  /** Nearest names or texts that would do, best first. */
  readonly suggestions?: readonly string[];
  /** The step or group it is about. */
  readonly node?: string | null;
  /** A place inside the text at the path, 1-based: for templates. */
  readonly line?: number;
  readonly column?: number;
  /** Of a rule that may warn: this finding does. */
  readonly severity?: "warning";
}

/** The calling step, and what called that: who gets the errors that this file lets out. */
export interface Parent {
  readonly workflow: LoadedWorkflow;
  readonly step: string;
  readonly parent?: Parent;
}

export interface KnownPeople {
  readonly people: readonly string[];
  readonly groups: readonly string[];
}

export interface RuleContext {
  readonly workflow: LoadedWorkflow;
  /** Whether the file is only ever called by others. */
  readonly asChild: boolean;
  readonly parent?: Parent;
  /** Names of providers beside those that Segno has. */
  readonly providers: readonly string[];
  /** Names of policies that plugins bring. */
  readonly policies: readonly string[];
  /** Why plugins of the project are not loaded, when they are not. */
  readonly missingPlugins?: string;
  /** Who the project knows, by name. */
  readonly people: KnownPeople;
  /** Whether this machine is known not to have a command. */
  lacks(command: string): boolean;
  readonly facts: Facts;
  /** Makes a finding of the rule that is being checked. */
  finding(path: NodePath, message: string, options?: FindingOptions): Finding;
}

export interface Rule {
  readonly name: string;
  readonly severity: Severity;
  /** Of a rule of severity `error` whose findings may say that they are only a warning. */
  readonly mayWarn?: true;
  /** One line that teaches, for the reference. */
  readonly description: string;
  /** A few lines of YAML that the rule speaks up about. */
  readonly example?: string;
  check(context: RuleContext): Iterable<Finding>;
}

export interface ContextOptions {
  readonly asChild: boolean;
  readonly parent?: Parent;
  readonly providers?: readonly string[];
  readonly policies?: readonly string[];
  readonly missingPlugins?: string;
  readonly people?: KnownPeople;
  readonly lacks?: RuleContext["lacks"];
}

/**
 * Makes what rules are checked with. Facts are computed once and shared by all rules.
 *
 * @example
 * const context = createRuleContext(workflow, { asChild: false });
 * const findings = RULES.flatMap((rule) => [...rule.check(context)]);
 */
export function createRuleContext(
  workflow: LoadedWorkflow,
  {
    asChild,
    parent,
    providers = [],
    policies = [],
    missingPlugins,
    people = { people: [], groups: [] },
    lacks = () => false,
  }: ContextOptions,
): RuleContext {
  const place = (path: NodePath, { at, line, column }: FindingOptions): Location => {
    if (line !== undefined) return workflow.positions.inside(path, line, column ?? 1);
    return at === "key" ? workflow.positions.key(path) : workflow.positions.at(path);
  };
  const endOf = ({ line, column }: Location) => ({ line, column });
  return {
    workflow,
    asChild,
    ...(parent ? { parent } : {}),
    providers,
    policies,
    ...(missingPlugins === undefined ? {} : { missingPlugins }),
    people,
    lacks,
    facts: gatherFacts(workflow),
    finding: (path, message, options = {}) => ({
      rule: "",
      severity: options.severity ?? "error",
      message,
      location: place(path, options),
      end: endOf(workflow.positions.end(path, options)),
      suggestions: options.suggestions ?? [],
      ...(typeof options.node === "string" ? { node: options.node } : {}),
    }),
  };
}

/** Defines a rule. Its findings carry its name and severity without its saying so. */
export function defineRule({ check, ...rule }: Rule): Rule {
  const { name, severity, mayWarn } = rule;
  const own = (finding: Finding): Finding => ({
    ...finding,
    rule: name,
    severity: mayWarn ? finding.severity : severity,
  });
  return { ...rule, check: (context) => Array.from(check(context), own) };
}

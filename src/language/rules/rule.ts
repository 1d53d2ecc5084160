// What a validation rule is, what it is handed, and how rules put names into sentences, so that all of them sound alike.
// One rule, one file, one test beside it.

import { listedNames, nearest } from "../../base/errors/nearest.ts";
import { type Facts, gatherFacts, type Read } from "../analysis/facts.ts";
import type { Finding, LoadedWorkflow, Location, NodePath, Severity } from "../loaded.ts";

export interface FindingOptions {
  /** Whether it is about the key or the value at the path; the value when left out. */
  readonly at?: "key" | "value";
  /** Nearest names or texts that would do, best first. */
  readonly suggestions?: readonly string[];
  /** The step or group it is about. */
  readonly node?: string | null | undefined;
  /** A place inside the text at the path, 1-based: for templates. */
  readonly line?: number;
  readonly column?: number;
  /** Of a rule that may warn: this finding does. */
  readonly severity?: "warning" | undefined;
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
  readonly parent: Parent | undefined;
  /** Names of providers beside those that Segno has. */
  readonly providers: readonly string[];
  /** Names of policies that plugins bring. */
  readonly policies: readonly string[];
  /** Why plugins of the project are not loaded, when they are not. */
  readonly missingPlugins: string | undefined;
  /** Who the project knows, by name. */
  readonly people: KnownPeople;
  /** Whether this machine is known not to have a command. */
  lacks(command: string): boolean;
  /** Whether a file matches the pattern, relative to the folder of the workflow file; true where no files are looked at. */
  hasFile(pattern: string): boolean;
  readonly facts: Facts;
  /** Makes a finding of the rule that is being checked. */
  finding(path: NodePath, message: string, options?: FindingOptions): Finding;
  /** The same about a step or group, or a place in it. */
  about(
    node: { readonly name: string | undefined; readonly path: NodePath },
    path: NodePath,
    message: string,
    options?: FindingOptions,
  ): Finding;
  /** The same about what a template reads. */
  inText(read: Pick<Read, "site" | "line" | "column">, message: string, options?: FindingOptions): Finding;
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

type CheckedWith = Pick<
  RuleContext,
  "parent" | "providers" | "policies" | "missingPlugins" | "people" | "lacks" | "hasFile"
>;
export type ContextOptions = Pick<RuleContext, "asChild"> & {
  readonly [Key in keyof CheckedWith]?: CheckedWith[Key] | undefined;
};

/** Marks a finding about something that only stands in for a broken value: no news. */
const aboutStandIn = Symbol("about a stand-in");

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
    hasFile = () => true,
  }: ContextOptions,
): RuleContext {
  const { positions, standIns } = workflow;
  const place = (path: NodePath, { at, line, column }: FindingOptions): Location => {
    if (line !== undefined) return positions.inside(path, line, column ?? 1);
    return at === "key" ? positions.key(path) : positions.at(path);
  };
  const isStandIn = (path: NodePath): boolean => standIns.some((at) => at.every((key, index) => path[index] === key));
  const finding: RuleContext["finding"] = (path, message, options = {}) => {
    const { line, column } = positions.end(path, options);
    const { severity = "error", suggestions = [], node } = options;
    return {
      rule: "",
      severity,
      message,
      location: place(path, options),
      end: { line, column },
      suggestions,
      ...(typeof node === "string" ? { node } : {}),
      ...(isStandIn(path) ? { [aboutStandIn]: true } : {}),
    };
  };
  return {
    workflow,
    asChild,
    parent,
    providers,
    policies,
    missingPlugins,
    people,
    lacks,
    hasFile,
    finding,
    facts: gatherFacts(workflow),
    about: ({ name, path }, below, message, options) =>
      finding([...path, ...below], message, { node: name, ...options }),
    inText: ({ site, line, column }, message, options) =>
      finding(site.path, message, { node: site.node, line, column, ...options }),
  };
}

/** Defines a rule. Its findings carry its name and severity without its saying so. */
export function defineRule({ check, ...rule }: Rule): Rule {
  const { name, severity, mayWarn } = rule;
  return {
    ...rule,
    check: (context) =>
      [...check(context)]
        .filter((finding) => !(aboutStandIn in finding))
        .map((finding) => ({ ...finding, rule: name, severity: mayWarn ? finding.severity : severity })),
  };
}

export { didYouMean } from "../../base/errors/nearest.ts";

export const code = (text: string): string => `\`${text}\``;

/** `a`, `b` or `c`; long lists are cut. */
export function listed(names: readonly string[], conjunction: "or" | "and" = "or", most = 8): string {
  if (names.length <= most) return listedNames(names, conjunction);
  return `${names.slice(0, most).map(code).join(", ")} … (${names.length} in all)`;
}

/** A path as it would stand in a template. */
export const dotted = (path: readonly (string | number)[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    if (text === "") return part;
    return /^[A-Za-z_]\w*$/.test(part) ? `${text}.${part}` : `${text}['${part}']`;
  }, "");

/** How to call a node of this type in a sentence. */
export function called(type: string): string {
  if (type === "parallel" || type === "for_each") return `${type} group`;
  return type === "agent" ? "agent" : `${type} step`;
}

/**
 * Names close to a word, judged from both sides: `planr` is two letters short of `planner`, which is much for the short
 * word and little for the long one. The nearest candidates, best first, at most three.
 */
export function closest(word: string, candidates: Iterable<string>): readonly string[] {
  const names = [...new Set(candidates)];
  const found = nearest(word, names);
  if (found.length > 0) return found;
  return names.filter((name) => nearest(name, [word]).length > 0).slice(0, 3);
}

// Which names templates can say, and what becomes of one that they cannot: `my-step` is `my` minus `step`.

/** What a template reads as an operator or a constant wherever a name may stand; every other word it takes for a name. */
const WORDS: ReadonlySet<string> = new Set("not true false none True False None null".split(" "));

export const isIdentifier = (name: string): boolean =>
  /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(name) && !WORDS.has(name);

const NOT_IN_NAMES = /[^\p{ID_Continue}]+/gu;

/** The nearest name that templates can say. */
export function toIdentifier(name: string): string {
  const spelled = name
    .trim()
    .replace(NOT_IN_NAMES, "_")
    .replace(/^(?=\p{N})/u, "_");
  return isIdentifier(spelled) ? spelled : `${spelled}_step`;
}

/** The words that a template takes such a name for. */
export const wordsOf = (name: string): readonly string[] => name.split(NOT_IN_NAMES).filter((word) => word !== "");

// What a file says at a place, before defaults and readings: for rules about how something is written.

/** The characters of a number or a boolean as the file has them: `1.10`, where its value is 1.1. */
export function scalarText({ positions, sources }: LoadedWorkflow, path: NodePath, value: unknown): string {
  const { file, line, column } = positions.at(path);
  const rest = sources
    .get(file)
    ?.split("\n")
    [line - 1]?.slice(column - 1);
  return rest?.match(/^[^\s,}\]#]+/)?.[0] ?? String(value);
}

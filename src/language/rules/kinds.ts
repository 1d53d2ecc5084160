// Every place of a file that names kinds of error, which kind a word was meant as, and what each word of an `on_error`
// comes to on its step: fine, an undeclared kind, or one that cannot happen.

import { isEngineKind, isSelectorWord, KINDS, matches } from "../../base/errors/index.ts";
import type { Facts } from "../analysis/facts.ts";
import type { FlowNode } from "../analysis/nodes.ts";
import { ANY, type Raise } from "../analysis/raises.ts";
import { type NodePath, retriedKindsPath } from "../loaded.ts";
import { eachRoute } from "./parts-of-file.ts";
import type { RuleContext } from "./rule.ts";

/** What classes of other tools are called here, where the name itself does not say it. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["validation", "internal.schema_violation"],
  ["connection", "http.network"],
  ["connect", "http.network"],
  ["rate_limit", "provider.exhausted"],
  ["provider", "provider.exhausted"],
  ["execution", "internal.script_error"],
  ["called_process", "internal.script_error"],
  ["undefined", "internal.template_error"],
  ["sub_workflow", "subworkflow.failed"],
  ["circuit_breaker", "circuit.open"],
]);

/** `requests.TimeoutError` → `timeout`. */
const lastPart = (word: string): string =>
  (word.trim().split(".").at(-1) ?? "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[\s/:-]+/g, "_")
    .replace(/_?(?:error|exception)$/, "");

/** The kinds, of those that the step can raise or else of the engine's, that end as the word does; at most three. */
export function meantKinds(word: string, raised: readonly string[]): readonly string[] {
  const part = lastPart(word);
  if (part.length < 3) return [];
  const fits = (kind: string): boolean => {
    const last = kind.slice(kind.lastIndexOf(".") + 1);
    return last === part || last === `${part}_error` || (part.length > 3 && last.startsWith(`${part}_`));
  };
  const own = raised.filter(fits);
  if (own.length > 0) return own.slice(0, 3);
  const named = CLASSES.get(part);
  if (named !== undefined && KINDS.has(named)) return [named];
  return [...KINDS.keys()].filter(fits).slice(0, 1);
}

const BY_KIND: Readonly<Record<string, string>> = {
  "internal.timeout": "a step with a `timeout` raises it",
  "internal.no_route": "a step whose success routes all have a `when` raises it",
  "internal.schema_violation": "a step with an `output` schema raises it",
  "internal.script_error": "a script raises it",
  "internal.command_not_found": "a script raises it",
  "internal.resource_exhausted": "a script raises it",
  "gate.timeout": "a gate or questions with a `timeout` raise it",
  "halt.intentional": "a `halt` route ends the run with it",
};

const BY_PREFIX: Readonly<Record<string, string>> = {
  provider: "agents raise it when their model does not answer",
  http: "http steps raise it",
  mcp: "mcp steps, and agents with tools of MCP servers, raise it",
  subworkflow: "workflow steps raise it",
  circuit: "agents, http and mcp steps raise it, and any step below a breaker with `scope: step`",
  internal: "the engine raises it",
};

/**
 * What raises an engine kind, for findings about one that is named where it cannot happen. A sentence part: "agents
 * raise it when their model does not answer".
 */
export const raisedBy = (kind: string): string =>
  BY_KIND[kind] ?? BY_PREFIX[kind.slice(0, kind.indexOf("."))] ?? "the engine raises it";

export interface JudgedWord {
  readonly verdict: "undeclared" | "never";
  readonly word: string;
  readonly path: NodePath;
  readonly node: FlowNode | undefined;
  /** What could have been named instead. */
  readonly raises: readonly Raise[];
}

/** Always allowed, since a parent may bring policies along. */
const isAboutPolicies = (word: string): boolean => matches(word, "policy.denied");

function judge(word: string, raises: readonly Raise[]): JudgedWord["verdict"] | undefined {
  const kinds = raises.map(({ kind }) => kind);
  if (word === "halt.intentional" || word === "halt.*") return "never";
  if (isAboutPolicies(word)) return undefined;
  if (kinds.some((kind) => kind !== ANY && matches(word, kind))) return undefined;
  if (isEngineKind(word)) return "never";
  if (kinds.includes(ANY)) return undefined;
  return raises.some(({ source }) => source === "declared" || source === "raise_when") ? "undeclared" : "never";
}

/** Defaults serve every step of a file, so only words that no step at all could raise are judged there. */
const judgeDefault = (word: string): JudgedWord["verdict"] | undefined =>
  isEngineKind(word) && ![...KINDS.keys()].some((kind) => kind !== "halt.intentional" && matches(word, kind))
    ? "never"
    : undefined;

/** The words of all error routes that will never match. */
export function* judgedWords(context: RuleContext): Generator<JudgedWord> {
  for (const { route, path, node } of eachRoute(context)) {
    if (route.on_error === undefined || route.on_error === false) continue;
    const at: NodePath = [...path, "on_error"];
    const raises = node ? context.facts.raises(node) : [];
    const words = Array.isArray(route.on_error)
      ? route.on_error.map((word, index) => ({ word, path: [...at, index] }))
      : [{ word: route.on_error === true ? "*" : route.on_error, path: at }];
    for (const { word, path: place } of words) {
      if (!isSelectorWord(word)) continue;
      const silent = node && !context.facts.canRaise(node) && !isAboutPoliciesOnly(word);
      const verdict = silent ? "never" : word === "*" ? undefined : node ? judge(word, raises) : judgeDefault(word);
      if (verdict) yield { verdict, word, path: place, node, raises };
    }
  }
}

const isAboutPoliciesOnly = (word: string): boolean => word !== "*" && isAboutPolicies(word);

export interface KindList {
  /** `raises` and `raise_when` name kinds that a step raises; `on_error` and `selector` match them. */
  readonly role: "raises" | "raise_when" | "on_error" | "selector";
  readonly path: NodePath;
  readonly node: string | undefined;
  /** What stands there, when it is no list of words at all. */
  readonly value: unknown;
  readonly words: readonly { readonly word: string; readonly path: NodePath }[];
}

const wordsIn = (value: unknown, path: NodePath): KindList["words"] => {
  if (typeof value === "string") return [{ word: value, path }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((word, index) => (typeof word === "string" ? [{ word, path: [...path, index] }] : []));
};

const gathered = new WeakMap<Facts, readonly KindList[]>();

/** Lists them in the order of the definition; once for each file, as several rules ask. */
export function kindLists(context: RuleContext): readonly KindList[] {
  const known = gathered.get(context.facts) ?? [...gather(context)];
  gathered.set(context.facts, known);
  return known;
}

function* gather(context: RuleContext): Generator<KindList> {
  const list = (role: KindList["role"], value: unknown, path: NodePath, node?: string): KindList => ({
    role,
    path,
    node,
    value,
    words: wordsIn(value, path),
  });
  for (const node of context.facts.nodes.all) {
    if (node.kind !== "step" || node.step.type === "terminate") continue;
    const { raises, raise_when } = node.step;
    if (raises) yield list("raises", raises, [...node.path, "raises"], node.name);
    for (const [index, rule] of (raise_when ?? []).entries())
      yield list("raise_when", rule.kind, [...node.path, "raise_when", index, "kind"], node.name);
  }
  for (const { route, path, node } of eachRoute(context))
    if (route.on_error !== undefined) yield list("on_error", route.on_error, [...path, "on_error"], node?.name);
  const { resilience } = context.workflow.definition.workflow;
  const at = ["workflow", "resilience"];
  if (resilience?.retry?.retryable)
    yield list("selector", resilience.retry.retryable, retriedKindsPath(context.workflow));
  if (resilience?.circuit_breaker?.counts)
    yield list("selector", resilience.circuit_breaker.counts, [...at, "circuit_breaker", "counts"]);
}

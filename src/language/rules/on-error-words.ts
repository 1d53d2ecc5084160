// What each word of an `on_error` comes to on its step: fine, an undeclared kind, or one that cannot happen.
// Two rules share this judgement, so that no word is accused twice.
import { isEngineKind, isSelectorWord, KINDS, matches } from "../../errors/index.ts";
import type { FlowNode } from "../analysis/nodes.ts";
import { ANY, type Raise } from "../analysis/raises.ts";
import type { NodePath } from "../loaded.ts";
import { eachRoute } from "./each-route.ts";
import type { RuleContext } from "./rule.ts";

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
  const engines = isEngineKind(word);
  if (engines) return "never";
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

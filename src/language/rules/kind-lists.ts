// Every place of a file that names kinds of error, with the place of each word.
import type { Facts } from "../analysis/facts.ts";
import type { NodePath } from "../loaded.ts";
import { eachRoute } from "./each-route.ts";
import type { RuleContext } from "./rule.ts";

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
  if (resilience?.retry?.retryable) yield list("selector", resilience.retry.retryable, [...at, "retry", "retryable"]);
  if (resilience?.circuit_breaker?.counts)
    yield list("selector", resilience.circuit_breaker.counts, [...at, "circuit_breaker", "counts"]);
}

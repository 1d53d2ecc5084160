import { isEngineKind, isKind } from "../../base/errors/index.ts";
import { errorFlow, type KindFlow } from "../analysis/error-flow.ts";
import { declaredKinds } from "../analysis/raises.ts";
import type { NodePath } from "../loaded.ts";
import { code, defineRule, type Parent, type RuleContext } from "./rule.ts";

/** What calling steps do about a kind that crossed into them, nearest first, up to one that takes it. */
function* flowsAbove(kind: string, parent: Parent | undefined): Generator<KindFlow> {
  if (!parent) return;
  const definition = parent.workflow.definition;
  const inline = (definition.for_each ?? []).map((group) => group.agent);
  const step = [...(definition.agents ?? []), ...inline].find(({ name }) => name === parent.step);
  const declared = step ? declaredKinds(step) : undefined;
  const arrives = declared && !declared.includes(kind) && !isEngineKind(kind) ? "internal.undeclared_kind" : kind;
  const flow = errorFlow(parent.workflow).steps.find(({ node_id }) => node_id === parent.step);
  const found = flow?.raises.filter((entry) => entry.kind === arrives) ?? [];
  yield* found;
  if (!found.some(isHandled)) yield* flowsAbove(arrives, parent.parent);
}

const isHandled = ({ handled_by }: KindFlow): boolean => handled_by !== undefined;

function* declaredPlaces({ facts }: RuleContext): Generator<{ name: string; kind: string; path: NodePath }> {
  for (const node of facts.nodes.all) {
    if (node.kind !== "step" || node.step.type === "terminate") continue;
    const seen = new Set<string>();
    const { raises, raise_when } = node.step;
    const places = [
      ...(raises ?? []).map((kind, index) => ({ kind, path: [...node.path, "raises", index] })),
      ...(raise_when ?? []).map(({ kind }, index) => ({ kind, path: [...node.path, "raise_when", index, "kind"] })),
    ];
    for (const { kind, path } of places) {
      // What is no kind of the author's is refused by other rules.
      if (!seen.has(kind) && isKind(kind) && !isEngineKind(kind)) yield { name: node.name, kind, path };
      seen.add(kind);
    }
  }
}

/** A route with a condition is the author's answer. */
const isConditional = ({ first }: KindFlow): boolean => first?.some(({ when }) => when !== undefined) ?? false;

const isRetried = ({ first }: KindFlow): boolean => first?.some(({ action }) => action === "retry") ?? false;

/** What is missing for the kind to be handled; `above`: what callers do about it, none for a root. */
function wanting(found: KindFlow, above: readonly KindFlow[] | undefined): string {
  const usedUp = "once its retries are used up";
  const retriedAbove = above?.some(isRetried) ?? false;
  if (found.propagated_by)
    return `it is propagated to the workflow that calls this one, where ${retriedAbove ? `${usedUp} ` : ""}no error route takes it`;
  const here = `${isRetried(found) ? `${usedUp} ` : ""}no error route takes it`;
  if (!above) return here;
  return retriedAbove
    ? `${here} here, nor in the workflow that calls this one ${usedUp}`
    : `${here}, here or in the workflow that calls this one`;
}

/** A group that goes on loses the member, and raises only where nothing else is left of it. */
function wouldFollow({ facts }: RuleContext, name: string): string {
  const groups = facts.nodes.all.filter((node) => node.kind === "group" && node.members.includes(name));
  const goesOn = groups.find((node) => node.kind === "group" && node.group.failure_mode === "continue_on_error");
  return groups.length === 1 && goesOn
    ? `${code(goesOn.name)} would go on without it, and the run fail with it only if no member succeeds`
    : "the run would fail with it";
}

export const errorUnhandled = defineRule({
  name: "error-unhandled",
  severity: "warning",
  description:
    "Every kind that a step declares is routed somewhere: by the step, its group, `error_routes`, or the workflow that calls this one. A kind that `resilience` keeps as a dead letter needs no route.",
  example: "raises: [a.b, a.c]\nroutes:\n  - to: $end\n  - { on_error: a.b, to: handler }",
  *check(context) {
    // A file that is only ever called leaves its errors to its caller, which is not known here.
    if (context.asChild && !context.parent) return;
    const { facts, parent } = context;
    const flows = new Map(
      facts.errors.steps.flatMap(({ node_id, raises }) => raises.map((one) => [`${node_id} ${one.kind}`, one])),
    );
    const unhandled = new Set(facts.errors.unhandled.map(({ node_id, kind }) => `${node_id} ${kind}`));
    for (const { name, kind, path } of declaredPlaces(context)) {
      const id = `${name} ${kind}`;
      const found = flows.get(id);
      // A propagate at the root is another rule's to tell of.
      if (!unhandled.has(id) || !found || (found.propagated_by && !parent)) continue;
      // A route would take the error before it is retried and kept.
      if (found.resilience?.dead_letter) continue;
      const above = [...flowsAbove(kind, parent)];
      if (above.some(isHandled) || [found, ...above].some(isConditional)) continue;
      yield context.finding(
        path,
        `${code(name)} may raise ${code(kind)}, and ${wanting(found, parent && above)}: ${wouldFollow(context, name)}. Add \`- { on_error: ${kind}, to: … }\` to its routes, or a default to \`error_routes\`.`,
        { node: name, suggestions: [`- { on_error: ${kind}, to: … }`] },
      );
    }
  },
});

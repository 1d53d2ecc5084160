// error-reference-undeclared: an error is read where it cannot be, because no error route leads there.
import type { Read } from "../analysis/reads.ts";
import { END } from "../analysis/routes.ts";
import { resolveNode } from "./resolve-read.ts";
import { defineRule, type RuleContext } from "./rule.ts";
import { code, dotted } from "./wording.ts";

const GUARD = "or guard it with `is defined` or `default`";

/** Whether the read happens on an error route of the very step that raised. */
const isOwnErrorRoute = ({ site }: Read, name: string): boolean =>
  site.node === name && (site.role === "error route" || site.role === "raise_when");

function complaint(read: Read, name: string, { facts }: RuleContext): string | undefined {
  const { site } = read;
  const { graph, nodes } = facts;
  // A failed end and a default error route may follow any error.
  if (site.role === "hook" || (site.node === null && site.role === "error route")) return undefined;
  if (isOwnErrorRoute(read, name)) return undefined;
  const reader = site.node ?? END;
  if (!graph.reachable.has(reader)) return undefined;
  const raiser = nodes.get(name);
  const node = nodes.get(reader);
  const siblings =
    raiser?.kind === "step" &&
    node?.kind === "step" &&
    raiser !== node &&
    node.groups.some((group) => raiser.groups.includes(group));
  if (siblings)
    return `${code(reader)} and ${code(name)} run at the same time in one group, so ${code(reader)} cannot see the other's error. Read it after the group, as ${code(`${node.groups[0]}.errors`)}.`;
  if (graph.afterErrorOf(name).has(reader)) return undefined;
  const where = site.node === null ? "the workflow's output" : code(reader);
  if (raiser && !facts.canRaise(raiser))
    return `${code(dotted(read.path))} can never be there: ${code(name)} has only constants and raises nothing. Remove it, ${GUARD}.`;
  return `${code(dotted(read.path))} is only there after ${code(name)} raised and an error route took it, and no error route of ${code(name)} leads to ${where}. Add one, ${GUARD}.`;
}

export const errorReferenceUndeclared = defineRule({
  name: "error-reference-undeclared",
  severity: "error",
  description:
    "`x.error` exists only after `x` raised. Reading it without a guard needs an error route of `x` that leads to the reader, over any number of steps.",
  example:
    'agents:\n  - { name: a, type: set, value: "1", routes: [{ to: b }] }\n  - { name: b, type: set, value: "{{ a.error.kind }}" }',
  *check(context) {
    const { facts } = context;
    if (!facts.flowKnown) return;
    for (const read of facts.reads.all) {
      if (read.guarded) continue;
      const { site, line, column } = read;
      const [root] = read.path;
      const place = { node: site.node, line, column };
      if (root === "error" && !site.locals.includes("error") && !facts.nodes.names.has("error")) {
        if (site.node !== null && !facts.graph.reachable.has(site.node)) continue;
        yield context.finding(
          site.path,
          site.node === null
            ? "`error` is not in scope here: it is the envelope that led to a step, and this is no step. Read `<step>.error` of the step that may have raised, with a guard."
            : `\`error\` is the envelope that led to a step, and no error route leads straight to ${code(site.node)}. Read \`<step>.error\` of the step that raised, ${GUARD}.`,
          place,
        );
        continue;
      }
      const named = resolveNode(read, facts);
      if (named?.part !== "error") continue;
      const message = complaint(read, named.name, context);
      if (message) yield context.finding(site.path, message, place);
    }
  },
});

import type { Read } from "../analysis/facts.ts";
import { resolveNode } from "../analysis/named-reads.ts";
import { END } from "../analysis/routes.ts";
import { mayHaveOwnError } from "../analysis/sites.ts";
import { shareGroup } from "./parts-of-file.ts";
import { mayBeBareField } from "./reads.ts";
import { code, defineRule, dotted, type RuleContext } from "./rule.ts";

const GUARD = "or guard it with `is defined` or `default`";

/** Whether the read happens on an error route of the very step that raised. */
const isOwnErrorRoute = ({ site }: Read, name: string): boolean =>
  site.node === name && (site.role === "error route" || site.role === "raise_when");

const isLed = ({ path }: Read): boolean => path[0] === "error";

/** Why `error` is not there: no error route leads to the step, or the step's own error is not there after a success. */
function notLed({ site }: Read, { facts }: RuleContext): string {
  if (site.node === null)
    return "`error` is not in scope here: it is the envelope that led to a step, and this is no step. Read `<step>.error` of the step that may have raised, with a guard.";
  const type = facts.nodes.get(site.node)?.type ?? "";
  if (mayHaveOwnError({ ...site, dialect: "template" }, type))
    return `\`error\` is not there after an attempt of ${code(site.node)} that succeeded, and this condition is read then, too. Write \`error is defined and …\`.`;
  return `\`error\` is the envelope that led to a step, and no error route leads straight to ${code(site.node)}. Read \`<step>.error\` of the step that raised, ${GUARD}.`;
}

/** A guard does not help against a sibling: its error is never there, so what the guard protects would never be used. */
function besideGuard({ site }: Read, name: string, { facts: { graph, nodes } }: RuleContext): string | undefined {
  const reader = site.node;
  if (reader === null || !graph.reachable.has(reader) || graph.canPrecede(name, reader)) return undefined;
  const group = shareGroup(nodes, name, reader);
  return group === undefined ? undefined : besideEachOther(reader, name, group);
}

const besideEachOther = (reader: string, name: string, group: string): string =>
  `${code(reader)} and ${code(name)} run at the same time in one group, so ${code(reader)} cannot see the other's error. Read it after the group, as ${code(`${group}.errors`)}.`;

function complaint(read: Read, name: string, { facts }: RuleContext): string | undefined {
  const { site } = read;
  const { graph, nodes } = facts;
  // A failed end and a default error route may follow any error.
  if (site.role === "hook" || (site.node === null && site.role === "error route")) return undefined;
  if (isOwnErrorRoute(read, name)) return undefined;
  const reader = site.node ?? END;
  if (!graph.reachable.has(reader)) return undefined;
  const raiser = nodes.get(name);
  const group = shareGroup(nodes, name, reader);
  if (group !== undefined) return besideEachOther(reader, name, group);
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
    "`x.error` exists only after `x` raised. Reading it without a guard needs an error route of `x` that leads to the reader, over any number of steps. `error` needs one that leads straight to it. Members of one group never see each other's errors, guarded or not.",
  example:
    'steps:\n  - { name: a, type: set, value: "1", routes: [{ to: b }] }\n  - { name: b, type: set, value: "{{ a.error.kind }}" }',
  *check(context) {
    const { facts } = context;
    if (!facts.flowKnown) return;
    for (const read of facts.reads.all) {
      const { site } = read;
      if (isLed(read) && !facts.nodes.names.has("error")) {
        if (read.guarded || site.locals.includes("error") || mayBeBareField(read, "error", context)) continue;
        if (site.node !== null && !facts.graph.reachable.has(site.node)) continue;
        yield context.inText(read, notLed(read, context));
        continue;
      }
      const named = resolveNode(read, facts);
      if (named?.part !== "error") continue;
      const message = read.guarded ? besideGuard(read, named.name, context) : complaint(read, named.name, context);
      if (message) yield context.inText(read, message);
    }
  },
});

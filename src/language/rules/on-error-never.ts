import { isEngineKind, KINDS, matches } from "../../base/errors/index.ts";
import { withArticle } from "../../base/errors/who-handles.ts";
import { ANY } from "../analysis/raises.ts";
import { type JudgedWord, judgedWords, meantKinds, raisedBy } from "./kinds.ts";
import { called, closest, code, defineRule, didYouMean, listed, type RuleContext } from "./rule.ts";

/** What would have to change for the step to raise this kind, where there is something to say. */
const REMEDY: Readonly<Record<string, string>> = {
  "gate.timeout": "It waits for an answer as long as it takes; add a `timeout` if it should not, and no `on_timeout`.",
  "internal.timeout": "It has no `timeout`; add one if it should be ended after some time.",
  "internal.no_route": "One of its success routes has no `when`, so a route always matches.",
  "internal.template_error": "It has no template.",
  "internal.bad_value": "It has no template whose value could be wrong.",
  "internal.schema_violation": "It has no `output` schema to violate; add one to check its output.",
};

/** Kinds of other types of steps; a step that finds such an error out itself gives it a name of its own. */
const ownInstead = (word: string): string =>
  /^(provider|http|mcp|subworkflow|circuit)\.\w/.test(word)
    ? `Only ${raisedBy(word)}. If this step finds such an error out itself, let it raise a kind of its own, such as ${code(`external.${word}`)} (with \`raises\` or \`raise_when\`), and route that. `
    : "";

function why({ word, node, raises }: JudgedWord, context: RuleContext): string {
  if (word.startsWith("halt."))
    return "A `halt` ends the whole run and is not routable. Remove it; `hooks.on_error` runs on every failed end.";
  if (!node) return `No step raises ${code(word)}: it is not one of the engine's kinds.`;
  const what = `${code(node.name)} is ${withArticle(called(node.type))}`;
  if (!context.facts.canRaise(node))
    return `${code(node.name)} has only constants and can never raise an error, so this route would never be taken. Remove it.`;
  if (isEngineKind(word) && !word.endsWith("*") && !KINDS.has(word))
    return `${code(word)} is not one of the engine's kinds, so this route would never be taken.`;
  const known = raises.map(({ kind }) => kind).filter((kind) => kind !== ANY);
  return `${what} that cannot raise ${code(word)}, so this route would never be taken. ${REMEDY[word] ?? `${ownInstead(word)}It can raise ${listed(known, "and", 20)}.`}`;
}

/** One table of routes may serve many steps; a route for a kind of other steps is never taken, and takes nothing away. */
const isHarmless = ({ word, node }: JudgedWord, { facts }: RuleContext): boolean =>
  node !== undefined &&
  facts.canRaise(node) &&
  isEngineKind(word) &&
  [...KINDS.keys()].some((kind) => kind !== "halt.intentional" && matches(word, kind));

export const onErrorNever = defineRule({
  name: "on-error-never",
  severity: "error",
  mayWarn: true,
  description:
    "An error route names something that its step can really raise. An engine kind that only other steps raise is a warning: a script never raises `provider.exhausted`. An engine kind that does not exist, and any error route on a step that raises nothing (a constant `set`), is an error.",
  example: "type: script\nroutes:\n  - to: $end\n  - { on_error: provider.exhausted, to: handler }",
  *check(context) {
    for (const judged of judgedWords(context)) {
      if (judged.verdict !== "never") continue;
      const { word, path, node, raises } = judged;
      const kinds = raises.map(({ kind }) => kind).filter((kind) => kind !== ANY);
      const near = closest(word, node ? kinds : [...KINDS.keys()]);
      const suggestions = near.length > 0 || KINDS.has(word) ? near : meantKinds(word, kinds);
      const [first = ""] = suggestions;
      const remedy =
        node && !kinds.includes(first) && REMEDY[first] ? ` ${REMEDY[first]?.replace(/^It\b/, code(node.name))}` : "";
      yield context.finding(path, `${why(judged, context)}${didYouMean(suggestions)}${remedy}`, {
        node: node?.name,
        suggestions,
        ...(isHarmless(judged, context) ? { severity: "warning" as const } : {}),
      });
    }
  },
});

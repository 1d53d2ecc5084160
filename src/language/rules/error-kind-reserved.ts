import { ENGINE_PREFIXES, isEngineKind, KINDS } from "../../base/errors/index.ts";
import { withArticle } from "../../base/errors/who-handles.ts";
import type { FlowNode } from "../analysis/nodes.ts";
import { kindLists, raisedBy } from "./kinds.ts";
import { called, code, defineRule, listed, type RuleContext } from "./rule.ts";

export const errorKindReserved = defineRule({
  name: "error-kind-reserved",
  severity: "error",
  description:
    "Prefixes such as `internal.` and `http.` belong to the engine. Its kinds need no declaration, and yours need another prefix.",
  example: "raises: [internal.mine]",
  *check(context) {
    for (const { role, words, node } of kindLists(context)) {
      if (role !== "raises" && role !== "raise_when") continue;
      for (const { word, path } of words) {
        if (!isEngineKind(word)) continue;
        const prefix = ENGINE_PREFIXES.find((own) => word.startsWith(own)) ?? "";
        const rest = word.slice(prefix.length);
        yield context.finding(
          path,
          KINDS.has(word)
            ? ofTheEngine(word, context.facts.nodes.get(node ?? ""), context)
            : `${code(word)} begins with ${code(prefix)}, which belongs to the engine. The engine's kinds need no declaration; give yours another prefix. Reserved are ${listed(ENGINE_PREFIXES, "and", 20)}.`,
          { node, suggestions: KINDS.has(word) ? [] : [`external.${rest}`] },
        );
      }
    }
  },
});

/** Routes of a step may name an engine kind only when the step can raise it: what is said here must hold there. */
function ofTheEngine(word: string, node: FlowNode | undefined, { facts }: RuleContext): string {
  const isRaised = !node || word === "policy.denied" || facts.raises(node).some(({ kind }) => kind === word);
  return isRaised
    ? `${code(word)} is one of the engine's own kinds and needs no declaration: routes may name it as it is. Remove it here.`
    : `${code(word)} is one of the engine's own kinds: ${raisedBy(word)}, and ${code(node.name)} is ${withArticle(called(node.type))}. Choose a kind of your own, such as ${code(`external.${word}`)}.`;
}

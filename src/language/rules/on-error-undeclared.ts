import { judgedWords, meantKinds } from "./kinds.ts";
import { closest, code, defineRule, didYouMean, listed } from "./rule.ts";

export const onErrorUndeclared = defineRule({
  name: "on-error-undeclared",
  severity: "error",
  description:
    "When a step has `raises`, its error routes name kinds from that list, or engine kinds that the step can raise. A prefix covers at least one.",
  example: "raises: [external.git.drift]\nroutes:\n  - to: $end\n  - { on_error: external.git.drft, to: handler }",
  *check(context) {
    for (const { verdict, word, path, node, raises } of judgedWords(context)) {
      if (verdict !== "undeclared" || !node) continue;
      const kinds = raises.map(({ kind }) => kind);
      const declared = raises
        .filter(({ source }) => source === "declared" || source === "raise_when")
        .map(({ kind }) => kind);
      const near = closest(word, kinds);
      const suggestions = near.length > 0 ? near : meantKinds(word, kinds);
      yield context.finding(
        path,
        word.endsWith(".*")
          ? `No kind that ${code(node.name)} declares begins with ${code(word.slice(0, -1))}, so this route would never be taken. It declares ${listed(declared, "and")}.${didYouMean(suggestions)}`
          : `${code(node.name)} does not declare ${code(word)}, so this route would never be taken. It declares ${listed(declared, "and")}.${didYouMean(suggestions)} If the step can raise it, add it to \`raises\`.`,
        { node: node.name, suggestions },
      );
    }
  },
});

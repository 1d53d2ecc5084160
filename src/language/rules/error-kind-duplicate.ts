import { kindLists } from "./kinds.ts";
import { code, defineRule } from "./rule.ts";

export const errorKindDuplicate = defineRule({
  name: "error-kind-duplicate",
  severity: "error",
  description: "A list names each kind once. Two routes or two `raise_when` rules may share a kind.",
  example: "raises: [external.git.drift, external.git.drift]",
  *check(context) {
    for (const { role, words, node } of kindLists(context)) {
      const seen = new Set<string>();
      for (const { word, path } of words) {
        if (seen.has(word))
          yield context.finding(
            path,
            `${code(word)} stands twice in this list. Remove one, or write the kind that you meant instead.`,
            { node },
          );
        seen.add(word);
        if (role === "raise_when") break;
      }
    }
  },
});

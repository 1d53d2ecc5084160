import { uncoveredReads } from "./reads.ts";
import { code, defineRule, dotted } from "./rule.ts";

export const explicitReferenceUndeclared = defineRule({
  name: "explicit-reference-undeclared",
  severity: "warning",
  description: "In `context.mode: explicit` a step's templates see only the steps and inputs that its `input` lists.",
  example: 'context: { mode: explicit }\n…\n  - { name: b, prompt: "{{ a.output.plan }}" }',
  *check(context) {
    for (const { reader, ...read } of uncoveredReads(context)) {
      const { path } = read;
      if (path[1] === "error") continue;
      const needed = dotted(path.slice(0, path[0] === "workflow" ? 3 : 2));
      yield context.inText(
        read,
        `${code(dotted(path))} is not there: the context mode is explicit, and the \`input\` of ${code(reader)} does not list it. Add ${code(needed)}; ${code(`${needed}?`)} if it may be missing.`,
        { suggestions: [needed] },
      );
    }
  },
});

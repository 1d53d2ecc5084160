import { uncoveredReads } from "./reads.ts";
import { code, defineRule, dotted } from "./rule.ts";

export const explicitErrorUndeclared = defineRule({
  name: "explicit-error-undeclared",
  severity: "warning",
  description:
    "In `context.mode: explicit` a step sees `x.error` only when its `input` lists it; `x.error?` makes it optional.",
  example: 'context: { mode: explicit }\n…\n  - { name: b, prompt: "{{ a.error.kind }}" }',
  *check(context) {
    for (const { reader, ...read } of uncoveredReads(context)) {
      const { path } = read;
      const [root, part] = path;
      if (part !== "error") continue;
      yield context.inText(
        read,
        `${code(dotted(path))} is not there: the context mode is explicit, and the \`input\` of ${code(reader)} does not list ${code(`${root}.error`)}. Add it; ${code(`${root}.error?`)} if it may be missing.`,
        { suggestions: [`${root}.error`] },
      );
    }
  },
});

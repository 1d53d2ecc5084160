// explicit-error-undeclared: in explicit mode an error, too, is seen only when `input` names it.
import { uncoveredReads } from "./reads.ts";
import { code, defineRule, dotted } from "./rule.ts";

export const explicitErrorUndeclared = defineRule({
  name: "explicit-error-undeclared",
  severity: "warning",
  description:
    "In `context.mode: explicit` a step sees `x.error` only when its `input` lists it; `x.error?` makes it optional.",
  example: 'context: { mode: explicit }\n…\n  - { name: b, prompt: "{{ a.error.kind }}" }',
  *check(context) {
    for (const { site, path, line, column, reader } of uncoveredReads(context)) {
      const [root, part] = path;
      if (part !== "error") continue;
      yield context.finding(
        site.path,
        `${code(dotted(path))} is not there: the context mode is explicit, and the \`input\` of ${code(reader)} does not list ${code(`${root}.error`)}. Add it; ${code(`${root}.error?`)} if it may be missing.`,
        { node: reader, line, column, suggestions: [`${root}.error`] },
      );
    }
  },
});

// changes-in-output: what a coding agent changed stands beside its output, and is read there.
import { movedChanges } from "./reads.ts";
import { code, defineRule, dotted } from "./rule.ts";

export const changesInOutput = defineRule({
  name: "changes-in-output",
  severity: "error",
  mayWarn: true,
  description:
    "What a coding agent changed is read as `<step>.changes`, of a group as `<group>.changes` by member or item key: the output is what the agent answered. A read that has a default is a warning: it gives the default, whatever the agent changed.",
  example: 'output: { files: "{{ fix.output.changes.files }}" }',
  *check(context) {
    for (const read of context.facts.reads.all) {
      const moved = movedChanges(read, context);
      if (!moved) continue;
      const { site, line, column, path, guarded } = read;
      const instead = dotted(moved.instead);
      yield context.finding(
        site.path,
        `${code(dotted(path))} is not there: what ${code(moved.owner)} changed stands beside its output. Read ${code(instead)}.`,
        {
          ...{ node: site.node, line, column, suggestions: [instead] },
          ...(guarded ? { severity: "warning" as const } : {}),
        },
      );
    }
  },
});

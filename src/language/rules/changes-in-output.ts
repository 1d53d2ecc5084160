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
      const instead = dotted(moved.instead);
      yield context.inText(
        read,
        `${code(dotted(read.path))} is not there: what ${code(moved.owner)} changed stands beside its output. Read ${code(instead)}.`,
        { suggestions: [instead], severity: read.guarded ? "warning" : undefined },
      );
    }
  },
});

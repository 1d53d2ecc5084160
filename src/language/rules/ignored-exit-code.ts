import { ignoredExitCodes } from "../analysis/exit-codes.ts";
import { code, defineRule } from "./rule.ts";

export const ignoredExitCode = defineRule({
  name: "ignored-exit-code",
  severity: "warning",
  description:
    "In a file with `agents:` a script that fails counts as done, unless the step opts in to errors. So something reads its `exit_code`: a route, a later template, or nothing with `ok_exit_codes: any`.",
  example: "agents:\n  - { name: build, type: script, command: make, routes: [{ to: publish }] }",
  *check(context) {
    for (const node of ignoredExitCodes(context.workflow, context.facts))
      yield context.about(
        node,
        ["command"],
        `Nothing reads the exit code of ${code(node.name)}, so the run goes on as if it had succeeded when its command fails. Add \`raises: []\` to make that an error, route on \`exit_code\`, or say that it does not matter: \`ok_exit_codes: any\`.`,
      );
  },
});

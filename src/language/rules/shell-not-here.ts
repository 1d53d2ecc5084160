import { stepNodes } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

export const shellNotHere = defineRule({
  name: "shell-not-here",
  severity: "warning",
  description:
    "On Windows, `command: sh` and `command: bash` are on the PATH: they come with Git for Windows, not with Windows.",
  example: "type: script\ncommand: bash\nargs: [build.sh]",
  *check(context) {
    for (const { step, path, name } of stepNodes(context, "script"))
      if (context.lacks(step.command))
        yield context.finding(
          [...path, "command"],
          `${code(step.command)} is not on the PATH of this Windows. Install Git for Windows, which has it, or write a command that is here: ${code("pwsh")}, ${code("powershell")} or ${code("cmd")}.`,
          { node: name },
        );
  },
});

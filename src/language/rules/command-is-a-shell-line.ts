import { asCommand, hasArguments, needsShell } from "../foreign-step.ts";
import { stepNodes } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text).replaceAll("\n", " ");

export const commandIsAShellLine = defineRule({
  name: "command-is-a-shell-line",
  severity: "warning",
  description:
    "`command` is one program, and `args` are its arguments: there is no shell. A line with pipes, redirections or `&&` needs `command: sh` with `args: [-c, …]`.",
  example: 'type: script\ncommand: "npm test | tee test.log"',
  *check(context) {
    for (const { step, path, name } of stepNodes(context, "script")) {
      const { command, args } = step;
      const shell = needsShell(command);
      if (!shell && !hasArguments(command)) continue;
      const said = asCommand(command);
      yield context.finding(
        [...path, "command"],
        shell
          ? `${code(short(command))} is a line for a shell, and a script has none: this would be looked for as one program of that name. Write ${code(said)}.`
          : `${code(short(command))} holds arguments, and would be looked for as one program of that name. Write ${code(args.length > 0 ? said.replace(/\]$/, ", …]") : said)}.`,
        { node: name, suggestions: [said] },
      );
    }
  },
});

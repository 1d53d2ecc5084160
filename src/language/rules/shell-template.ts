import { type NodeOf, stepNodes } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

const SHELL = /^(?:.*\/)?(?:sh|bash|dash|zsh|ksh|ash)$/;
const OUTPUT = /\{\{-?\+?([\s\S]*?)-?\}\}/g;

/** Numbers hold nothing that a shell would read, and the author's own words are meant to be read. */
const LITERAL = String.raw`(?:\d+|'[^']*'|"[^"]*")`;
const HARMLESS: readonly RegExp[] = [
  /^(?:_index|context\.iteration)$/,
  /\|\s*(?:int|float|length|count)(?:\([^()]*\))?$/,
  new RegExp(`^${LITERAL}$`),
  new RegExp(String.raw`^${LITERAL}\s+if\s(?:(?!\bif\b)[\s\S])*\selse\s+${LITERAL}$`),
];

const isEnv = (command: string): boolean => /^(?:.*\/)?env$/.test(command);

/** Where in `args` the text of `sh -c` stands; undefined when the step is no such call. */
function textOf({ step: { command, args } }: NodeOf<"script">): number | undefined {
  // `command: env, args: [bash, -c, …]` is the same call.
  const shell = isEnv(command) ? args.findIndex((word) => SHELL.test(word)) : -1;
  if (shell < 0 && !SHELL.test(command)) return undefined;
  let takesText = false;
  for (let at = shell + 1; at < args.length; at++) {
    const word = args[at] ?? "";
    // Options end at the first word that is none: the text, or the file of a script.
    if (!/^[-+]/.test(word)) return takesText ? at : undefined;
    if (/^-[a-z]*c/.test(word)) takesText = true;
    // `-o pipefail` has a word behind it.
    if (/^[-+][a-z]*o$/.test(word)) at++;
  }
  return undefined;
}

export const shellTemplate = defineRule({
  name: "shell-template",
  severity: "warning",
  description:
    "Values reach the text of `sh -c` as arguments or through `env`, never as a template inside it: a quote or `$(…)` in the value would be run by the shell.",
  example: 'command: sh\nargs: [-c, "git checkout {{ workflow.input.branch }}"]',
  *check(context) {
    for (const node of stepNodes(context, "script")) {
      const at = textOf(node);
      const text = at === undefined ? undefined : node.step.args[at];
      if (at === undefined || text === undefined || !text.includes("{{")) continue;
      for (const found of text.matchAll(OUTPUT)) {
        const [whole, expression = ""] = found;
        if (HARMLESS.some((pattern) => pattern.test(expression.trim()))) continue;
        const before = text.slice(0, found.index).split("\n");
        yield context.about(
          node,
          ["args", at],
          `The shell reads ${code(whole)} as part of its program, so a space, a quote or \`$(…)\` in the value changes what is run. Give the value as an argument, ${code(`args: [-c, '… "$1" …', sh, "${whole}"]`)}, or through \`env\`: ${code(`env: { VALUE: "${whole}" }`)} and \`"$VALUE"\` in the text.`,
          { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
        );
        break;
      }
    }
  },
});

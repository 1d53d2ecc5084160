// foreign-step: a step in the words of another tool (`run:`, `uses:`), and how it is said here.
import type { NodePath } from "./loaded.ts";
import type { Page } from "./page.ts";

type Mapping = Readonly<Record<string, unknown>>;

/** Says that a step is another tool's, if it is; `owns` tells whether the step's type has a field of that name. */
export function reportForeignStep(
  value: Mapping,
  path: NodePath,
  page: Page,
  owns: (key: string) => boolean,
  node: string | undefined,
): boolean {
  const key = ["run", "uses"].find((one) => Object.hasOwn(value, one) && !owns(one));
  if (key === undefined) return false;
  const said = key === "run" ? runHere(value.run) : useHere(value.uses);
  page.report(
    "foreign-step",
    [...path, key],
    `\`${key}\` is how other tools ${key === "run" ? "run a command" : "call something ready-made"}. ${said.sentence}`,
    { at: "key", suggestions: [said.suggestion], node },
  );
  return true;
}

interface Said {
  readonly sentence: string;
  readonly suggestion: string;
}

function runHere(line: unknown): Said {
  const suggestion = `type: script, ${typeof line === "string" && line.trim() !== "" ? asCommand(line) : "command: …"}`;
  return { sentence: `Here that is a step of type \`script\`: write \`${suggestion}\`.`, suggestion };
}

function useHere(what: unknown): Said {
  if (typeof what === "string" && /\.ya?ml$/.test(what)) {
    const suggestion = `type: workflow, workflow: ${what}`;
    return { sentence: `Here a step calls another workflow file with \`${suggestion}\`.`, suggestion };
  }
  return {
    sentence:
      "Segno has no actions to fetch: run the command behind it with `type: script, command: …, args: […]`, or call another workflow file with `type: workflow, workflow: path.yaml`.",
    suggestion: "type: script, command: …",
  };
}

// How a line for a shell is distinguished from a command, and how it would be written as one.

const TEMPLATE = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{#[\s\S]*?#\}/g;

/** What only a shell understands: pipes, redirections, `&&`, `;`, `$(…)`, more than one line. */
const SHELL = /\|{1,2}|&&|[<>]|;\s|;$|\s&$|\$\(|`|\n/;

/** The text with its templates taken out: a filter's `|` is no pipe. */
const withoutTemplates = (text: string): string => text.replace(TEMPLATE, "x");

export const needsShell = (text: string): boolean => SHELL.test(withoutTemplates(text).trim());

/** A program with its arguments behind it, and no path that may hold a space. */
export const hasArguments = (text: string): boolean => /^[\w.-]+\s+\S/.test(withoutTemplates(text).trim());

/** How the line is said as a command with arguments, as YAML on one line. */
export function asCommand(line: string): string {
  const text = line.trim();
  if (needsShell(text) || /["'\\$*?~{}]/.test(text)) return `command: sh, args: [-c, ${quoted(text)}]`;
  const [command = "", ...args] = text.split(/\s+/);
  return args.length === 0 ? `command: ${command}` : `command: ${command}, args: [${args.map(plain).join(", ")}]`;
}

/** The words of a line as the entries of a list: what is in quotes, and a template, is one word. */
export const asArguments = (line: string): string =>
  (line.match(/(?:"[^"]*"|'[^']*'|\{\{[\s\S]*?\}\}|\S)+/g) ?? [])
    .map((word) => word.replace(/^(["'])(.*)\1$/s, "$2"))
    .map(plain)
    .join(", ");

const plain = (word: string): string => (/^[\w./-][\w./@=-]*$/.test(word) ? word : JSON.stringify(word));

/** Long lines are not repeated: the reader has them. */
const quoted = (text: string): string => (text.length > 60 || text.includes("{") ? '"…"' : JSON.stringify(text));

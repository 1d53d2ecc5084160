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

// The two things a terminal can be asked: choose one, or write something. Everything above is built from these, so that
// it can be tested without a terminal.
import { USUAL_COLUMNS } from "../output.ts";
import { plain, plainButColors } from "../text/harmless.ts";

/** The person pressed Ctrl-C, or the question was withdrawn. */
export const LEFT = Symbol("left");
export type Left = typeof LEFT;

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

export interface Writing {
  readonly multiline?: boolean;
  readonly placeholder?: string;
  readonly initial?: string;
  /** A sentence when the text will not do. */
  readonly refuse?: (text: string) => string | undefined;
}

export interface Prompts {
  choose<Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
    initial?: Value,
  ): Promise<Value | Left>;
  write(message: string, writing?: Writing): Promise<string | Left>;
  /** Shows text that is no question. */
  show(text: string): void;
}

/** Prompts on stderr, so that stdout stays the workflow's output alone. */
export async function clackPrompts(signal: AbortSignal): Promise<Prompts> {
  const clack = await import("@clack/prompts");
  // Escape would end the whole run; only Ctrl-C should.
  clack.settings.aliases.delete("escape");
  if (process.stderr.columns === 0) process.stderr.columns = USUAL_COLUMNS;
  const common = { output: process.stderr, input: process.stdin, signal };
  return {
    choose: async (message, choices, initial) => {
      // clack's own option type asks for more when the value could be an object; ours are strings.
      const options: { value: string; label: string; hint?: string }[] = choices.map(({ value, label, hint }) => ({
        value,
        label: plain(label),
        ...(hint ? { hint: plain(hint) } : {}),
      }));
      const chosen = await clack.select({
        ...common,
        message: plain(message),
        options,
        ...(initial === undefined ? {} : { initialValue: initial }),
      });
      return choices.find(({ value }) => value === chosen)?.value ?? LEFT;
    },
    write: async (message, { multiline, placeholder, initial, refuse } = {}) => {
      const ask = multiline ? clack.multiline : clack.text;
      const written = await ask({
        ...common,
        message: multiline ? `${plain(message)} (Enter twice to finish)` : plain(message),
        ...(placeholder === undefined ? {} : { placeholder: plain(placeholder) }),
        ...(initial === undefined ? {} : { initialValue: initial }),
        ...(refuse ? { validate: (value: string | undefined) => refuse(value ?? "") } : {}),
      });
      return typeof written === "string" ? written : clack.isCancel(written) ? LEFT : "";
    },
    show: (text) => {
      process.stderr.write(`${plainButColors(text)}\n`);
    },
  };
}

/** Whether the user says yes; `No` stands first. */
export async function confirmed(question: string): Promise<boolean> {
  const { choose } = await clackPrompts(new AbortController().signal);
  const chosen = await choose(question, [
    { value: "no", label: "No" },
    { value: "yes", label: "Yes" },
  ]);
  return chosen === "yes";
}

// Wrong use of the command line: exit code 2, a sentence, and where to read on. And answers that are no run's result:
// their JSON, their text, or the reason for a refusal.
import type { Head, Result } from "../../base/results/result.ts";
import type { Output } from "./output.ts";
import { plain, plainLineOf } from "./text/harmless.ts";
import { hang } from "./text/width.ts";

export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly suggestions: readonly string[];
  /** The command whose --help would tell more; of what one throws itself, that one (start.ts). */
  command: string | undefined;

  constructor(message: string, more: { suggestions?: readonly string[]; command?: string } = {}) {
    super(message);
    this.suggestions = more.suggestions ?? [];
    this.command = more.command;
  }
}

type Refusal = Pick<Head, "error" | "errors"> & { readonly workflow?: unknown };

/** A refusal for one reason: a sentence on stderr after `segno:`, the same from every command. */
export function refuse({ workflow, error, errors }: Refusal, { colors, stderr }: Output): void {
  const name = typeof workflow === "string" && workflow !== "" ? `${plainLineOf(workflow)}: ` : "";
  const reason = plain(`${name}${error ?? "It failed, and no reason is known."}`);
  const hints = errors.flatMap(({ hint }) => (hint ? [colors.dim(plain(hint))] : []));
  for (const line of [hang(colors.red("segno:"), reason, stderr.columns), ...hints]) stderr.write(`${line}\n`);
}

/** Nothing ran, and not because of findings in a file: they have places and are shown there. */
export const isPlainRefusal = ({ status, errors: [entry, ...more] }: Result): boolean =>
  status === "invalid" && entry !== undefined && more.length === 0 && !entry.location && !entry.rule;

export function answerWith<Answer extends Head>(
  answer: Answer,
  output: Output,
  text: (answer: Answer) => string,
): number {
  if (output.format !== "text") output.json(answer);
  else if (answer.success) output.stdout.write(text(answer));
  if (!answer.success) refuse(answer, output);
  return answer.exit_code ?? 1;
}

// `segno triggers history`: what was fired, newest first.
import { type FiringView, triggerHistory } from "../../services/triggers/index.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { columns, WHOLE_LINES } from "../text/columns.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";

export default async function triggersHistory({ asked, output }: Call): Promise<number> {
  const name = asked.argument(0);
  const answer = await triggerHistory({
    ...asked.surroundings,
    limit: asked.number("limit") ?? 20,
    ...(name === undefined ? {} : { name }),
  });
  const { outColors, stdout } = output;
  return answerWith(answer, output, ({ firings, warnings }) => {
    const warned = warnings.map(({ message }) => `${outColors.yellow("▲")} ${plainLineOf(message)}\n`);
    return historyText(firings, outColors, stdout.columns ?? WHOLE_LINES) + warned.join("");
  });
}

export function historyText(firings: readonly FiringView[], { dim, yellow }: Colors, width: number): string {
  if (firings.length === 0) return "Nothing was fired yet.\n";
  const head = ["FIRED", "FOR", "TRIGGER", "STATUS", "RUN", ""].map((word) => dim(word));
  const rows = firings.map(({ fired_at, cause, trigger, status, run_id, reason }) => [
    fired_at,
    plain(causeText(cause)),
    plain(trigger),
    status,
    run_id ?? "",
    dim(plain(reason ?? "")),
  ]);
  // Printed in full below the table, whose rows are cut at the line's end.
  const leftOut = firings
    .filter(({ cause }) => causeOf(cause).left_out)
    .map(({ trigger, reason }) => `${yellow("▲")} ${plainLineOf(`${trigger}: ${reason ?? ""}`)}\n`);
  return `${columns([head, ...rows], width)}\n${leftOut.length > 0 ? `\n${leftOut.join("")}` : ""}`;
}

interface ShownCause {
  readonly by?: string;
  readonly person?: string;
  readonly scheduled_at?: string;
  readonly left_out?: { readonly count: number };
  readonly run?: { readonly run_id?: string };
}

const causeOf = (cause: unknown): ShownCause => (cause ?? {}) as ShownCause;

/** What it was fired for: a moment of a schedule, the moments that one record stands for, a run that ended, or the person who fired it. */
function causeText(cause: unknown): string {
  const { by, person, scheduled_at, left_out, run } = causeOf(cause);
  if (left_out) return amount(left_out.count, "moment");
  return scheduled_at ?? run?.run_id ?? (by !== "hand" ? "" : person === undefined ? "by hand" : `by ${person}`);
}

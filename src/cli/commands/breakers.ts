// `segno breakers list` and `reset`.
import { type BreakerView, listBreakers, resetBreaker } from "../../services/governance/breakers.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { ago, amount, duration, paint, type Tone } from "../text/phrases.ts";
import { table, WHOLE_LINES } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export async function breakers({ asked, output }: Call): Promise<number> {
  return answerWith(await listBreakers(asked.session), output, (answer) =>
    breakersTable(answer.breakers, output.outColors, output.stdout.columns ?? WHOLE_LINES, asked.now),
  );
}

const TONES: Readonly<Record<BreakerView["status"], Tone>> = { closed: "good", half_open: "warn", open: "bad" };

export function breakersTable(list: readonly BreakerView[], colors: Colors, width: number, now: number): string {
  if (list.length === 0) return "No circuit breaker has counted a failure.\n";
  const rows = list.map((breaker) => [
    plain(breaker.name),
    paint(TONES[breaker.status], breaker.status.replace("_", "-"), colors),
    String(breaker.failures),
    breaker.opened_at === null ? "" : ago(breaker.opened_at, now),
    colors.dim(next(breaker)),
  ]);
  return `${table(["BREAKER", "STATE", "FAILURES", "OPENED", ""], rows, colors, width)}\n`;
}

function next({ status, retry_after_seconds: seconds, probes, successes }: BreakerView): string {
  if (status === "closed") return "";
  if (status === "half_open") return `${amount(probes, "probe")} out, ${successes} went well`;
  return seconds ? `lets a probe through in ${duration(seconds * 1000)}` : "lets the next call through as a probe";
}

export async function breakersReset({ asked, output }: Call): Promise<number> {
  const answer = await resetBreaker(asked.session, { name: asked.required(0) });
  return answerWith(
    answer,
    output,
    ({ breakers: [breaker] }) => `${output.outColors.green("✓")} ${breaker?.name} is closed.\n`,
  );
}

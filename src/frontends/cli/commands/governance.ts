// `segno breakers` lists circuit breakers, and closes one; `segno limits` lists limits on calls to models, and who waits.
import type { BreakerView } from "../../../services/resilience/breakers.ts";
import type { LimitsAnswer, LimitUse, LimitView } from "../../../services/resilience/limits/list-limits.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { ago, amount, duration, paint, type Tone } from "../text/phrases.ts";
import { table } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export async function breakers({ asked, output }: Call): Promise<number> {
  const { listBreakers } = await import("../../../services/resilience/breakers.ts");
  return answerWith(await listBreakers(asked.session), output, (answer) =>
    breakersTable(answer.breakers, output.outColors, output.width, asked.now),
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
  const { resetBreaker } = await import("../../../services/resilience/breakers.ts");
  const answer = await resetBreaker(asked.session, { name: asked.required(0) });
  const { green } = output.outColors;
  return answerWith(answer, output, ({ breakers: [breaker] }) => `${green("✓")} ${breaker?.name} is closed.\n`);
}

export async function limits({ asked, output }: Call): Promise<number> {
  const { listLimits } = await import("../../../services/resilience/limits/list-limits.ts");
  return answerWith(await listLimits(asked.session), output, (answer) =>
    limitsText(answer, output.outColors, output.width, asked.now),
  );
}

export function limitsText({ limits, resets }: LimitsAnswer, colors: Colors, width: number, now: number): string {
  const waits = resets.map(({ run_id, workflow, node_id, until }) => [
    run_id,
    plain(workflow),
    plain(node_id),
    `in ${left(until)}`,
  ]);
  const parts = [
    limits.length === 0
      ? "No call was made under a limit of `limits:`."
      : table(["LIMIT", "REQUESTS", "INPUT TOKENS", "AT A TIME", "WAITING", ""], limits.map(row), colors, width),
    ...(resets.length === 0 ? [] : ["", table(["RUN", "WORKFLOW", "STEP", "RESETS"], waits, colors, width)]),
  ];
  return `${parts.join("\n")}\n`;

  function row({ name, requests, input_tokens, concurrent, waiting, ...limit }: LimitView): string[] {
    const runs = new Set(waiting.map(({ run_id }) => run_id)).size;
    return [
      plain(name),
      use(requests),
      use(input_tokens),
      concurrent ? `${concurrent.used} of ${concurrent.most}` : "",
      waiting.length === 0 ? "" : `${amount(waiting.length, "call")} of ${amount(runs, "run")}`,
      limit.closed_until === null
        ? ""
        : colors.yellow(`closed for ${left(limit.closed_until)} (${plain(limit.closed_by ?? "")})`),
    ];
  }

  function left(until: string): string {
    return duration(Math.max(0, Date.parse(until) - now));
  }
}

const use = (limit: LimitUse | null): string => (limit ? `${limit.used} of ${limit.per_minute} a minute` : "");

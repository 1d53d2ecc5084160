// `segno limits`: limits on calls to models, how much of each is used, and who waits.
import { type LimitsAnswer, type LimitUse, type LimitView, listLimits } from "../../services/limits/list-limits.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { amount, duration } from "../text/phrases.ts";
import { table, WHOLE_LINES } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export default async function limits({ asked, output }: Call): Promise<number> {
  return answerWith(await listLimits(asked.session), output, (answer) =>
    limitsText(answer, output.outColors, output.stdout.columns ?? WHOLE_LINES, asked.now),
  );
}

export function limitsText({ limits, resets }: LimitsAnswer, colors: Colors, width: number, now: number): string {
  const waits = resets.map((wait) => [
    wait.run_id,
    plain(wait.workflow),
    plain(wait.node_id),
    `in ${left(wait.until)}`,
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

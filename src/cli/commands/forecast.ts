// `segno forecast`: what a file would come to, from what its steps did before.
import { type ForecastAnswer, forecast } from "../../services/history/forecast.ts";
import type { Shares } from "../../services/history/plays.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { plainLineOf } from "../text/harmless.ts";
import { amount, duration, money } from "../text/phrases.ts";
import { columns, WHOLE_LINES } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export default async function forecastCommand({ asked, output }: Call): Promise<number> {
  const isLive = output.format === "text" && output.stderr.isTTY === true && !output.quiet;
  const answer = await forecast(asked.session, {
    ...{ file: asked.required(0), plays: asked.number("runs"), seed: asked.number("seed"), since: asked.text("since") },
    check: asked.flag("check"),
    ...(isLive ? { onProgress: (done, total) => void output.stderr.write(`\r${done} of ${total} plays\x1b[K`) } : {}),
  });
  if (isLive) output.stderr.write("\r\x1b[K");
  return answerWith(answer, output, (forecast) =>
    forecastText(forecast, output.outColors, output.stdout.columns ?? WHOLE_LINES),
  );
}

const WORDS: Readonly<Record<keyof Shares, string>> = {
  completed: "completes",
  degraded: "loses items",
  failed: "fails",
  waiting: "waits for people",
  unknown: "not known",
};

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

export function forecastText(answer: ForecastAnswer, colors: Colors, width: number): string {
  const { file, plays, history, shares, failures, seconds, cost_usd, costly, borrowed, what_if, check } = answer;
  const { dim } = colors;
  const ends = (Object.keys(WORDS) as (keyof Shares)[])
    .filter((end) => shares[end] > 0 || end === "completed" || (check?.actual[end] ?? 0) > 0)
    .map((end) => [
      `  ${WORDS[end]}`,
      percent(shares[end]),
      check ? dim(`was ${percent(check.actual[end])}`) : end === "failed" ? dim(kindsText(failures)) : "",
    ]);
  const rows = [
    ...ends,
    ["  time", `${duration(seconds.median * 1000)}`, dim(`95 of 100 within ${duration(seconds.p95 * 1000)}`)],
    ...(cost_usd.p95 > 0 ? [["  cost", money(cost_usd.median), dim(`95 of 100 within ${money(cost_usd.p95)}`)]] : []),
    ...costly.map(({ kind, seconds: took, cost_usd: usd }) => [
      `  ${plainLineOf(kind)}`,
      `${duration(took * 1000)}${usd > 0 ? `, ${money(usd)}` : ""}`,
      dim("a play, in attempts that failed so"),
    ]),
    ...what_if.map(({ change, completed }) => ["  what if", percent(completed), dim(`completes with ${change}`)]),
  ];
  const lent = borrowed.length === 0 ? "" : `${dim(`  Without a history of their own: ${borrowed.join(", ")}`)}\n`;
  const off = check ? `  Off by at most ${check.off_by} points on the ${amount(check.runs, "newer run")}.\n` : "";
  return `${plainLineOf(file)}, played ${plays} times from ${amount(history, "past run")}\n${columns(rows, width)}\n${lent}${off}`;
}

const kindsText = (failures: ForecastAnswer["failures"]): string =>
  Object.entries(failures)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, share]) => `${kind} ${percent(share)}`)
    .join(", ");

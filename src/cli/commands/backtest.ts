// `segno backtest`: how many past runs an edited file would have changed, and where.
import { type BacktestAnswer, backtest, type VerdictGroup } from "../../services/history/backtest.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { checksOfBacktest } from "../report/reporters/checks-of.ts";
import { reported } from "../report/reporters/index.ts";
import { plainLineOf } from "../text/harmless.ts";
import { ago, amount } from "../text/phrases.ts";
import { columns, WHOLE_LINES } from "../text/width.ts";
import { refuse } from "../usage-error.ts";

export default async function backtestCommand({ asked, output, version }: Call): Promise<number> {
  const [file = "", ...runs] = asked.arguments;
  const limit = asked.number("runs");
  const isLive = output.format === "text" && output.stderr.isTTY === true && !output.quiet;
  const answer = await backtest(asked.session, {
    ...{ file, runs, since: asked.text("since"), against: asked.text("against"), limit },
    failOn: asked.text("fail-on") as "changed" | "worse" | undefined,
    ...(isLive ? { onProgress: (done, total) => void output.stderr.write(`\r${done} of ${total} runs\x1b[K`) } : {}),
  });
  if (isLive) output.stderr.write("\r\x1b[K");
  const report = reported(asked.text("reporter"), () => checksOfBacktest(answer), { version, asked });
  if (output.format !== "text") output.json(answer);
  else if (report !== undefined) output.report(report);
  else if (answer.errors.length > 0) refuse(answer, output);
  else output.stdout.write(backtestText(answer, output.outColors, output.stdout.columns ?? WHOLE_LINES));
  return answer.exit_code ?? 1;
}

const WORDS = {
  same: "same",
  rerouted: "another way",
  better: "better",
  worse: "worse",
  output: "other output",
  unknown: "unknown",
} as const;

export function backtestText(answer: BacktestAnswer, colors: Colors, width: number): string {
  const { file, newest, groups, runs } = answer;
  const when = newest === null ? "" : `, the newest from ${ago(newest, Date.now())}`;
  const count = Math.max(...groups.map((group) => String(group.count).length));
  const paint = {
    ...{ same: colors.dim, rerouted: colors.yellow, better: colors.green },
    ...{ worse: colors.red, output: colors.yellow, unknown: colors.yellow },
  };
  const rows = groups.map((group) => [
    `  ${String(group.count).padStart(count)} ${paint[group.verdict](WORDS[group.verdict])}`,
    plainLineOf(sentence(group)),
    group.verdict === "same" ? "" : colors.dim(group.count > 1 ? `e.g. ${group.example}` : group.example),
  ]);
  return `${amount(runs.length, "run")} of ${plainLineOf(file)}${when}\n${columns(rows, width)}\n`;
}

function sentence({
  verdict,
  step,
  line,
  change,
  was,
  now,
  routes,
  fields = [],
  why,
  can_follow = [],
}: VerdictGroup): string {
  const place = line === null ? "" : ` (line ${line}${change === null ? "" : `: ${change}`})`;
  const both = routes ? `: ${routes.was} → ${routes.now}` : "";
  switch (verdict) {
    case "same":
      return "";
    case "unknown":
      return step === null ? (why ?? "") : `from ${step} on: ${why}${place}${errorsText(can_follow)}`;
    case "output":
      return `${fields.join(", ")} of the output${place}`;
    case "rerouted":
      return `${was === now ? was : `${was}, now ${now}`}, by another way from ${step ?? "its start"} on${both}${place}`;
    default:
      return `${was}, now ${now}${step === null ? "" : `, from ${step} on${both}`}${place}`;
  }
}

/** More of them would fill the line; `segno errors` lists all. */
const MOST_KINDS = 3;

function errorsText(kinds: NonNullable<VerdictGroup["can_follow"]>): string {
  const shown = kinds.slice(0, MOST_KINDS).map(({ kind, then }) => `${kind}: ${then}`);
  const more = kinds.length > MOST_KINDS ? [`${kinds.length - MOST_KINDS} more`] : [];
  return shown.length === 0 ? "" : `; it may raise ${[...shown, ...more].join("; ")}`;
}

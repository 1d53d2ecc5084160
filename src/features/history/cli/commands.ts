// Commands that play past runs: `segno backtest`, how many of them an edited file would have changed, and where.

import type { Call } from "../../../frontends/cli/command.ts";
import type { Colors } from "../../../frontends/cli/output.ts";
import { answerReported, notesOf, type ReportedCheck } from "../../../frontends/cli/report/reporters/index.ts";
import { plainLineOf } from "../../../frontends/cli/text/harmless.ts";
import { ago, amount } from "../../../frontends/cli/text/phrases.ts";
import { columns } from "../../../frontends/cli/text/width.ts";
import { refuse } from "../../../frontends/cli/usage-error.ts";
import type { BacktestAnswer, VerdictGroup } from "../backtest.ts";

export async function backtestCommand(call: Call): Promise<number> {
  const { asked, output } = call;
  const { backtest } = await import("../backtest.ts");
  const [file = "", ...runs] = asked.arguments;
  const answer = await backtest(asked.session, {
    file,
    runs,
    since: asked.text("since"),
    against: asked.text("against"),
    limit: asked.number("runs"),
    failOn: asked.text("fail-on") as "changed" | "worse" | undefined,
    onProgress: (done, total) => output.count(`${done} of ${total} runs`),
  });
  output.count("");
  return answerReported(
    answer,
    call,
    () => checksOfBacktest(answer),
    () => {
      if (answer.errors.length > 0) refuse(answer, output);
      else output.stdout.write(backtestText(answer, output.outColors, output.width));
    },
  );
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
    same: colors.dim,
    rerouted: colors.yellow,
    better: colors.green,
    worse: colors.red,
    output: colors.yellow,
    unknown: colors.yellow,
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
  hint,
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
      return `${was}, now ${now}${step === null ? "" : `, from ${step} on${both}`}${place}${hint === undefined ? "" : `; ${hint}`}`;
  }
}

/** More of them would fill the line; `segno errors` lists all. */
const MOST_KINDS = 3;

function errorsText(kinds: NonNullable<VerdictGroup["can_follow"]>): string {
  const shown = kinds.slice(0, MOST_KINDS).map(({ kind, then }) => `${kind}: ${then}`);
  const more = kinds.length > MOST_KINDS ? [`${kinds.length - MOST_KINDS} more`] : [];
  return shown.length === 0 ? "" : `; it may raise ${[...shown, ...more].join("; ")}`;
}

/** A check for each past run; only what would be worse fails, unless anything else was asked for. */
export function checksOfBacktest({ file, runs, errors, success }: BacktestAnswer): readonly ReportedCheck[] {
  if (runs.length === 0) return [{ suite: file, name: file, notes: notesOf(errors, []) }];
  return runs.map(({ run_id, verdict, step, line, was, now, why }) => ({
    suite: file,
    name: run_id,
    notes:
      verdict === "same"
        ? []
        : [
            {
              level: verdict === "worse" || !success ? "error" : "warning",
              rule: `backtest-${verdict}`,
              message: `run ${run_id} ${verdict === "unknown" ? `is unknown from ${step ?? "its start"} on: ${why}` : `is ${verdict}: ${was}, now ${now}`}`,
              place: { file, line: line ?? 1, column: 1 },
            },
          ],
  }));
}

// `segno runs prune`: removes old runs, after asking, and says which.
import type { RunSummary } from "../../results/result.ts";
import { type PruneAnswer, pruneRuns } from "../../services/runs/prune.ts";
import { confirmed } from "../ask/prompts.ts";
import { canAskAtTerminal } from "../ask/terminal-asker.ts";
import type { Call } from "../command.ts";
import type { Output } from "../output.ts";
import { amount } from "../text/phrases.ts";
import { WHOLE_LINES } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";
import { runsTable } from "./runs.ts";

export default async function prune({ asked, output }: Call): Promise<number> {
  const tableOf = (runs: readonly RunSummary[], to: Output["stdout"], colors = output.outColors): string =>
    runs.length === 0 ? "" : runsTable(runs, colors, to.columns ?? WHOLE_LINES, asked.now, asked.reader, to.isTTY);
  let chosen: readonly RunSummary[] = [];
  const answer = await pruneRuns(asked.session, {
    keep: asked.number("keep"),
    olderThan: asked.text("older-than"),
    status: asked.text("status"),
    workflow: asked.text("workflow"),
    resumable: asked.flag("resumable"),
    all: asked.flag("all"),
    dryRun: asked.flag("dry-run"),
    yes: asked.flag("yes"),
    chosen: (runs) => {
      chosen = runs;
    },
    ...(canAskAtTerminal(output)
      ? {
          confirm: (runs) => {
            output.stderr.write(tableOf(runs, output.stderr, output.colors));
            return confirmed(`Remove ${amount(runs.length, "run")} for good?`);
          },
        }
      : {}),
  });
  const summary = saying(answer);
  // One that cannot be removed keeps none of the others.
  if (!answer.success && answer.removed.length > 0 && output.format === "text") output.stdout.write(summary);
  return answerWith(answer, output, () => (answer.dry_run ? `${tableOf(chosen, output.stdout)}${summary}` : summary));
}

const saying = ({ removed, kept, dry_run, warnings }: PruneAnswer): string =>
  dry_run
    ? `${amount(removed.length, "run")} would be removed, ${kept} kept. Nothing was removed.\n`
    : [`${amount(removed.length, "run")} removed, ${kept} kept.`, ...warnings.map(({ message }) => message)]
        .map((line) => `${line}\n`)
        .join("");

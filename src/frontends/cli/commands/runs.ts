// `segno runs`: the newest runs as a table. `segno runs prune` removes old ones, after asking; `segno cancel` stops one that
// another process drives, or closes one that waits.
import { shortRunId } from "../../../base/events/typeable.ts";
import { listedStatusWord, type RunSummary } from "../../../base/results/index.ts";
import { COMMAND_LINE, type Reader } from "../../../base/results/reader.ts";
import type { PruneAnswer } from "../../../services/runs/prune.ts";
import { listRuns, type RunsAnswer } from "../../../services/runs/runs.ts";
import type { Call } from "../command.ts";
import { readFields } from "../inputs.ts";
import { type Colors, type Output, WHOLE_LINES } from "../output.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { ago, amount, duration, GLYPHS, type Glyph, paint, RUN_GLYPHS, signOf } from "../text/phrases.ts";
import { cut, table } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export async function runs({ asked, output }: Call): Promise<number> {
  const answer = await listRuns(asked.session, {
    limit: asked.number("limit") ?? 20,
    status: asked.text("status"),
    workflow: asked.text("workflow"),
    inputs: readFields(asked.list("input")),
  });
  const { outColors, width, stdout } = output;
  return answerWith(answer, output, ({ runs: list }) =>
    runsTable(list, outColors, width, asked.now, asked.reader, stdout.isTTY),
  );
}

const SIGNS: Readonly<Record<string, Glyph>> = {
  ...RUN_GLYPHS,
  running: { sign: "▸", tone: "busy" },
  queued: GLYPHS.note,
};

/** Of 200 characters the first say which run it is. */
const LONGEST_NAME = 40;

export function runsTable(
  list: RunsAnswer["runs"],
  colors: Colors,
  width: number,
  now: number,
  reader: Reader = COMMAND_LINE,
  /** People type an id, programs copy it. */
  isTerminal = false,
): string {
  if (list.length === 0) return `No runs. ${reader.ask({ to: "run" })} FILE makes one.\n`;
  const hasCells = list.some(({ cell }) => cell !== undefined);
  const hasNames = list.some(({ name }) => name !== null);
  const titles = [
    "",
    "RUN",
    ...(hasCells ? ["CELL"] : []),
    "WORKFLOW",
    ...(hasNames ? ["NAME"] : []),
    "STATUS",
    "STARTED",
    "TOOK",
    "",
  ];
  const rows = list.map((run) => {
    // A workflow that ended itself did so well or badly, and only its exit code says which.
    const isRefusal = run.status === "terminated" && run.exit_code !== 0;
    const glyph = isRefusal ? GLYPHS.failed : (SIGNS[run.status] ?? GLYPHS.note);
    return [
      signOf(glyph, colors),
      isTerminal ? shortRunId(run.run_id) : run.run_id,
      ...(hasCells ? [plain(run.cell ?? "")] : []),
      plain(run.workflow ?? ""),
      ...(hasNames ? [cut(plainLineOf(run.name ?? ""), LONGEST_NAME)] : []),
      paint(glyph.tone, listedStatusWord(run), colors),
      run.started_at === null ? "" : ago(run.started_at, now),
      run.duration_ms === null ? "" : duration(run.duration_ms),
      run.kind === null ? plain(run.waits_because ?? "") : colors.red(plain(run.kind)),
    ];
  });
  return `${table(titles, rows, colors, width)}\n`;
}

export async function prune({ asked, output }: Call): Promise<number> {
  const tableOf = (runs: readonly RunSummary[], to: Output["stdout"], colors = output.outColors): string =>
    runs.length === 0 ? "" : runsTable(runs, colors, to.columns ?? WHOLE_LINES, asked.now, asked.reader, to.isTTY);
  const [{ pruneRuns }, { confirmer }] = await Promise.all([
    import("../../../services/runs/prune.ts"),
    import("../ask/terminal-asker.ts"),
  ]);
  const confirm = confirmer(output);
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
    confirm:
      confirm &&
      ((runs) => {
        output.stderr.write(tableOf(runs, output.stderr, output.colors));
        return confirm(`Remove ${amount(runs.length, "run")} for good?`);
      }),
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

export async function cancelCommand({ asked, output }: Call): Promise<number> {
  const { cancelRun } = await import("../../../services/runs/cancel.ts");
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  // Of Ctrl-C, and of another `segno cancel` of the same run: what is being recorded is recorded whole.
  process.once("SIGINT", interrupt);
  const result = await cancelRun(asked.session, {
    run: asked.required(0),
    watching: (text) => output.say(text),
    signal: stop.signal,
  });
  process.off("SIGINT", interrupt);
  if (result.status !== "cancelled") return answerWith(result, output, () => `The run is ${result.status}.\n`);
  if (output.format !== "text") output.json(result);
  else {
    const resume = result.checkpoint?.resume;
    output.print(`${output.outColors.green("✓")} Stopped ${result.run_id}.${resume ? ` To go on: ${resume}` : ""}`);
  }
  // The run's own exit code is 130, but stopping it is what was asked for.
  return 0;
}

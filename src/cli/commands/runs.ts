// `segno runs`: the newest runs as a table.
import { shortRunId } from "../../events/typeable.ts";
import { COMMAND_LINE, type Reader } from "../../results/reader.ts";
import { listRuns, type RunsAnswer } from "../../services/runs/runs.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { ago, duration, GLYPHS, type Glyph, paint } from "../text/phrases.ts";
import { table, WHOLE_LINES } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export default async function runs({ asked, output }: Call): Promise<number> {
  const answer = await listRuns(asked.session, {
    limit: asked.number("limit") ?? 20,
    status: asked.text("status"),
    workflow: asked.text("workflow"),
  });
  return answerWith(answer, output, ({ runs: list }) => {
    const { columns: width = WHOLE_LINES, isTTY } = output.stdout;
    return runsTable(list, output.outColors, width, asked.now, asked.reader, isTTY);
  });
}

const SIGNS: Readonly<Record<string, Glyph>> = {
  completed: GLYPHS.done,
  degraded: GLYPHS.recovered,
  failed: GLYPHS.failed,
  crashed: GLYPHS.failed,
  paused: GLYPHS.asks,
  cancelled: GLYPHS.cancelled,
  running: { sign: "▸", tone: "busy" },
  terminated: GLYPHS.ended,
};

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
  const titles = ["", "RUN", ...(hasCells ? ["CELL"] : []), "WORKFLOW", "STATUS", "STARTED", "TOOK", ""];
  const rows = list.map((run) => {
    // A workflow that ended itself did so well or badly, and only its exit code says which.
    const isRefusal = run.status === "terminated" && run.exit_code !== 0;
    const glyph = isRefusal ? GLYPHS.failed : (SIGNS[run.status] ?? GLYPHS.note);
    return [
      paint(glyph.tone, glyph.sign, colors),
      isTerminal ? shortRunId(run.run_id) : run.run_id,
      ...(hasCells ? [plain(run.cell ?? "")] : []),
      plain(run.workflow ?? ""),
      paint(glyph.tone, isRefusal ? "terminated: failed" : run.status, colors),
      run.started_at === null ? "" : ago(run.started_at, now),
      run.duration_ms === null ? "" : duration(run.duration_ms),
      run.kind === null ? plain(run.waits_because ?? "") : colors.red(plain(run.kind)),
    ];
  });
  return `${table(titles, rows, colors, width)}\n`;
}

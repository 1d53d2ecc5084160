// Commands that look at one run: `segno show`, its result as a report; `segno explain`, as a story; `segno trace`, as spans.

import type { Result } from "../../../base/results/result.ts";
import { showRun } from "../../../services/runs/runs.ts";
import type { Call } from "../command.ts";
import { WHOLE_LINES } from "../output.ts";
import { nextSteps, warningLines } from "../report/ending.ts";
import { type BlockView, errorBlock } from "../report/error-block.ts";
import { statusLine } from "../report/status-line.ts";
import { stepLines } from "../report/steps.ts";
import { sourceReader } from "../show-findings.ts";
import { jsonText } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";
import { answerWith } from "../usage-error.ts";

export async function show({ asked, output }: Call): Promise<number> {
  const result = await showRun(asked.session, { run: asked.argument(0) });
  // How the run ended is the answer, not an error of `show`; a run that is not there is one.
  if (result.run_id === null) return answerWith(result, output, () => "");
  if (output.format !== "text") output.json(result);
  else {
    const { outColors: colors, width, stdout } = output;
    const view = { colors, width, terminal: stdout.columns, read: sourceReader(asked.cwd), reader: asked.reader };
    stdout.write(runReport(result, view));
  }
  return 0;
}

/** How the run stands, its steps, its errors with what to do, and where its files are. */
export function runReport(result: Result, view: BlockView): string {
  const { colors } = view;
  const { file, execution, errors, output, artifacts } = result;
  const parts: readonly (readonly string[])[] = [
    [statusLine(result, { ...view, isExplained: errors.length > 0 }), ...(file ? [`  ${colors.dim(file)}`] : [])],
    ...(execution ? [stepLines(execution.steps, colors)] : []),
    [...warningLines(result, view)],
    ...errors.map((entry) => errorBlock(entry, { ...view, shownBelow: result.checkpoint?.resume })),
    output === null || output === undefined ? [] : [colors.bold("Output"), ...jsonText(output, 2).split("\n")],
    [...nextSteps(result, view)],
    artifacts ? [`  ${colors.dim("files".padEnd(8))} ${artifacts.run_dir}`] : [],
  ];
  const shown = parts.filter(({ length }) => length > 0);
  return `${shown.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

export async function explain({ asked, output }: Call): Promise<number> {
  const [{ explainRun }, { storyText }] = await Promise.all([
    import("../../../services/explain/index.ts"),
    import("../report/story/index.ts"),
  ]);
  const answer = await explainRun(asked.session, { run: asked.argument(0) });
  const { columns } = output.stdout;
  const width = Math.min(columns ?? 100, 120);
  const line = columns === undefined ? WHOLE_LINES : width;
  const view = { colors: output.outColors, width, line, now: asked.now, read: sourceReader(asked.cwd) };
  return answerWith(answer, output, (story) => storyText(story, view));
}

export async function trace({ asked, output }: Call): Promise<number> {
  const { listTrace } = await import("../../../features/telemetry/trace/index.ts");
  const answer = await listTrace(asked.session, { run: asked.argument(0) });
  return answerWith(answer, output, ({ sent, spans, trace_id }) => {
    if (sent) return `${amount(sent.count, "span")} sent to ${sent.url}, trace ${trace_id}.\n`;
    output.printListed(spans, 2);
    return "";
  });
}

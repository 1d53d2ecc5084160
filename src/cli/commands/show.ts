// `segno show`: a run's result as a report, or as the object itself.

import type { Result } from "../../results/result.ts";
import { showRun } from "../../services/runs/runs.ts";
import type { Call } from "../command.ts";
import { nextSteps, warningLines } from "../report/ending.ts";
import { type BlockView, errorBlock } from "../report/error-block.ts";
import { statusLine } from "../report/status-line.ts";
import { stepLines } from "../report/steps.ts";
import { sourceReader } from "../show-findings.ts";
import { jsonText } from "../text/harmless.ts";
import { WHOLE_LINES } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export default async function show({ asked, output }: Call): Promise<number> {
  const result = await showRun(asked.session, { ...asked.run });
  // How the run ended is the answer, not an error of `show`; a run that is not there is one.
  if (result.run_id === null) return answerWith(result, output, () => "");
  if (output.format !== "text") output.json(result);
  else {
    const { columns: terminal } = output.stdout;
    const width = terminal ?? WHOLE_LINES;
    const { reader, cwd } = asked;
    output.stdout.write(
      runReport(result, { colors: output.outColors, width, terminal, read: sourceReader(cwd), reader }),
    );
  }
  return 0;
}

/** How the run stands, its steps, its errors with what to do, and where its files are. */
export function runReport(result: Result, view: BlockView): string {
  const { colors } = view;
  const parts: (readonly string[])[] = [[statusLine(result, colors, view.terminal)]];
  if (result.file) parts[0] = [...(parts[0] ?? []), `  ${colors.dim(result.file)}`];
  if (result.execution) parts.push(stepLines(result.execution.steps, colors));
  const warnings = [...warningLines(result.warnings, view)];
  if (warnings.length > 0) parts.push(warnings);
  for (const entry of result.errors) parts.push(errorBlock(entry, view));
  if (result.output !== null && result.output !== undefined) {
    parts.push([colors.bold("Output"), ...jsonText(result.output, 2).split("\n")]);
  }
  const next = [...nextSteps(result, view)];
  if (next.length > 0) parts.push(next);
  if (result.artifacts) parts.push([`  ${colors.dim("files".padEnd(8))} ${result.artifacts.run_dir}`]);
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

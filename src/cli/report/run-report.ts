// The report of `segno show`: how the run stands, its steps, its errors with what to do, and where its files are.
import type { Result } from "../../results/result.ts";
import { jsonText } from "../text/harmless.ts";
import { nextSteps, warningLines } from "./ending.ts";
import { type BlockView, errorBlock } from "./error-block.ts";
import { statusLine } from "./status-line.ts";
import { stepLines } from "./steps.ts";

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

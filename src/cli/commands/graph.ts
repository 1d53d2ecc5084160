// `segno graph`: a drawing on stdout.
import { drawGraph, type GraphFormat } from "../../services/graph.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { showFindings } from "../show-findings.ts";
import { sourceReader } from "../source-reader.ts";

export default async function graph({ asked, output }: Call): Promise<number> {
  const run = asked.text("run");
  const answer = await drawGraph({
    ...asked.surroundings,
    file: asked.required(0),
    format: (asked.text("format") ?? "mermaid") as GraphFormat,
    ...(run === undefined ? {} : { run }),
  });
  if (output.format === "text" && answer.errors.some(({ rule }) => rule !== undefined)) {
    const { errors, warnings } = answer;
    const view = { errors, warnings, colors: output.colors, width: output.columns, read: sourceReader(asked.cwd) };
    output.stderr.write(showFindings(view));
    return answer.exit_code ?? 2;
  }
  return answerWith(answer, output, ({ graph: drawing }) => drawing);
}

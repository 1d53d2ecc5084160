// `segno graph`: a drawing on stdout.
import { drawGraph, type GraphDepth, type GraphFormat } from "../../services/workflows/graph.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { writeFindings } from "../show-findings.ts";
import { UsageError } from "../usage-error.ts";

export default async function graph({ asked, output }: Call): Promise<number> {
  const run = asked.text("run");
  const depth = asked.text("depth");
  const answer = await drawGraph({
    ...asked.surroundings,
    file: asked.required(0),
    format: (asked.text("format") ?? "mermaid") as GraphFormat,
    ...(run === undefined ? {} : { run }),
    ...(depth === undefined ? {} : { depth: depthOf(depth) }),
  });
  if (output.format === "text" && answer.errors.some(({ rule }) => rule !== undefined)) {
    writeFindings(answer, { asked, output });
    return answer.exit_code ?? 2;
  }
  return answerWith(answer, output, ({ graph: drawing }) => drawing);
}

function depthOf(given: string): GraphDepth {
  if (given === "all") return given;
  if (/^\d{1,6}$/.test(given)) return Number(given);
  throw new UsageError(`--depth takes a whole number of at least 0, or all, not "${given}".`, { command: "graph" });
}

// `segno gate list`: the questions that runs wait on, with the command that answers each.

import { type GatesAnswer, listGates } from "../../services/gates/gates.ts";
import { gateRulesText } from "../../services/gates/rules.ts";
import { answerWith } from "../answer-with.ts";
import { renderMarkdown } from "../ask/markdown.ts";
import type { Asked } from "../asked.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { optionLine } from "../text/columns.ts";
import { plainLineOf } from "../text/harmless.ts";
import { ago } from "../text/time.ts";

export default async function gateList({ asked, output }: Call): Promise<number> {
  const answer = await listGates(asked.surroundings);
  const width = Math.min(output.stdout.columns ?? 100, 100);
  return answerWith(answer, output, ({ gates }) => {
    if (gates.length === 0) return "No question waits for an answer.\n";
    return `${gates.map((gate) => gateBlock(gate, output.outColors, width, asked).join("\n")).join("\n\n")}\n`;
  });
}

function gateBlock(
  gate: GatesAnswer["gates"][number],
  colors: Colors,
  width: number,
  { reader, now }: Pick<Asked, "reader" | "now">,
): readonly string[] {
  const { bold, cyan, dim } = colors;
  const rules = gateRulesText(gate);
  return [
    `${cyan("?")} ${bold(plainLineOf(gate.name))}  ${dim(`${plainLineOf(gate.workflow ?? "")} · run ${gate.run_id} · asked ${ago(gate.presented_at, now)}`)}`,
    ...Object.entries(gate.inputs).map(([name, value]) => dim(`    ${plainLineOf(`${name}: ${value}`)}`)),
    ...renderMarkdown(gate.prompt, colors, width - 4)
      .split("\n")
      .map((line) => `    ${line}`),
    ...gate.options.map((option) => `    ${optionLine(option, colors)}`),
    ...(gate.questions ?? []).map(({ id, text }) => `    ${cyan(plainLineOf(id))}  ${plainLineOf(text)}`),
    ...(rules === undefined ? [] : [dim(`    ${plainLineOf(rules)}`)]),
    dim(`    ${reader.ask({ to: "answer", run: gate.run_id, gate: gate.name })}`),
  ];
}

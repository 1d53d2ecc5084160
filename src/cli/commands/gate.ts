// `segno gate list` and `answer`.
import { answerGate, type GatesAnswer, listGates } from "../../services/gates/gates.ts";
import { gateRulesText } from "../../services/gates/rules.ts";
import { renderMarkdown } from "../ask/markdown.ts";
import type { Asked } from "../asked.ts";
import type { Call } from "../command.ts";
import { drive, sayWhoseHome } from "../drive.ts";
import { readFields } from "../inputs.ts";
import type { Colors } from "../output.ts";
import { plainLineOf } from "../text/harmless.ts";
import { ago } from "../text/phrases.ts";
import { optionLine } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export async function printGates({ asked, output }: Call): Promise<number> {
  const answer = await listGates(asked.session);
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
  const where = `run ${gate.run_id}${gate.cell === undefined ? "" : ` · cell ${plainLineOf(gate.cell)}`}`;
  return [
    `${cyan("?")} ${bold(plainLineOf(gate.name))}  ${dim(`${plainLineOf(gate.workflow ?? "")} · ${where} · asked ${ago(gate.presented_at, now)}`)}`,
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

export function giveAnswer(call: Call): Promise<number> {
  const { asked, output } = call;
  const gate = asked.text("gate");
  const as = asked.text("as");
  const inputs = readFields(asked.list("input"));
  sayWhoseHome(call);
  return drive(call, async (driving, say) => {
    const answer = { run: asked.required(0), value: asked.required(1), inputs, gate, as };
    const result = await answerGate(asked.session, answer, driving);
    if (result.status !== "running") return result;
    say("Answered. The process that drives the run goes on with it.");
    // It may not have read the answer yet, and its journal still has the question: a hint to answer it would mislead.
    return output.format === "text" ? { ...result, gate: null } : result;
  });
}

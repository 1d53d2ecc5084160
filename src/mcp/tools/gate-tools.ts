// Tools about gates. A gate is there to hold the agent, so answering one is not offered unless the server allows it.
import { z } from "zod";
import { confineRun, ofRunsBelow } from "../../services/access/roots.ts";
import { listGates } from "../../services/gates/gates.ts";
import { gateRulesText } from "../../services/gates/rules.ts";
import { additional_input, detach, gate, run_id, value, wait_seconds } from "../arguments.ts";
import { driveAndWait } from "../drive-and-wait.ts";
import { arrayOf, headOutput, resultOutput } from "../output-schema.ts";
import { drivenAnswer } from "../said.ts";
import { answered } from "../session.ts";
import { DRIVES, defineTool } from "../tool.ts";

export const gateList = defineTool({
  name: "gate_list",
  description: "The questions to people that runs wait on: options, inputs of the run, who may answer.",
  input: z.strictObject({}),
  output: () => headOutput({ gates: arrayOf() }),
  annotations: { readOnlyHint: true },
  async run(_, { session, roots }) {
    const all = await listGates(session);
    const answer = { ...all, gates: await ofRunsBelow(all.gates, roots, session) };
    const lines = answer.gates.map((one) => {
      const rules = gateRulesText(one);
      const values = one.options.map((option) => option.value).join(", ");
      return `${one.name} of run ${one.run_id}: ${values}${rules === undefined ? "" : ` (${rules})`}`;
    });
    return answered(answer, lines.join("\n") || "No question waits for an answer.");
  },
});

export const gateAnswer = defineTool({
  name: "gate_answer",
  description: "Answers a gate and drives the run on. Your name is recorded.",
  input: z.strictObject({ run_id, gate: gate.optional(), value, additional_input, wait_seconds, detach }),
  output: () => resultOutput(),
  annotations: DRIVES,
  async run(given, call) {
    await confineRun(given.run_id, call.roots, call.session);
    const order = {
      to: "answer",
      run: given.run_id,
      value: given.value,
      inputs: given.additional_input,
      via: `mcp:${call.client}`,
      ...(given.gate === undefined ? {} : { gate: given.gate }),
    } as const;
    return drivenAnswer(await driveAndWait(order, given, call));
  },
});

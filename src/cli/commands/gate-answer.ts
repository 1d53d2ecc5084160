// `segno gate answer`: answers a gate and drives the run on from there.
import { answerGate } from "../../services/gates/gates.ts";
import type { Call } from "../command.ts";
import { drive, sayWhoseHome } from "../drive.ts";
import { readFields } from "../inputs.ts";

export default function gateAnswer(call: Call): Promise<number> {
  const { asked, output } = call;
  const gate = asked.text("gate");
  const as = asked.text("as");
  const inputs = readFields(asked.list("input"), "gate answer");
  sayWhoseHome(call);
  return drive(call, async (driving, say) => {
    const result = await answerGate({
      ...driving,
      run: asked.required(0),
      value: asked.required(1),
      inputs,
      ...(gate === undefined ? {} : { gate }),
      ...(as === undefined ? {} : { as }),
    });
    if (result.status !== "running") return result;
    say("Answered. The process that drives the run goes on with it.");
    // It may not have read the answer yet, and its journal still has the question: a hint to answer it would mislead.
    return output.format === "text" ? { ...result, gate: null } : result;
  });
}

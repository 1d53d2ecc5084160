// A gate of the run that a client waits for is asked in the middle of its request. What it answers counts as the client's;
// a gate that is for certain people is not asked here.
import type { CallToolRequest } from "@modelcontextprotocol/server";
import { showRun } from "../services/runs/runs.ts";
import { detach, wait_seconds } from "./arguments.ts";
import { Questions, type Round } from "./ask-client.ts";
import { driveAndWait } from "./drive-and-wait.ts";
import { formAnswer, gateForm } from "./gate-form.ts";
import { drivenAnswer, resultAnswer } from "./said.ts";
import type { ToolAnswer, ToolUse } from "./session.ts";

/** Clients end a request that asks on and on; the gates after that wait for `gate_answer`. */
const MOST_GATES_ASKED = 7;

export function gateQuestion(
  tool: string,
  { waitsAt }: ToolAnswer,
  roots: readonly string[],
  { state }: Round,
): Questions | undefined {
  const asked = (state?.asked ?? 0) + 1;
  const form = waitsAt && asked <= MOST_GATES_ASKED ? gateForm(waitsAt.gate) : undefined;
  if (!waitsAt || !form) return undefined;
  return new Questions({ gate: form }, { roots, asked, gate: { tool, run: waitsAt.run, key: waitsAt.gate.key } });
}

/** The next round: the answer drives the run on. Without one the run is shown as it stands, and the gate waits on. */
export async function answerAsked(
  { name, arguments: given = {} }: CallToolRequest["params"],
  use: ToolUse,
  { state, answers = {} }: Round,
): Promise<ToolAnswer> {
  const { tool, run, key } = state?.gate ?? { tool: name, run: "", key: "" };
  const result = await showRun(use.session, { run });
  const gate = (result.gates ?? (result.gate ? [result.gate] : [])).find((one) => one.key === key);
  const answer = gate && tool === name ? formAnswer(gate, answers) : undefined;
  if (!answer) return resultAnswer(result);
  const order = { to: "answer", run, gate: key, via: `mcp:${use.client}`, ...answer } as const;
  const wait = {
    wait_seconds: wait_seconds.catch(50).parse(given.wait_seconds),
    detach: detach.catch(true).parse(given.detach),
  };
  return drivenAnswer(await driveAndWait(order, wait, use));
}

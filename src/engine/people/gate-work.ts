// `type: human_gate`: asks a person, and goes where the chosen option leads.
import { failed, raised } from "../../errors/index.ts";
import type { HumanGateStep } from "../../language/schema/index.ts";
import { chosenOption, gateOutput, humanGate, type PreparedGate } from "../../steps/human-gate.ts";
import type { WorkflowFrame } from "../frame.ts";
import { scopeOf } from "../visit/step-work.ts";
import type { Work, WorkAttempt, WorkEnd } from "../visit/work.ts";
import type { GateAnswer, GateQuestion } from "./ask.ts";

export function gateWork(frame: WorkflowFrame, step: HumanGateStep): Work {
  return {
    name: step.name,
    type: step.type,
    version: humanGate.version,
    step,
    routes: step.routes,
    timeoutSeconds: undefined,
    isContainer: false,
    prepare: (scope, locals) => humanGate.prepare(step, scopeOf(frame, step.name, scope, locals)),
    run: (prepared, attempt) => ask(frame, step, prepared as PreparedGate, attempt),
    leadsTo: (prepared, output) =>
      chosenOption(prepared as PreparedGate, (output as { readonly selected: string }).selected)?.route,
  };
}

async function ask(
  frame: WorkflowFrame,
  step: HumanGateStep,
  prepared: PreparedGate,
  attempt: WorkAttempt,
): Promise<WorkEnd> {
  const options = prepared.options.map(({ name: _, ...option }) => option);
  const question: GateQuestion = { kind: "gate", node: step.name, key: attempt.key, prompt: prepared.prompt, options };
  const given = answerBefore(frame, question);
  let answer = given;
  if (!answer) {
    attempt.emit("gate_presented", { agent_name: step.name, key: attempt.key, prompt: prepared.prompt, options });
    answer = frame.engine.skipGates
      ? { kind: "gate", value: prepared.options[0]?.value ?? "", additional_input: {}, by: "skip-gates" }
      : await askPerson(frame, question, attempt.signal);
  }
  if (attempt.signal.aborted) return { type: "cancelled", node: step.name };
  if (!answer) return { type: "paused", question, path: frame.path };
  const output = gateOutput(prepared, answer);
  if (!output) {
    const choices = prepared.options.map((option) => option.value);
    const message = `${JSON.stringify(answer.value)} is none of the options of ${step.name}: ${choices.join(", ")}`;
    attempt.emit("gate_failed", { agent_name: step.name, error_type: "internal.bad_value", message });
    return {
      type: "outcome",
      outcome: failed(
        raised("internal.bad_value", message, { field: "answer", value: answer.value, expected: choices.join(", ") }),
      ),
    };
  }
  const route = chosenOption(prepared, answer.value)?.route;
  if (!given)
    attempt.emit("gate_resolved", {
      agent_name: step.name,
      key: attempt.key,
      selected_option: output.selected,
      route: route ?? null,
      additional_input: { ...output.additional_input },
      answered_by: answer.by,
    });
  // An option without a route leaves it to the gate's ordinary routes.
  return { type: "outcome", outcome: { ok: true, output }, ...(route && !attempt.member ? { to: route } : {}) };
}

async function askPerson(
  frame: WorkflowFrame,
  question: GateQuestion,
  signal: AbortSignal,
): Promise<GateAnswer | undefined> {
  const answer = await frame.engine.durable.ask(frame.path, question, signal);
  return answer?.kind === "gate" ? answer : undefined;
}

/** An answer that was given before a crash is not asked for again. It is one to the same question only: a yes to another is no yes. */
function answerBefore(frame: WorkflowFrame, { key, prompt, options }: GateQuestion): GateAnswer | undefined {
  const answer = frame.reuse ? frame.engine.durable.recall.get(key)?.answer : undefined;
  if (answer?.kind !== "gate" || JSON.stringify(answer.question) !== JSON.stringify({ prompt, options }))
    return undefined;
  return {
    kind: "gate",
    value: answer.selected,
    additional_input: answer.additional_input as Record<string, string>,
    by: answer.answered_by,
  };
}

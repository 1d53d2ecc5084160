// `type: human_gate`: asks a person, and goes where the chosen option leads.
import { failed, type Raised, raised } from "../../errors/index.ts";
import type { HumanGateStep } from "../../language/schema/index.ts";
import { chosenOption, gateOutput, humanGate, type PreparedGate } from "../../steps/human-gate.ts";
import type { WorkflowFrame } from "../frame.ts";
import { scopeOf } from "../visit/step-work.ts";
import type { Work, WorkAttempt, WorkEnd } from "../visit/work.ts";
import { recordedAnswerer } from "./answerer.ts";
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
  const refused = (error: Raised): WorkEnd => {
    attempt.emit("gate_failed", { agent_name: step.name, error_type: error.kind, message: error.message });
    return { type: "outcome", outcome: failed(error) };
  };
  const output = gateOutput(prepared, answer);
  if (!output) return refused(noOption(prepared, answer, step.name));
  const lacking = withoutItsText(prepared, answer);
  if (lacking) return refused(lacking);
  const route = chosenOption(prepared, answer.value)?.route;
  if (!given)
    attempt.emit("gate_resolved", {
      agent_name: step.name,
      key: attempt.key,
      selected_option: output.selected,
      route: route ?? null,
      additional_input: { ...output.additional_input },
      ...recordedAnswerer(answer),
    });
  // An option without a route leaves it to the gate's ordinary routes.
  return { type: "outcome", outcome: { ok: true, output }, ...(route && !attempt.member ? { to: route } : {}) };
}

const noOption = ({ options }: PreparedGate, { value }: GateAnswer, node: string): Raised => {
  const choices = options.map((option) => option.value).join(", ");
  return raised("internal.bad_value", `${JSON.stringify(value)} is none of the options of ${node}: ${choices}`, {
    field: "answer",
    value,
    expected: choices,
  });
};

/** Answers that no person gave: nobody could be asked for a text. */
const NOBODY: ReadonlySet<string> = new Set(["skip-gates", "scenario"]);

/** Whoever asks a person sees to it that the text is there; an own `ask` of a library's user may not. */
function withoutItsText(prepared: PreparedGate, { value, additional_input, by }: GateAnswer): Raised | undefined {
  const { prompt_for, prompt_optional } = chosenOption(prepared, value) ?? {};
  if (NOBODY.has(by) || prompt_for === undefined || prompt_optional || Object.hasOwn(additional_input, prompt_for))
    return undefined;
  return raised("internal.bad_value", `${value} asks for a text, ${prompt_for}, and the answer has none`, {
    field: "answer",
    value,
    expected: `additional_input.${prompt_for}`,
  });
}

async function askPerson(
  frame: WorkflowFrame,
  question: GateQuestion,
  signal: AbortSignal,
): Promise<GateAnswer | undefined> {
  const answer = await frame.engine.durable.ask(frame.path, question, signal, { anew: !frame.reuse });
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

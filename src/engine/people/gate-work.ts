// `type: human_gate`: asks a person, and goes where the chosen option leads.
import { failed, type Raised, raised } from "../../base/errors/index.ts";
import type { HumanGateStep } from "../../language/schema/index.ts";
import {
  chosenOption,
  gateOutput,
  humanGate,
  type PreparedGate,
  shownChoices,
} from "../../steps/human-gate/prepare.ts";
import type { WorkflowFrame } from "../frame.ts";
import { scopeOf } from "../visit/step-work.ts";
import { ownWork, type Work, type WorkAttempt, type WorkEnd } from "../visit/work.ts";
import { whyNotBy } from "./approval.ts";
import type { GateAnswer, GateQuestion } from "./ask.ts";
import { askInTime, inputsAskedAbout, recordedAnswerer, shownWaiting, type Waited, waitingOf } from "./waiting.ts";

export function gateWork(frame: WorkflowFrame, step: HumanGateStep): Work {
  return {
    ...ownWork(step, humanGate.version),
    prepare: (scope, locals) => humanGate.prepare(step, scopeOf(frame, step.name, scope, locals)),
    hashed: (prepared) => ({ ...(prepared as PreparedGate), ...inputsAskedAbout(frame, step) }),
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
  const asked: GateQuestion = { kind: "gate", node: step.name, key: attempt.key, prompt: prepared.prompt, options };
  const given = answerBefore(frame, { ...asked, ...inputsAskedAbout(frame, step) });
  const waiting = given ? {} : await waitingOf(frame, step, attempt.key);
  const question: GateQuestion = { ...asked, ...waiting };
  const refused = (error: Raised): WorkEnd => {
    attempt.emit("gate_failed", { agent_name: step.name, error_type: error.kind, message: error.message });
    return { type: "outcome", outcome: failed(error) };
  };
  let answer = given;
  if (!answer) {
    const { prompt } = prepared;
    attempt.emit("gate_presented", {
      agent_name: step.name,
      key: attempt.key,
      prompt,
      options,
      ...shownWaiting(waiting),
    });
    const waited = await skippedOrAsked(frame, step, question, attempt);
    if (waited.type === "timeout" && step.on_timeout === undefined) return refused(waited.error);
    if (waited.type === "timeout")
      answer = { kind: "gate", value: step.on_timeout ?? "", additional_input: {}, by: "timeout" };
    if (waited.type === "answered") answer = waited.answer;
  }
  if (attempt.signal.aborted) return { type: "cancelled", node: step.name };
  if (!answer) return { type: "paused", question, path: frame.path };
  const output = gateOutput(prepared, answer);
  if (!output) return refused(noOption(prepared, answer, step.name));
  const lacking = withoutItsText(prepared, answer);
  if (lacking) return refused(lacking);
  const option = chosenOption(prepared, answer.value);
  const route = option?.route;
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
  const led = option && route && !attempt.member ? { to: route, option: prepared.options.indexOf(option) } : {};
  return { type: "outcome", outcome: { ok: true, output }, ...led };
}

const noOption = ({ options }: PreparedGate, { value }: GateAnswer, node: string): Raised => {
  const message = `${JSON.stringify(value)} is none of the options of ${node}: ${shownChoices(options)}`;
  const expected = options.map((option) => option.value).join(", ");
  return raised("internal.bad_value", message, { field: "answer", value, expected });
};

/** Answers that no person gave: they need no text. */
const WITHOUT_PERSON: ReadonlySet<string> = new Set(["skip-gates", "scenario", "timeout"]);

/** Segno's own askers always get the text; an `ask` function passed to the library may not. */
function withoutItsText(prepared: PreparedGate, { value, additional_input, by }: GateAnswer): Raised | undefined {
  const { prompt_for, prompt_optional } = chosenOption(prepared, value) ?? {};
  if (WITHOUT_PERSON.has(by) || prompt_for === undefined || prompt_optional) return undefined;
  if (Object.hasOwn(additional_input, prompt_for)) return undefined;
  return raised("internal.bad_value", `${value} asks for a text, ${prompt_for}, and the answer has none`, {
    field: "answer",
    value,
    expected: `additional_input.${prompt_for}`,
  });
}

/** `--skip-gates` does not answer a gate that only some people may answer. */
async function skippedOrAsked(
  frame: WorkflowFrame,
  step: HumanGateStep,
  question: GateQuestion,
  attempt: WorkAttempt,
): Promise<Waited<GateAnswer>> {
  const skipped: GateAnswer = {
    kind: "gate",
    value: question.options[0]?.value ?? "",
    additional_input: {},
    by: "skip-gates",
  };
  if (frame.engine.skipGates && whyNotBy(question, skipped) === undefined) return { type: "answered", answer: skipped };
  return askInTime<GateAnswer>(frame, step, question, attempt, { anew: !frame.reuse });
}

/** An answer that was given before a crash is not asked for again. It is one to the same question only: a yes to another is no yes. */
function answerBefore(frame: WorkflowFrame, { key, prompt, options, about }: GateQuestion): GateAnswer | undefined {
  const answer = frame.reuse ? frame.engine.durable.recall.get(key)?.answer : undefined;
  if (answer?.kind !== "gate" || JSON.stringify(answer.question) !== JSON.stringify({ prompt, options, about }))
    return undefined;
  return {
    kind: "gate",
    value: answer.selected,
    additional_input: answer.additional_input as Record<string, string>,
    by: answer.answered_by,
  };
}

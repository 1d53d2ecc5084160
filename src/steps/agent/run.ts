// `type: agent`. Asks a model, reads the answer, asks again when it has the wrong shape or a validator finds fault.

import { failed, isEngineKind, type Outcome, type Raised, raised, succeeded } from "../../base/errors/index.ts";
import type { Scope } from "../../template/index.ts";
import type { OutputFields } from "../output-schema.ts";
import type { Attempt, Executor } from "../step-type.ts";
import { renderText } from "../values.ts";
import type { ModelRequest, ModelResult } from "../world.ts";
import { issuesOf, talkOver, type Validator } from "./after-answer.ts";
import { readAnswer } from "./answer.ts";
import { hashedRequest, modelRequest, skillText, tellUsage } from "./request.ts";
import type { AgentStep } from "./schema.ts";

export interface PreparedAgent {
  readonly request: ModelRequest;
  readonly context_keys: readonly string[];
  /** How often to ask again for an answer of the right shape. */
  readonly recoveries: number;
  readonly output?: OutputFields;
  /** `output_mode: raw`: the text is the answer, whatever it looks like. */
  readonly raw?: true;
  readonly validator?: Validator;
  readonly raisesDenials?: true;
  /** When to talk with a person. */
  readonly trigger?: string;
  /** How to talk with them. */
  readonly conversation?: string;
  /** Skills that take more of the prompt than `warn_bytes`. */
  readonly largeSkills?: { readonly bytes: number; readonly limit: number };
}

const RECOVERIES = 2;

export const agent: Executor<AgentStep, PreparedAgent> = {
  type: "agent",
  version: 1,

  prepare(step, scope) {
    const { validator, dialog } = step;
    const { names } = scope;
    const skills = skillText(step, scope);
    return {
      request: modelRequest(step, scope, skills?.text),
      context_keys: names.names(),
      recoveries: step.retry?.max_parse_recovery_attempts ?? RECOVERIES,
      output: step.output,
      raw: step.output_mode === "raw" || undefined,
      validator: validator && renderedValidator(validator, names),
      raisesDenials: step.on_denied === "raise" || undefined,
      trigger: dialog?.trigger_prompt,
      ...(dialog?.conversation_prompt ? { conversation: dialog.conversation_prompt } : {}),
      largeSkills: skills?.over === undefined ? undefined : { bytes: skills.bytes, limit: skills.over },
    };
  },

  // Which names are in scope is recorded, and changes nothing: the prompt holds what was read of them.
  hashed: ({ context_keys: _, largeSkills: _skills, request, ...rest }) => ({
    ...rest,
    request: hashedRequest(request),
  }),

  async execute(prepared, attempt) {
    tellPrompt(prepared, attempt);
    const outcome = await answered(prepared, attempt);
    return prepared.raisesDenials && !attempt.signal.aborted ? raisedIfDenied(outcome, prepared, attempt) : outcome;
  },
};

async function answered(prepared: PreparedAgent, attempt: Attempt): Promise<Outcome> {
  const { request, trigger, conversation } = prepared;
  const outcome = await fittingAnswer(request, prepared, attempt);
  if (!outcome.ok || attempt.signal.aborted) return outcome;
  const note =
    trigger === undefined ? undefined : await talkOver(outcome.output, { trigger, conversation }, request, attempt);
  if (note === undefined) return validated(outcome, request, prepared, attempt);
  const again = { ...request, prompt: `${request.prompt}\n\n${note}` };
  return validated(await fittingAnswer(again, prepared, attempt), again, prepared, attempt);
}

/** What it answered all the same, and what it changed, stays beside the error. */
function raisedIfDenied(outcome: Outcome, { request }: PreparedAgent, { node }: Attempt): Outcome {
  const { output, changes } = outcome;
  const denied = changes?.denied ?? [];
  const [first, ...others] = denied;
  if (!outcome.ok || !first) return outcome;
  const more = others.length > 0 ? `, and ${others.length} more` : "";
  const message = `${node} was not allowed to ${first.what} (${first.by})${more}.`;
  return failed(raised("provider.denied", message, { provider: request.provider, denied }), output, changes);
}

function renderedValidator(validator: NonNullable<AgentStep["validator"]>, names: Scope): Validator {
  const { model = "", criteria, max_retries } = validator;
  return { criteria: renderText(criteria, names), max_retries, model: renderText(model, names).trim() || undefined };
}

function tellPrompt({ request, context_keys, largeSkills }: PreparedAgent, attempt: Attempt): void {
  const { node: agent_name } = attempt;
  attempt.emit("agent_prompt_rendered", {
    agent_name,
    rendered_prompt: request.prompt,
    context_keys: [...context_keys],
  });
  if (!largeSkills) return;
  const { bytes, limit } = largeSkills;
  const message = `the skills of ${agent_name} take ${bytes} bytes of every prompt, more than runtime.skill_injection.warn_bytes (${limit}).`;
  attempt.emit("skill_injection_warning", { agent_name, bytes, limit, message });
}

/** The agent revises its answer at most `max_retries` times; the last one counts even if the judge still objects. */
async function validated(
  first: Outcome,
  request: ModelRequest,
  prepared: PreparedAgent,
  attempt: Attempt,
): Promise<Outcome> {
  const { validator } = prepared;
  let outcome = first;
  for (let retry = 0; validator && outcome.ok && !attempt.signal.aborted; retry++) {
    const issues = await issuesOf(outcome, validator, request, attempt);
    if (issues.length === 0) break;
    const will_retry = retry < validator.max_retries;
    attempt.emit("agent_validation_failed", { agent_name: attempt.node, issues: [...issues], will_retry });
    if (!will_retry) break;
    const again = await fittingAnswer(
      withNote(request, outcome.output, issues.join("\n"), MORE_WORK),
      prepared,
      attempt,
    );
    if (!again.ok && isEngineKind(again.error.kind)) {
      const message = `the answer was to be put right, which failed (${again.error.message}); the first one is kept.`;
      attempt.emit("warning", { node: attempt.node, message });
      break;
    }
    outcome = again;
  }
  return outcome;
}

async function fittingAnswer(first: ModelRequest, prepared: PreparedAgent, attempt: Attempt): Promise<Outcome> {
  const { node } = attempt;
  let request = first;
  for (let recovery = 0; ; recovery++) {
    const result = await attempt.world.callModel(request, attempt);
    tellUsage(attempt, recovery === 0 ? "answer" : "recovery", result.usage);
    const { changes } = result;
    if (!result.ok) return failed(result.error, partialOutput(result), changes);
    // What an interrupted agent had said so far is no answer: it is neither checked nor searched for an envelope.
    if (attempt.signal.aborted) return succeeded({ result: result.content }, changes);

    const { output, raw } = prepared;
    const answer = await readAnswer(result.content, {
      node,
      output,
      raw,
      envelopes: attempt.envelopes,
      patterns: attempt.workflow.rules?.patterns,
    });
    if (answer.type === "output") {
      if (answer.warning !== undefined) attempt.emit("warning", { node, message: answer.warning });
      return succeeded(answer.output, changes);
    }
    if (answer.type === "raised") return failed(answer.error, answer.output, changes);
    if (recovery >= prepared.recoveries)
      return failed(withAnswer(answer.error, result.content), answer.output, changes);
    const reason = String(answer.error.details.reason);
    attempt.emit("agent_parse_recovery", {
      agent_name: node,
      attempt: recovery + 1,
      max_attempts: prepared.recoveries,
      reason: answer.reason,
      error: reason,
    });
    request = withNote(first, result.content, reason, ANSWER_ALONE);
  }
}

/** A coding agent that said nothing has no output: an empty `result` would look like an answer. */
const partialOutput = ({ content, changes }: ModelResult): unknown =>
  changes ? (content ? { result: content } : undefined) : content;

const TAIL_CHARACTERS = 2000;

/** What was refused, as far as one can look through it: the end, where answers that ran out of tokens break off. */
const withAnswer = (error: Raised, content: unknown): Raised =>
  raised(error.kind, error.message, { ...error.details, answer: textOf(content).slice(-TAIL_CHARACTERS) });

const textOf = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content));

/** An answer of the wrong shape is no reason to do the work once more; a judge's fault may be one to go on with it. */
const ANSWER_ALONE =
  "Your work is done and need not be done again: only the answer is missing. Give it again, whole, and put that right.";
const MORE_WORK =
  "What you did so far is done: do only what is needed to put that right, then give your whole answer again.";

/** The same question, with the last answer and what was wrong with it; `goOn` is for who still knows both. */
function withNote(request: ModelRequest, answer: unknown, problem: string, goOn: string): ModelRequest {
  const note = `Your last answer was:\n${textOf(answer)}\n\nIt cannot be used:\n${problem}\n\nAnswer the question again, and put that right.`;
  const shape = request.schema ? "\nAnswer with one JSON object alone, and nothing around it." : "";
  return {
    ...request,
    prompt: `${request.prompt}\n\n${note}${shape}`,
    refused: problem,
    correction: `Your last answer cannot be used:\n${problem}\n\n${goOn}${shape}`,
  };
}

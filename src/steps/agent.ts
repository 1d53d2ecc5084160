// `type: agent`. Asks a model, reads the answer, asks again when it has the wrong shape or a validator finds fault.
import { failed, type Outcome, succeeded } from "../errors/index.ts";
import type { AgentStep } from "../language/schema/index.ts";
import { readAnswer } from "./agent-answer.ts";
import { modelRequest } from "./agent-request.ts";
import { tellUsage } from "./agent-usage.ts";
import { issuesOf, type Validator } from "./agent-validator.ts";
import type { Attempt, Executor } from "./executor.ts";
import type { OutputFields } from "./output-schema.ts";
import { renderText } from "./values.ts";
import type { ModelRequest } from "./world.ts";

export interface PreparedAgent {
  readonly request: ModelRequest;
  readonly context_keys: readonly string[];
  /** How often to ask again for an answer of the right shape. */
  readonly recoveries: number;
  readonly output?: OutputFields;
  readonly validator?: Validator;
}

const RECOVERIES = 2;

export const agent: Executor<AgentStep, PreparedAgent> = {
  type: "agent",
  version: 1,

  prepare(step, scope) {
    const { validator } = step;
    return {
      request: modelRequest(step, scope),
      context_keys: scope.names.names(),
      recoveries: step.retry?.max_parse_recovery_attempts ?? RECOVERIES,
      ...(step.output ? { output: step.output } : {}),
      ...(validator ? { validator: { ...validator, criteria: renderText(validator.criteria, scope.names) } } : {}),
    };
  },

  async execute(prepared, attempt) {
    const { request, validator, context_keys } = prepared;
    attempt.emit("agent_prompt_rendered", {
      agent_name: attempt.node,
      rendered_prompt: request.prompt,
      context_keys: [...context_keys],
    });
    let outcome = await fittingAnswer(request, prepared, attempt);
    for (let retry = 0; validator && outcome.ok && !attempt.signal.aborted; retry++) {
      const issues = await issuesOf(outcome.output, validator, request, attempt);
      if (issues.length === 0) break;
      const will_retry = retry < validator.max_retries;
      attempt.emit("agent_validation_failed", { agent_name: attempt.node, issues: [...issues], will_retry });
      if (!will_retry) break;
      outcome = await fittingAnswer(withNote(request, outcome.output, issues.join("\n")), prepared, attempt);
    }
    return outcome;
  },
};

async function fittingAnswer(first: ModelRequest, prepared: PreparedAgent, attempt: Attempt): Promise<Outcome> {
  const { node } = attempt;
  let request = first;
  for (let recovery = 0; ; recovery++) {
    const result = await attempt.world.callModel(request, attempt);
    tellUsage(attempt, recovery === 0 ? "answer" : "recovery", result.usage);
    if (!result.ok) return failed(result.error, result.content);
    // What an interrupted agent had said so far is no answer: it is neither checked nor searched for an envelope.
    if (attempt.signal.aborted) return succeeded({ result: result.content });

    const answer = await readAnswer(result.content, { node, ...(prepared.output ? { output: prepared.output } : {}) });
    if (answer.type === "output") return succeeded(answer.output);
    if (answer.type === "raised") return failed(answer.error);
    if (recovery >= prepared.recoveries) return failed(answer.error, answer.output);
    const reason = String(answer.error.details.reason);
    attempt.emit("agent_parse_recovery", {
      agent_name: node,
      attempt: recovery + 1,
      max_attempts: prepared.recoveries,
      reason: answer.reason,
      error: reason,
    });
    request = withNote(first, result.content, reason);
  }
}

/** The same question, with the last answer and what was wrong with it. */
function withNote(request: ModelRequest, answer: unknown, problem: string): ModelRequest {
  const said = typeof answer === "string" ? answer : JSON.stringify(answer);
  const note = `Your last answer was:\n${said}\n\nIt cannot be used:\n${problem}\n\nAnswer the question again, and put that right.`;
  const shape = request.schema ? "\nAnswer with one JSON object alone, and nothing around it." : "";
  return { ...request, prompt: `${request.prompt}\n\n${note}${shape}` };
}

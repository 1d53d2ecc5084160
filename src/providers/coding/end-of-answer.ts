// What an agent ended with, as the end of a model's call.
import { type Raised, raised } from "../../errors/index.ts";
import { parseAnswer, shapeForApi, unwrapped } from "../answer.ts";
import { asRaised, ProviderFailure } from "../failure.ts";
import { failedEnd, type ModelEnd } from "../model-end.ts";
import { NOTHING_SPENT } from "../tokens.ts";
import type { CodingAnswer } from "./agent.ts";
import type { CodingCall } from "./task.ts";

/** The engine knows why it stopped the step, and reads this only as "it did not end by itself". */
export const STOPPED = new ProviderFailure("unavailable", "it was stopped");

export function endOfAnswer(
  { request, target, attempt }: CodingCall,
  answer: Exclude<CodingAnswer, { type: "out_of_turns" }>,
): ModelEnd {
  const { model } = target;
  switch (answer.type) {
    case "unfit":
      return failedEnd(model, unfit(attempt.node, answer.reason, answer.text), NOTHING_SPENT, answer.text);
    case "asks":
      return failedEnd(model, asRaised(target, 1, STOPPED, attempt.clock.now()));
    case "answered":
      return { model, spent: NOTHING_SPENT, outcome: { ok: true, content: contentOf(answer, request.schema) } };
    default:
      return answer satisfies never;
  }
}

function contentOf(
  { text, structured }: Extract<CodingAnswer, { type: "answered" }>,
  schema: CodingCall["request"]["schema"],
): unknown {
  if (!schema) return text;
  const isWrapped = shapeForApi(schema).wrapped;
  if (structured === undefined) return parseAnswer(text, isWrapped);
  return isWrapped ? unwrapped(structured) : structured;
}

const unfit = (node: string, reason: string, answer: string): Raised =>
  raised("internal.schema_violation", `the answer of ${node} does not fit its \`output:\`: ${reason}`, {
    node,
    source: "agent",
    reason,
    failed_field: null,
    answer: answer.slice(-2000),
  });

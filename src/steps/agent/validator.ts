// `validator:` of an agent: a second call that judges the answer. What it cannot judge passes; it never fails a step.

import type { Outcome } from "../../errors/index.ts";
import { isMapping } from "../../errors/mapping.ts";
import type { Attempt } from "../executor.ts";
import type { ModelRequest } from "../world.ts";
import { objectIn } from "./answer.ts";
import { tellUsage } from "./request.ts";

export interface Validator {
  readonly criteria: string;
  readonly model?: string;
  readonly max_retries: number;
}

const SCHEMA = {
  type: "object",
  properties: { passed: { type: "boolean" }, issues: { type: "array", items: { type: "string" } } },
  required: ["passed", "issues"],
};

/** What is wrong with an answer; empty when it will do. */
export async function issuesOf(
  { output, changes }: Pick<Outcome, "output" | "changes">,
  validator: Validator,
  asked: ModelRequest,
  attempt: Attempt,
): Promise<readonly string[]> {
  const models = validator.model === undefined ? asked.models : [validator.model];
  const { node: agent_name } = attempt;
  const [model] = models;
  attempt.emit("agent_validator_start", {
    agent_name,
    ...(model ? { model } : {}),
    criteria_preview: validator.criteria.slice(0, 200),
  });
  const request: ModelRequest = {
    purpose: "validator",
    provider: asked.provider,
    ...(asked.settings ? { settings: asked.settings } : {}),
    models,
    system: "You judge whether an answer meets the criteria. You do not answer the question yourself.",
    prompt: [
      `The question was:\n${asked.prompt}`,
      `The answer is:\n${JSON.stringify(output, null, 2)}`,
      ...(changes ? [`Meanwhile it changed in its folder:\n${JSON.stringify(changes, null, 2)}`] : []),
      `The criteria are:\n${validator.criteria}`,
      'Answer with a JSON object alone: {"passed": true or false, "issues": ["each thing that is wrong, in a sentence"]}',
    ].join("\n\n"),
    schema: SCHEMA,
    raises: [],
    tools: [],
    options: asked.options,
  };
  const result = await attempt.world.callModel(request, attempt);
  tellUsage(attempt, "validator", result.usage);
  const content = result.ok
    ? isMapping(result.content)
      ? result.content
      : objectIn(String(result.content))
    : undefined;
  const errored = typeof content?.passed !== "boolean";
  const passed = errored || content?.passed === true;
  const issues = passed ? [] : Array.isArray(content?.issues) ? content.issues.map(String) : [];
  attempt.emit("agent_validator_complete", { agent_name, passed, issues, errored, ...result.usage });
  return passed || issues.length > 0 ? issues : ["the answer does not meet the criteria"];
}

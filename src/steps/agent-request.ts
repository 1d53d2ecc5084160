// From an agent step to the call of a model: prompts rendered, the step's settings over the workflow's, and, when the
// step may raise, how to do that.
import { resolve } from "node:path";
import type { AgentStep } from "../language/schema/index.ts";
import type { StepScope } from "./executor.ts";
import { outputOrEnvelope, toJsonSchema } from "./json-schema.ts";
import { isMapping } from "./output-schema.ts";
import { renderText } from "./values.ts";
import type { ModelRequest } from "./world.ts";

export function modelRequest(step: AgentStep, scope: StepScope): ModelRequest {
  const { names, workflow } = scope;
  const raises = step.raises ?? [];
  const prompt = [workflow.instructions, renderText(step.prompt, names), contract(raises)];
  return {
    purpose: "answer",
    provider: providerName(step.provider ?? workflow.runtime.provider),
    models: modelsOf(step, scope),
    system: step.system_prompt === undefined ? "" : renderText(step.system_prompt, names),
    prompt: prompt.filter(Boolean).join("\n\n"),
    ...(step.output
      ? { schema: raises.length > 0 ? outputOrEnvelope(step.output, raises) : toJsonSchema(step.output) }
      : {}),
    raises,
    tools: step.tools ?? null,
    options: optionsOf(step, scope),
  };
}

/** How an agent raises, in the words that it is given. */
function contract(kinds: readonly string[]): string {
  if (kinds.length === 0) return "";
  return [
    "If you cannot do what is asked for one of the reasons below, do not answer as described above. Answer instead with this JSON object alone, and nothing around it:",
    '{"conductor_error": true, "kind": "<one of the kinds below>", "message": "<what happened, in a sentence for people>", "details": {}}',
    `Kinds: ${kinds.join(", ")}`,
  ].join("\n");
}

function providerName(provider: unknown): string {
  const name = isMapping(provider) ? provider.name : provider;
  return typeof name === "string" && name !== "" ? name : "copilot";
}

function modelsOf(step: AgentStep, { names, workflow }: StepScope): string[] {
  const written = step.model ?? workflow.runtime.default_model;
  const models = Array.isArray(written) ? written : [written];
  return models
    .flatMap((model) => (typeof model === "string" ? renderText(model, names) : []))
    .filter((model) => model !== "");
}

/** Settings that change what a model answers. Credentials and servers stay out: these values are part of a step's hash. */
function optionsOf(step: AgentStep, { names, workflow }: StepScope): Record<string, unknown> {
  const { runtime, dir } = workflow;
  const text = (value: unknown): string | undefined =>
    typeof value === "string" ? renderText(value, names) : undefined;
  const workingDir = text(step.working_dir ?? runtime.working_dir);
  const runtimeSkills = Array.isArray(runtime.skills) ? runtime.skills : [];
  const options = {
    temperature: runtime.temperature,
    max_tokens: runtime.max_tokens,
    call_timeout_seconds: runtime.timeout,
    max_session_seconds: step.max_session_seconds ?? runtime.max_session_seconds,
    max_agent_iterations: step.max_agent_iterations ?? runtime.max_agent_iterations,
    reasoning_effort: text(step.reasoning?.effort ?? runtime.default_reasoning_effort),
    retry: step.retry,
    working_dir: workingDir === undefined ? undefined : resolve(dir, workingDir),
    skills: [...runtimeSkills, ...(step.skills ?? [])],
    session_key: step.session_key,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

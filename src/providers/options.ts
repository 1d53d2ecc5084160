// What a step and its file say about calling a model, read once: `request.options` win over `workflow.runtime`.
import { isMapping } from "../base/errors/mapping.ts";
import type { Caller } from "../steps/caller.ts";
import { type ToolOutputLimits, toolOutputLimits } from "../steps/tool-output.ts";
import type { ModelRequest } from "../steps/world.ts";
import { type Effort, type ProviderSettings, REASONING_EFFORTS } from "./provider.ts";
import { canonicalName } from "./registry.ts";
import { policyOf, type TransportPolicy } from "./transport.ts";

const DEFAULT_TIMEOUT_SECONDS = 600;
const DEFAULT_TOOL_ROUNDS = 50;

export interface CallOptions {
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly effort?: Effort;
  readonly timeoutSeconds: number;
  readonly toolRounds: number;
  /** Of the whole conversation; null: no limit. */
  readonly sessionSeconds: number | null;
  readonly sessionKey: string | null;
  /** Where a provider with tools of its own works. */
  readonly workingDir: string;
  readonly settingsDir?: string;
  readonly policy: TransportPolicy;
  readonly toolOutput: ToolOutputLimits;
}

const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

export function callOptions(request: ModelRequest, attempt: Caller): CallOptions {
  const { options } = request;
  const { runtime } = attempt.workflow;
  const setting = (name: string): unknown => options[name] ?? runtime[name];
  const reasoning = isMapping(options.reasoning) ? options.reasoning.effort : undefined;
  const effort = [options.reasoning_effort, reasoning, runtime.default_reasoning_effort].find((one) =>
    REASONING_EFFORTS.some((effort) => effort === one),
  );
  return {
    temperature: number(setting("temperature")),
    maxTokens: number(setting("max_tokens")),
    effort: effort as Effort | undefined,
    timeoutSeconds: number(options.call_timeout_seconds) ?? number(runtime.timeout) ?? DEFAULT_TIMEOUT_SECONDS,
    toolRounds: number(setting("max_agent_iterations")) ?? DEFAULT_TOOL_ROUNDS,
    sessionSeconds: number(setting("max_session_seconds")) ?? null,
    // A judge must not speak in the conversation that it judges.
    sessionKey: request.purpose === "answer" ? (text(options.session_key) ?? null) : null,
    workingDir: text(options.working_dir) ?? attempt.workflow.dir,
    settingsDir: text(options.settings_dir),
    policy: policyOf(options.retry),
    toolOutput: toolOutputLimits(setting("tool_output")),
  };
}

/** What is said about the provider that serves a model: the request's settings, or the file's if the model is another's. */
export function settingsFor(
  name: string,
  request: ModelRequest,
  { workflow }: Pick<Caller, "workflow">,
): ProviderSettings {
  if (request.settings && canonicalName(request.provider) === canonicalName(name)) return request.settings;
  const { provider } = workflow.runtime;
  const isAboutIt = isMapping(provider) && canonicalName(String(provider.name)) === canonicalName(name);
  return isAboutIt ? provider : {};
}

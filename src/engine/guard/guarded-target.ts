// What an attempt calls, as breakers name it.
import { httpTarget, mcpTarget, modelTarget } from "../../steps/targets.ts";
import type { Visit } from "../frame.ts";

/** What waits for people, or ends the run, calls nothing. */
const CALLS_NOTHING: ReadonlySet<string> = new Set(["human_gate", "questions", "terminate"]);

/** The target of the breaker that the whole attempt is under. What an agent calls is asked call by call, in the providers. */
export function breakerTarget({ frame, work }: Visit, values: unknown): string | undefined {
  const section = frame.resilience?.circuit_breaker;
  if (!section || CALLS_NOTHING.has(work.type)) return undefined;
  if (section.scope === "step") return `step:${frame.name}/${work.name}`;
  const { request, server } = values as { readonly request?: { readonly url?: string }; readonly server?: string };
  if (work.type === "http") return httpTarget(request?.url ?? "");
  return work.type === "mcp" ? mcpTarget(server ?? "") : undefined;
}

/** The first model of an agent's list, when it names one. */
export function agentTarget(type: string, values: unknown): string | undefined {
  if (type !== "agent") return undefined;
  const { request } = values as {
    readonly request?: { readonly provider: string; readonly models: readonly string[] };
  };
  const model = request?.models[0];
  return request && model ? modelTarget(request.provider, model) : undefined;
}

// What calls to a model used, recorded call by call; sums are made from the events.
import type { Attempt } from "../executor.ts";
import type { ModelUsage } from "../world.ts";

export function tellUsage(
  attempt: Attempt,
  purpose: "answer" | "recovery" | "validator" | "dialog",
  usage: ModelUsage,
): void {
  if (Object.keys(usage).length === 0) return;
  attempt.emit("agent_usage", { agent_name: attempt.node, purpose, ...usage });
}

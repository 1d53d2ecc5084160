import { type NodePath, writtenAt } from "../loaded.ts";
import { stepNodes } from "./parts-of-file.ts";
import { code, defineRule, type RuleContext } from "./rule.ts";

interface Renamed {
  readonly older: string;
  /** What to write, for a value. */
  readonly newer: (value: unknown) => string;
}

const named = (older: string, name: string): Renamed => ({
  older,
  newer: (value) => `${name}: ${JSON.stringify(value)}`,
});

const OF_RESILIENCE: readonly Renamed[] = [
  named("max_retries", "max"),
  named("initial_delay", "initial_seconds"),
  named("max_delay", "max_seconds"),
  named("retryable", "on"),
  { older: "backoff_multiplier", newer: (value) => `backoff: ${value === 1 ? "fixed" : "exponential"}` },
];

const OF_AGENTS: readonly Renamed[] = [
  { older: "max_attempts", newer: (value) => `max: ${typeof value === "number" ? value - 1 : "3"}` },
  named("delay_seconds", "initial_seconds"),
  named("retry_on", "on"),
];

function* retries(context: RuleContext): Generator<{ path: NodePath; names: readonly Renamed[]; node?: string }> {
  yield { path: ["workflow", "resilience", "retry"], names: OF_RESILIENCE };
  for (const { path, name } of stepNodes(context, "agent"))
    yield { path: [...path, "retry"], names: OF_AGENTS, node: name };
}

export const olderRetryName = defineRule({
  name: "older-retry-name",
  severity: "warning",
  description:
    "Retries are written alike everywhere: `{ max, initial_seconds, max_seconds, backoff, jitter }`, and `on` under `resilience` and on an agent. `max` counts retries. The older names are still read; Conductor's are right in a file with `agents:`.",
  example: "resilience:\n  retry: { max_retries: 3, retryable: [http.unavailable] }",
  *check(context) {
    const { definition, raw } = context.workflow;
    if (!definition.semantics.oneShapeOfRetries) return;
    for (const { path, names, node } of retries(context)) {
      for (const { older, newer } of names) {
        const value = writtenAt(raw, [...path, older]);
        if (value === undefined) continue;
        const suggestion = newer(value);
        yield context.finding([...path, older], `${code(older)} is an older name here. Write ${code(suggestion)}.`, {
          at: "key",
          suggestions: [suggestion],
          node: node ?? null,
        });
      }
    }
  },
});

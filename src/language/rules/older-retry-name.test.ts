import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const inSteps = (text: string): string => text.replace("agents:", "steps:");
const RESILIENCE =
  "resilience: { retry: { max_retries: 2, initial_delay: 1, max_delay: 9, retryable: [a.b], backoff_multiplier: 1 } }";
const agent = (retry: string): string => flow(`  - { name: a, prompt: p, retry: { ${retry} } }`);

ruleCases("older-retry-name", [
  {
    name: "says the new names under resilience",
    files: inSteps(flow("  - { name: a, type: set, value: 1 }", { section: RESILIENCE })),
    lines: [1, 1, 1, 1, 1],
    message:
      /Write `max: 2`[\s\S]*Write `initial_seconds: 1`[\s\S]*Write `max_seconds: 9`[\s\S]*Write `on: \["a.b"\]`[\s\S]*Write `backoff: fixed`/,
  },
  {
    name: "says the new names on an agent, where the first call is not counted any more",
    files: inSteps(agent("max_attempts: 4, delay_seconds: 5, retry_on: [timeout]")),
    lines: [3, 3, 3],
    message: /Write `max: 3`[\s\S]*Write `initial_seconds: 5`[\s\S]*Write `on: \["timeout"\]`/,
    suggests: "max: 3",
  },
  {
    name: "is content with the new names",
    files: inSteps(agent("max: 0, initial_seconds: 5, max_seconds: 60, backoff: linear, jitter: full, on: [timeout]")),
    lines: [],
  },
  { name: "leaves Conductor's names alone in a file with agents", files: agent("max_attempts: 4"), lines: [] },
]);

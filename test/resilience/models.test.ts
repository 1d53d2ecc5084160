// Agents on a real wire: a breaker for each model, and a budget that knows what was spent.
import { expect, onTestFinished, test } from "vitest";
import { type Answer, startAnthropicFake } from "../fakes/index.ts";
import { Workshop } from "./workshop.ts";

async function shopWith(answers: readonly Answer[], yaml: string) {
  const fake = await startAnthropicFake({ answers: [...answers] });
  onTestFinished(() => fake.close());
  const shop = new Workshop({ "main.yaml": yaml });
  const env = { ...shop.session.env, ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: fake.url };
  return { shop, fake, env };
}

const flow = (workflow: string, ask: string): string => `
workflow:
  name: w
  entry_point: ask
  limits: { max_iterations: 20 }
  runtime: { provider: anthropic, default_model: claude-test }
  cost: { pricing: { claude-test: { input_per_mtok: 0, output_per_mtok: 1000 } } }
  ${workflow}
agents:
  - { name: ask, prompt: hi, retry: { max_attempts: 1 }, routes: ${ask} }
  - { name: end, type: set, values: { kind: "{{ error.kind }}", details: "{{ error.details }}" } }
output: { end: "{{ end.output }}" }
`;

test("a model that is overloaded is not asked again once its breaker is open", async () => {
  const busy: Answer = { status: 529 };
  const { shop, fake, env } = await shopWith(
    [busy, busy, busy, busy, busy, busy],
    flow(
      "resilience: { circuit_breaker: { failure_threshold: 2, recovery_timeout: 600 } }",
      "[{ to: $end }, { on_error: provider.exhausted, retry: { max: 5, initial_seconds: 0.01 } }, { on_error: circuit.open, to: end }]",
    ),
  );
  const result = await shop.run({ env });
  expect(result.output).toMatchObject({
    end: { kind: "circuit.open", details: { breaker: "model:anthropic/claude-test" } },
  });
  expect(fake.requests).toHaveLength(2);
});

test("a step is denied when what is spent and what it costs on average are more than the budget", async () => {
  // 1000 tokens at $1000 for a million: a dollar each time.
  const dear: Answer = { text: "hello", usage: { input: 1, output: 1000 } };
  const { shop, fake, env } = await shopWith(
    [dear, dear, dear, dear],
    flow("policies: [{ budget: { usd: 2.5 } }]", "[{ to: ask }, { on_error: policy.denied, to: end }]"),
  );
  const result = await shop.run({ env });
  expect(fake.requests).toHaveLength(2);
  expect(result.output).toMatchObject({
    end: {
      kind: "policy.denied",
      details: { policy: "budget", metadata: { spent_usd: 2, estimate_usd: 1, limit_usd: 2.5 } },
    },
  });
  const verdicts = shop.events(result, "policy_evaluated").map(({ verdicts: [verdict] }) => verdict?.metadata);
  expect(verdicts[0]).toMatchObject({ spent_usd: 0, estimate_usd: null, estimate: "unknown, taken as 0" });
});

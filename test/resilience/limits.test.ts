// A provider that says *limit reached*: runs wait for the reset, make no call before it, and lose nothing.
import { expect, onTestFinished, test } from "vitest";
import { classify } from "../../src/providers/classify.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { NO_TOKENS } from "../../src/providers/tokens.ts";
import { listLimits } from "../../src/services/resilience/limits/list-limits.ts";
import { VirtualClock } from "../../src/storage/clock.ts";
import { startAnthropicFake } from "../fakes/index.ts";
import { Workshop as ProgramWorkshop } from "../resume/workshop.ts";
import { Workshop } from "./workshop.ts";

const MINUTE = 60_000;

/** Refuses its 30th call, and all others until 20 minutes later, as Anthropic does. */
class LimitedModel {
  readonly clock = new VirtualClock();
  answered = 0;
  refused = 0;
  /** Calls between the refusal and the reset. */
  early = 0;
  #resetsAt: number | undefined;

  get provider(): Provider {
    return {
      name: "fake",
      defaultModel: "claude-fake",
      call: async ({ now = Date.now }) => {
        if (this.#resetsAt !== undefined && now() < this.#resetsAt) this.early += 1;
        else if (this.answered !== 29 || this.refused > 0) {
          this.answered += 1;
          const tokens = { ...NO_TOKENS, input: 10, output: 1 };
          return { text: "ok", calls: [], goesOn: false, tokens, cutAtMaxTokens: false, wrapped: false };
        }
        this.#resetsAt ??= now() + 20 * MINUTE;
        this.refused += 1;
        const responseHeaders = {
          "anthropic-ratelimit-requests-remaining": "0",
          "anthropic-ratelimit-requests-reset": new Date(this.#resetsAt).toISOString(),
        };
        throw classify({ statusCode: 429, responseHeaders, message: "limit reached" }, now());
      },
    };
  }
}

const flow = (more: string, routes: string, items = 20): string => `
workflow:
  name: w
  entry_point: all
  runtime: { provider: fake, limits: [{ provider: fake, model: "claude-*", concurrent: 1 }] }
  ${more}
for_each:
  - name: all
    type: for_each
    source: "{{ range(${items}) | list }}"
    as: item
    max_concurrent: 3
    agent: { name: ask, prompt: "{{ item }}", routes: ${routes} }
    routes: [{ to: $end }]
output: { count: "{{ all.outputs | length }}" }
`;

const WAIT = "[{ on_error: provider.exhausted, retry: { until: reset, max_wait: 8h } }]";

test("ten runs of twenty calls wait out a limit that one of them met, and none calls before the reset", async () => {
  const model = new LimitedModel();
  // Neither limit would allow it, if the waits or what was refused counted.
  const shop = new Workshop({ "main.yaml": flow("limits: { max_iterations: 20, timeout_seconds: 900 }", WAIT) });
  const extensions = { clock: model.clock, providers: { fake: model.provider } };
  const began = model.clock.now();
  const results = await Promise.all(Array.from({ length: 10 }, () => shop.run({ extensions })));
  expect(results.map(({ status, output }) => [status, output])).toEqual(
    results.map(() => ["completed", { count: 20 }]),
  );
  expect(model).toMatchObject({ answered: 200, refused: 1, early: 0 });
  expect(model.clock.now() - began).toBeGreaterThan(20 * MINUTE);
  const waits = results.flatMap((result) => shop.events(result, "retry_scheduled"));
  expect(waits.length).toBeGreaterThan(0);
  expect(await listLimits(shop.session)).toMatchObject({
    limits: [{ name: "fake claude-*", concurrent: { used: 0, most: 1 }, waiting: [] }],
    resets: [],
  });
  for (const wait of waits) expect(wait).toMatchObject({ until_reset: true, limit: "requests" });
});

test("resilience waits for a reset without a route, as often as needed", async () => {
  const model = new LimitedModel();
  const shop = new Workshop({
    "main.yaml": flow(
      "resilience: { retry: { max_retries: 0, wait_for_reset: 30m } }\n  limits: { max_iterations: 40 }",
      "[]",
      40,
    ),
  });
  const result = await shop.run({ extensions: { clock: model.clock, providers: { fake: model.provider } } });
  expect(result).toMatchObject({ status: "completed", output: { count: 40 } });
  expect(model).toMatchObject({ refused: 1, early: 0 });
});

test("where the reset is later than max_wait the next route is read", async () => {
  const model = new LimitedModel();
  const shop = new Workshop({
    "main.yaml": flow(
      "limits: { max_iterations: 80 }",
      "[{ on_error: provider.exhausted, retry: { until: reset, max_wait: 10m } }, { on_error: provider.exhausted, halt: '{{ error.details.limit }} until {{ error.details.resets_at }}' }]",
      40,
    ),
  });
  const result = await shop.run({ extensions: { clock: model.clock, providers: { fake: model.provider } } });
  expect(result).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/^ask: requests until 2026-01-01T00:20/),
  });
  const [routed] = shop.events(result, "error_routed");
  expect(routed?.considered).toMatchObject([{ verdict: "reset too late" }, { verdict: "matched" }]);
});

test("a run that is killed while it waits goes on waiting, and calls at the reset", async () => {
  const resetsAt = Date.now() + 20 * MINUTE;
  let clock = new VirtualClock(Date.now());
  const calls: number[] = [];
  const fake = await startAnthropicFake({
    answers: ({ index }) => {
      calls.push(clock.now());
      if (index !== 1) return "ok";
      const headers = {
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": new Date(resetsAt).toISOString(),
      };
      return { status: 429, headers, message: "limit reached" };
    },
  });
  onTestFinished(() => fake.close());
  const shop = new ProgramWorkshop({
    "main.yaml": `
workflow:
  name: w
  entry_point: a
  limits: { max_iterations: 3, timeout_seconds: 600 }
  runtime: { provider: anthropic, default_model: claude-test }
  error_routes: ${WAIT}
agents:
  - { name: a, prompt: hi, routes: [{ to: b }] }
  - { name: b, prompt: hi, routes: [{ to: c }] }
  - { name: c, prompt: hi }
`,
  });
  const env = { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: fake.url };
  Object.assign(shop.session.env, env);
  await shop.killedAt("kill-after:retry_scheduled");
  expect(calls).toHaveLength(2);
  // As late as it is after the kill: what was recorded is not in its future.
  clock = new VirtualClock(Date.now());
  const { result, events } = await shop.resume("main.yaml", { extensions: { clock } });
  expect(result.status).toBe("completed");
  expect(calls).toHaveLength(4);
  expect(calls[2]).toBeGreaterThanOrEqual(resetsAt);
  const [awaited] = events.filter(({ type }) => type === "retry_awaited");
  expect(awaited?.data).toMatchObject({ node: "b", until_reset: true });
});

test("a person who does not want to wait goes on at once, also while the run is driven", async () => {
  const fake = await startAnthropicFake({
    answers: ({ index }) => (index < 2 ? { status: 429, headers: { "retry-after": "1200" } } : "ok"),
  });
  onTestFinished(() => fake.close());
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, runtime: { provider: anthropic, default_model: claude-test }, error_routes: ${WAIT} }
agents:
  - { name: a, prompt: hi }
`,
  });
  const env = { ...shop.session.env, ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: fake.url };
  const stop = new AbortController();
  const stopped = await shop.run({
    env,
    signal: stop.signal,
    on: ({ type }) => type === "retry_scheduled" && stop.abort(),
  });
  expect(stopped.status).toBe("cancelled");
  const run = stopped.run_id ?? "";
  const said: string[] = [];
  const asked: ReturnType<typeof shop.resume>[] = [];
  const isDone = (sentence: string): void => void said.push(sentence);
  const done = await shop.resume(run, {
    env,
    skipWaits: true,
    // Refused again, it waits again: another process asks for what `segno resume --skip-waits` does.
    on: ({ type }) => type === "retry_scheduled" && asked.push(shop.resume(run, { env, skipWaits: true, isDone })),
  });
  expect(done).toMatchObject({ status: "completed" });
  expect(await Promise.all(asked)).toMatchObject([{ run_id: run, success: true }]);
  expect(said).toEqual([expect.stringContaining("goes on now with a")]);
  expect(fake.requests).toHaveLength(3);
});

test("a person skips the rest of a wait step, of a stopped run and of one that is driven", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: wait, duration: 1h }
output: { is_cut: "{{ a.output.waited_seconds < 3600 }}" }
`,
  });
  const stop = new AbortController();
  const { run_id } = await shop.run({ signal: stop.signal, on: ({ type }) => type === "wait_started" && stop.abort() });
  expect(await shop.resume(run_id ?? "", { skipWaits: true })).toMatchObject({ output: { is_cut: true } });
  const said: string[] = [];
  const isDone = (sentence: string): void => void said.push(sentence);
  const asked: ReturnType<typeof shop.resume>[] = [];
  const driven = await shop.run({
    on: ({ type, run_id: run }) => type === "wait_started" && asked.push(shop.resume(run, { skipWaits: true, isDone })),
  });
  expect(driven).toMatchObject({ status: "completed", output: { is_cut: true } });
  expect(shop.events(driven, "wait_completed")).toMatchObject([{ requested_seconds: 3600, skipped: true }]);
  expect(await Promise.all(asked)).toMatchObject([{ success: true }]);
  expect(said).toEqual([expect.stringContaining("goes on now with a")]);
});

test("a limit without a number is refused before anything runs", async () => {
  const shop = new Workshop({
    "main.yaml":
      "workflow: { name: w, entry_point: a, runtime: { limits: [{ provider: anthropic }] } }\nagents:\n  - { name: a, type: set, value: 1 }\n",
  });
  const result = await shop.run();
  expect(result).toMatchObject({ status: "invalid", errors: [{ location: { line: 1, column: 58 } }] });
  expect(result.error).toContain("limits nothing. Add `requests_per_minute`");
});

// Breakers as runs and processes share them.
import { expect, test } from "vitest";
import { createRedactor } from "../../src/base/redact/index.ts";
import type { BreakerState } from "../../src/engine/guard/resilience/breaker-state.ts";
import { listBreakers, resetBreaker } from "../../src/services/resilience/breakers.ts";
import { storeGovernance } from "../../src/services/resilience/store-governance.ts";
import { realClock } from "../../src/storage/clock.ts";
import type { EmbeddedStore } from "../../src/storage/embedded/store.ts";
import { later } from "../support/later.ts";
import { startApi } from "./api.ts";
import { Workshop } from "./workshop.ts";

const calls = (url: string, resilience: string, count = 8): string => `
workflow:
  name: w
  entry_point: each
  limits: { max_iterations: 200 }
  resilience: ${resilience}
agents: [{ name: after, type: set, value: done }]
for_each:
  - name: each
    type: for_each
    source: "{{ range(${count}) | list }}"
    as: x
    max_concurrent: 1
    failure_mode: continue_on_error
    agent: { name: call, type: http, url: "${url}/{{ x }}", timeout: 60 }
    routes: [{ to: after }, { on_error: true, to: after }]
`;

const put = (store: EmbeddedStore, name: string, state: BreakerState): void => {
  store.state.breakers.update(name, () => state);
};

test("a host that keeps failing is not called, by this run and by the next, until it has recovered", async () => {
  const api = await startApi({ isUp: false });
  const host = `http:${new URL(api.url).host}`;
  const shop = new Workshop({
    "main.yaml": calls(api.url, "{ circuit_breaker: { failure_threshold: 3, recovery_timeout: 600 } }"),
  });
  const first = await shop.run();
  expect(api.refused).toHaveLength(3);
  expect(shop.events(first, "circuit_opened")).toEqual([{ breaker: host, failures: 3, retry_after_seconds: 600 }]);
  expect(first.warnings.at(-1)?.message).toContain(`the circuit ${host} is open`);

  api.isUp = true;
  const second = await shop.run();
  expect(api.served.size).toBe(0);
  const [failure] = shop.events(second, "error_raised");
  expect(failure?.error).toMatchObject({
    kind: "circuit.open",
    details: { breaker: host, opened_at: expect.any(String) },
  });
  const { retry_after, retry_after_seconds } = failure?.error.details ?? {};
  expect(retry_after).toBe(retry_after_seconds);
  expect(retry_after).toBeGreaterThan(500);

  expect((await listBreakers(shop.session)).breakers).toMatchObject([{ name: host, status: "open", failures: 3 }]);
  expect(await resetBreaker(shop.session, { name: host })).toMatchObject({
    success: true,
    breakers: [{ status: "closed" }],
  });
  const third = await shop.run();
  expect(third).toMatchObject({ status: "completed", warnings: [] });
  expect(api.served.size).toBe(8);
});

test("after its recovery time it tries one call at a time, and closes after two that went well", async () => {
  const api = await startApi({ isUp: false });
  const breaker = "{ circuit_breaker: { failure_threshold: 3, recovery_timeout: 600 } }";
  const shop = new Workshop({ "main.yaml": calls(api.url, breaker) });
  await shop.run();
  api.isUp = true;
  later(600_000);
  expect((await listBreakers(shop.session)).breakers[0]?.retry_after_seconds).toBe(0);
  const result = await shop.run();
  expect(result.status).toBe("completed");
  expect(shop.events(result, "circuit_half_opened")).toHaveLength(1);
  expect(shop.events(result, "circuit_closed")).toHaveLength(1);
});

test("a caller's own mistakes open nothing, and one that answers is healthy", async () => {
  const api = await startApi();
  const shop = new Workshop({
    "main.yaml": calls(api.url, "{ circuit_breaker: { failure_threshold: 2, recovery_timeout: 600 } }").replace(
      "timeout: 60 }",
      "timeout: 60, accept_status: [201] }",
    ),
  });
  const result = await shop.run();
  expect(api.served.size).toBe(8);
  expect(shop.events(result, "circuit_opened")).toEqual([]);
});

test("with scope step a script has a breaker too, and counts may name an author's kind", async () => {
  const shop = new Workshop({
    "main.yaml": calls(
      "http://unused",
      "{ circuit_breaker: { failure_threshold: 2, recovery_timeout: 600, scope: step, counts: [mine.bad] } }",
    ).replace(
      /agent: .*/,
      `agent: { name: call, type: script, command: sh, args: [-c, 'echo x >> count; echo "{\\"kind\\":\\"mine.bad\\",\\"message\\":\\"m\\"}" > "$CONDUCTOR_ERROR_OUT"'] }`,
    ),
  });
  const result = await shop.run();
  expect(shop.lines("count")).toBe(2);
  expect(shop.events(result, "circuit_opened")).toMatchObject([{ breaker: "step:w/call" }]);
});

test("a model has a breaker of its own, in a scenario on its own clock, which real runs never see", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow:
  name: w
  entry_point: ask
  limits: { max_iterations: 50 }
  runtime: { provider: claude, default_model: claude-x }
  resilience: { circuit_breaker: { failure_threshold: 2, recovery_timeout: 30, success_threshold: 1 } }
agents:
  - { name: ask, prompt: hi, routes: [{ to: $end }, { on_error: circuit.open, to: rest }, { on_error: true, to: ask }] }
  - { name: rest, type: wait, duration: 40s, routes: [{ to: ask }] }
output: { said: "{{ ask.output.result }}" }
`,
    "s.yaml": `
workflow: main.yaml
agent_scripts:
  ask:
    - error: { kind: provider.exhausted, message: "529" }
    - error: { kind: provider.exhausted, message: "529" }
    - content: hello
`,
  });
  const result = await shop.run({ scenario: "s.yaml" });
  expect(result).toMatchObject({ status: "completed", output: { said: "hello" } });
  expect(shop.events(result, "circuit_opened")).toMatchObject([{ breaker: "model:anthropic/claude-x" }]);
  expect(shop.events(result, "circuit_closed")).toHaveLength(1);
  expect((await listBreakers(shop.session)).breakers).toEqual([]);
});

const ASKS = `
  const store = openStore(home);
  const clock = { now: () => Date.now(), sleep: async () => {} };
  const breaker = storeGovernance(store, "r", clock, { value: (v) => v, text: (t) => t }).breaker("api", { failure_threshold: 1, recovery_timeout: 1, success_threshold: 99, half_open_max: Number(args[0]) });
  say("ready");
  await told();
  const asked = Array.from({ length: 20 }, () => breaker.ask());
  say(String(asked.filter(({ admitted }) => admitted).length));
  await told();
  leave();
`;

test.each([1, 3])("of two processes that ask at once, %i calls get through as probes", async (most) => {
  const shop = new Workshop({});
  const store = shop.store();
  put(store, "api", { status: "open", failures: 1, openedAt: Date.now() - 5000, until: Date.now() - 4000 });
  const others = [shop.process(ASKS, String(most)), shop.process(ASKS, String(most))];
  for (const other of others) expect(await other.line()).toBe("ready");
  for (const other of others) other.tell();
  const admitted = [];
  for (const other of others) admitted.push(Number(await other.line()));
  expect(admitted.reduce((a, b) => a + b)).toBe(most);
  store.close();
});

test("a probe of a process that was killed blocks nobody", async () => {
  const shop = new Workshop({});
  const store = shop.store();
  put(store, "api", { status: "open", failures: 1, openedAt: Date.now() - 5000, until: Date.now() - 4000 });
  const other = shop.process(ASKS, "1");
  await other.line();
  other.tell();
  expect(await other.line()).toBe("1");
  const mine = storeGovernance(store, "r", realClock, createRedactor({ secrets: [] })).breaker("api", {
    half_open_max: 1,
    recovery_timeout: 1,
  });
  expect((await mine.ask()).admitted).toBe(false);
  other.child.kill("SIGKILL");
  await other.ended;
  expect((await mine.ask()).admitted).toBe(true);
  store.close();
});

test("a breaker that nobody has used cannot be reset, and one that is like it is named", async () => {
  const shop = new Workshop({});
  const store = shop.store();
  put(store, "http:api.example.com", { status: "closed", failures: 0 });
  store.close();
  expect(await resetBreaker(shop.session, { name: "http:api.exmple.com" })).toMatchObject({
    success: false,
    exit_code: 2,
    errors: [{ suggestions: ["http:api.example.com"] }],
  });
});

// A forecast from a made history: what comes out is what the history says, and a check says how far off it was.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Playground } from "../../../../test/support/play.ts";
import { defineStep, failed, raised, succeeded } from "../../../index.ts";
import { type Extensions, extensionsFrom } from "../../../services/session/extensions.ts";
import { type ForecastRequest, forecast } from "../forecast.ts";

const ground = new Playground();
afterAll(() => ground.close());
let extensions: Extensions;

const flow = (retries: number, more = ""): string => `workflow: { name: w, entry_point: call }
agents:
  - name: call
    type: own
    routes:
      - to: ${more === "" ? "$end" : "extra"}
${retries === 0 ? "" : `      - { on_error: net.busy, retry: { max: ${retries}, initial_seconds: 10, backoff: fixed } }\n`}${more}`;

/** Two of five calls fail; each takes 2 s. Calls are counted over all runs. */
let calls = 0;
let now = Date.UTC(2026, 0, 1);
const clock = { now: () => now, sleep: async () => {}, after: (): (() => void) => () => {} };

beforeAll(async () => {
  const own = await extensionsFrom({
    steps: [
      defineStep({
        type: "own",
        description: "fails two times of five",
        schema: { type: "object" },
        execute() {
          calls += 1;
          now += 2000;
          return [1, 3].includes(calls % 5) ? failed(raised("net.busy", "busy")) : succeeded({ n: calls });
        },
      } as never) as never,
    ],
  });
  extensions = { ...own, clock };
  ground.write({ "flow.yaml": flow(0) });
  for (let run = 0; run < 40; run += 1) await ground.run("flow.yaml", { extensions });
});

const ask = (more: Partial<ForecastRequest> = {}) =>
  forecast({ ...ground.session, extensions }, { file: "flow.yaml", plays: 400, ...more });

it("says what the history says, the same for the same seed", async () => {
  ground.write({ "flow.yaml": flow(0) });
  const answer = await ask();
  expect(answer).toMatchObject({ error: null, plays: 400, history: 40, borrowed: [] });
  expect(answer.shares.completed).toBeCloseTo(0.6, 1);
  expect(answer.failures["net.busy"]).toBeCloseTo(0.4, 1);
  expect(answer.seconds).toEqual({ median: 2, p95: 2 });
  expect(answer.what_if.at(-1)).toMatchObject({ change: "a route for net.busy", completed: 1 });
  expect(await ask()).toEqual(answer);
});

it("of an edited file counts its retries and their waits", async () => {
  ground.write({ "flow.yaml": flow(2) });
  const { shares, seconds, what_if, costly } = await ask();
  // Two retries leave 0.4 * 0.4 * 0.4.
  expect(shares.completed).toBeCloseTo(0.936, 1);
  expect(seconds.median).toBe(2);
  expect(seconds.p95).toBeGreaterThanOrEqual(14);
  expect(costly).toMatchObject([{ kind: "net.busy" }]);
  expect(what_if[0]).toMatchObject({ change: "one more retry on every route that retries" });
  expect(what_if[0]?.completed).toBeGreaterThan(shares.completed);
});

it("names steps that have no history, and says where nothing is known", async () => {
  ground.write({ "flow.yaml": flow(0, `  - { name: extra, type: own }\n`) });
  expect(await ask()).toMatchObject({ borrowed: ["extra"] });
  ground.write({ "flow.yaml": flow(0, `  - { name: extra, type: script, command: date }\n`) });
  const { shares, borrowed } = await ask();
  expect(borrowed).toEqual(["extra"]);
  expect(shares.unknown).toBeCloseTo(0.6, 1);
});

it("checks itself on the newer half, and is within ten points of it", async () => {
  ground.write({ "flow.yaml": flow(0) });
  const { check, history } = await ask({ check: true });
  expect(history).toBe(20);
  expect(check).toMatchObject({ runs: 20, actual: { completed: 0.6, failed: 0.4 } });
  expect(check?.off_by).toBeLessThanOrEqual(10);
});

it("counts a run that was terminated as failed among those that failed", async () => {
  const stop =
    "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: terminate, status: failed, reason: no }]\n";
  ground.write({ "stop.yaml": stop });
  for (let run = 0; run < 4; run += 1) await ground.run("stop.yaml", { extensions });
  const { check, shares } = await ask({ file: "stop.yaml", plays: 4, check: true });
  expect([shares.failed, check?.actual.failed, check?.off_by]).toEqual([1, 1, 0]);
});

it("names each failure, and what would change it only where a route may", async () => {
  // What is halted, terminated and ended by a limit has no kind that a route could take.
  const wrong = `workflow: { name: wrong, entry_point: a, limits: { max_iterations: 5 }, input: { how: { type: string } } }
agents:
  - { name: a, type: set, value: "{{ workflow.input.how }}", routes: [{ when: "{{ a.output == 'halt' }}", to: b }, { when: "{{ a.output == 'stop' }}", to: constructor }, { to: a }] }
  - { name: b, type: script, command: "false", routes: [{ to: $end }, { on_error: true, halt: enough }] }
  - { name: constructor, type: terminate, status: failed, reason: "no" }
`;
  ground.write({ "wrong.yaml": wrong });
  for (const how of ["halt", "stop", "limit"])
    await ground.run("wrong.yaml", { extensions, inputs: { how: { value: how } } });
  const { error, shares, failures, what_if } = await ask({ file: "wrong.yaml", plays: 60 });
  expect(error).toBeNull();
  expect(shares.failed).toBe(1);
  expect(Object.keys(failures).sort()).toEqual(["MaxIterationsError", "constructor", "halt.intentional"]);
  expect(Object.values(failures).reduce((sum, share) => sum + share)).toBeCloseTo(1, 3);
  expect(what_if).toEqual([]);
});

it("leaves a gate waiting as often as past runs still wait at it", async () => {
  const gate = `workflow: { name: gate, entry_point: ask }
agents: [{ name: ask, type: human_gate, prompt: "Go on?", options: [{ label: "Yes", value: "yes", route: $end }] }]
`;
  ground.write({ "gate.yaml": gate });
  for (let run = 0; run < 4; run += 1) await ground.run("gate.yaml", { extensions });
  expect((await ask({ file: "gate.yaml", plays: 20 })).shares).toMatchObject({ waiting: 1, completed: 0 });
  const yes = async () => ({ kind: "gate" as const, value: "yes", additional_input: {} });
  await ground.run("gate.yaml", { extensions, ask: yes });
  const { shares } = await ask({ file: "gate.yaml" });
  expect(shares.waiting).toBeCloseTo(0.8, 1);
  expect(shares.completed).toBeCloseTo(0.2, 1);
});

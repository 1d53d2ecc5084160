// `--from`, `--force`, `--max-iterations`, cached steps across runs, and durability against power cuts.
import { expect, test } from "vitest";
import { answerGate, listGates } from "../../src/services/gates/gates.ts";
import { later } from "../support/later.ts";
import { script, statuses, Workshop } from "./workshop.ts";

const FILE = `
workflow: { name: w, entry_point: a }
agents:
  - ${script("a", "routes: [{ to: b }]")}
  - ${script("b", "routes: [{ to: c }]")}
  - ${script("c", "routes: [{ to: $end }]", { mayFail: true })}
`;

test("--from starts there, --force reuses nothing", async () => {
  const shop = new Workshop({ "main.yaml": FILE });
  const { result } = await shop.run("main.yaml");
  shop.marks();
  await shop.resume(result.run_id!, { from: "b" });
  expect(shop.marks()).toEqual(["b", "c"]);
  await shop.resume(result.run_id!, { force: true });
  expect(shop.marks()).toEqual(["a", "b", "c"]);
  await shop.resume(result.run_id!);
  expect(shop.marks()).toEqual(["c"]);
});

test.each([
  ["--force", ["--force"], ["a", "b", "c"]],
  ["--from", ["--from", "b"], ["b", "c"]],
])("a drive with %s that is killed goes on as one: the rest is not taken from before", async (_, option, ran) => {
  const shop = new Workshop({ "main.yaml": FILE });
  const { result } = await shop.run("main.yaml");
  shop.marks();
  await shop.killedAt("kill-after:agent_completed", ["resume", result.run_id!, ...option]);
  shop.write({ "ok-c": "" });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect([...new Set(shop.marks())]).toEqual(ran);
});

test("--force asks again at a gate", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: Go?, options: [{ label: Yes, value: yes }], routes: [{ to: last }] }
  - ${script("last", "routes: [{ to: $end }]", { mayFail: true })}
`,
  });
  const asked: string[] = [];
  const ask = async ({ node }: { node: string }) => {
    asked.push(node);
    return { kind: "gate" as const, value: "yes", additional_input: {}, by: "test" };
  };
  const { result } = await shop.run("main.yaml", { ask });
  await shop.resume(result.run_id!, { ask });
  expect(asked).toEqual(["ask"]);
  await shop.resume(result.run_id!, { ask, force: true });
  expect(asked).toEqual(["ask", "ask"]);
});

const GATED = `
workflow: { name: w, entry_point: first }
agents:
  - { name: first, type: set, value: 1, routes: [{ to: ask }] }
  - { name: ask, type: human_gate, prompt: Go?, options: [{ label: Yes, value: yes }, { label: No, value: no }], routes: [{ to: last }] }
  - ${script("last", "routes: [{ to: $end }]", { mayFail: true, mark: "{{ ask.output.selected }}" })}
`;

/** A run whose gate was answered with yes, by somebody elsewhere, and that failed after it. */
async function answeredWithYes(): Promise<{
  shop: Workshop;
  run: string;
  answer: (value: string) => Promise<unknown>;
}> {
  const shop = new Workshop({ "main.yaml": GATED });
  const run = (await shop.run("main.yaml")).result.run_id!;
  const answer = (value: string) => answerGate(shop.session, { run, value, inputs: {} });
  await answer("yes");
  expect(shop.marks()).toEqual(["yes"]);
  return { shop, run, answer };
}

test("--from a gate with nobody to ask waits for a new answer, in every drive after it too", async () => {
  const { shop, run, answer } = await answeredWithYes();
  expect((await shop.resume(run, { from: "ask" })).result.status).toBe("paused");
  expect((await shop.resume(run)).result).toMatchObject({ status: "paused", gate: { node_id: "ask" } });
  expect((await listGates(shop.session)).gates).toMatchObject([{ run_id: run, node_id: "ask" }]);
  expect(shop.marks()).toEqual([]);
  await answer("no");
  expect(shop.marks()).toEqual(["no"]);
});

test("--from a step that is killed before the gate after it does not take the old answer", async () => {
  const { shop, run, answer } = await answeredWithYes();
  await shop.killedAt("kill-after:run_resumed", ["resume", run, "--from", "first"]);
  expect((await shop.resume(run)).result.status).toBe("paused");
  expect(shop.marks()).toEqual([]);
  await answer("no");
  expect(shop.marks()).toEqual(["no"]);
});

test("at the iteration limit it stops, and goes on with more", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, limits: { max_iterations: 3 } }
agents:
  - ${script("a", `routes: [{ to: $end, when: "context.iteration >= 5" }, { to: a }]`, { mark: "a {{ context.iteration }}" })}
`,
  });
  const { result } = await shop.run("main.yaml");
  expect(result).toMatchObject({ exit_code: 1, status: "failed" });
  expect(shop.marks()).toEqual(["a 0", "a 1", "a 2"]);
  expect((await shop.resume(result.run_id!)).result.exit_code).toBe(1);
  expect(shop.marks()).toEqual([]);
  const again = (await shop.resume(result.run_id!, { maxIterations: 10 })).result;
  expect(again).toMatchObject({ exit_code: 0 });
  expect(shop.marks()).toEqual(["a 3", "a 4"]);
});

test("groups and sub-workflows that are reached again count once", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: both, limits: { max_iterations: 6 } }
agents:
  - ${script("x")}
  - ${script("y")}
  - { name: sub, type: workflow, workflow: ./child.yaml, routes: [{ to: last }] }
  - ${script("last", "routes: [{ to: $end }]", { mayFail: true, mark: "last {{ context.iteration }}" })}
parallel:
  - { name: both, agents: [x, y], routes: [{ to: sub }] }
`,
    "child.yaml": `workflow: { name: child, entry_point: one }\nagents:\n  - ${script("one", "routes: [{ to: $end }]")}\n`,
  });
  const { result } = await shop.run("main.yaml");
  expect(shop.marks().at(-1)).toBe("last 2");
  await shop.resume(result.run_id!);
  // Not one more: what failed the run is begun anew, and nothing else has run.
  expect(shop.marks()).toEqual(["last 2"]);
  shop.write({ "ok-last": "" });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
});

test.each([
  ["failed, and is not entered again", script("x", "", { mayFail: true })],
  ["succeeded at its second try", script("x").replace("echo ''{}''", "test -e tried || { touch tried; exit 1; }")],
])("members of all rounds count after a resume where their group %s", async (_, x) => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: both, limits: { max_iterations: 5 } }
agents:
  - ${x}
  - ${script("y")}
  - ${script("next", "routes: [{ to: last }]")}
  - ${script("last", "routes: [{ to: $end }]")}
parallel:
  - name: both
    agents: [x, y]
    failure_mode: all_or_nothing
    routes: [{ to: next }, { on_error: true, retry: { max: 1, initial_seconds: 0 } }, { on_error: true, to: next }]
`,
  });
  // x and y, x once more, next: then last would be the fifth.
  const { result } = await shop.run("main.yaml", { maxIterations: 4 });
  expect(shop.marks().sort()).toEqual(["next", "x", "x", "y"]);
  expect((await shop.resume(result.run_id!, { maxIterations: 4 })).result.status).toBe("failed");
  expect(shop.marks()).toEqual([]);
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["last"]);
});

test("--max-visits has a loop go on that was stopped, and the error says which loop and how", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: fix, limits: { max_visits: 3 } }
steps:
  - ${script("fix", "routes: [{ to: check }]")}
  - { name: check, type: script, command: sh, args: [-c, "[ $(wc -l < marks) -ge 5 ]"], ok_exit_codes: any, routes: [{ to: $end, when: exit_code == 0 }, { to: fix }] }
`,
  });
  const { result } = await shop.run("main.yaml");
  expect(result).toMatchObject({
    status: "failed",
    exit_code: 1,
    errors: [
      {
        error_type: "MaxVisitsError",
        node_id: "fix",
        message: expect.stringContaining(
          "fix → check → fix is a loop that did not end: fix ran 3 times, check 3 times.",
        ),
        hint: expect.stringMatching(/raise `limits\.max_visits`, or allow more now: segno resume \w+ --max-visits 50$/),
      },
    ],
    checkpoint: { resumable: true },
  });
  expect((await shop.resume(result.run_id!)).result.status).toBe("failed");
  expect((await shop.resume(result.run_id!, { maxVisits: 4 })).result.status).toBe("failed");
  expect((await shop.resume(result.run_id!, { maxVisits: 50 })).result.status).toBe("completed");
  expect(shop.marks()).toHaveLength(5);
});

test("what failed the run does not use up max_iterations, however often it is resumed", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, limits: { max_iterations: 2 } }
agents:
  - ${script("a", "routes: [{ to: b }]", { mayFail: true })}
  - ${script("b", "routes: [{ to: $end }]")}
`,
  });
  const { result } = await shop.run("main.yaml");
  for (let times = 0; times < 3; times++) await shop.resume(result.run_id!);
  shop.write({ "ok-a": "" });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["a", "a", "a", "a", "a", "b"]);
});

test("a run whose time is used up starts nothing when it is resumed, until it is given more", async () => {
  const file = (seconds: number): string => `
workflow: { name: w, entry_point: a, limits: { timeout_seconds: ${seconds} } }
agents:
  - { name: a, type: script, command: sh, args: [-c, "echo a >> marks; test -e quick || sleep 20"] }
`;
  const shop = new Workshop({ "main.yaml": file(1) });
  const { result } = await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["a"]);
  const again = (await shop.resume(result.run_id!)).result;
  expect(again.errors[0]).toMatchObject({ error_type: "TimeoutError" });
  expect(shop.marks()).toEqual([]);
  shop.write({ "main.yaml": file(60), quick: "" });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
});

const cached = (cache: string): string => `
workflow: { name: w, entry_point: a }
agents:
  - ${script("a", `cache: ${cache}, routes: [{ to: b }]`, { output: '{"v": 7}' })}
  - ${script("b", "routes: [{ to: $end }]", { mayFail: true, mark: "b {{ a.output.v }}" })}
`;

test("a cached step is reused by other runs, and a resume still knows what it gave", async () => {
  const shop = new Workshop({ "main.yaml": cached("true") });
  await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["a", "b 7"]);
  const { result } = await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["b 7"]);
  expect(statuses(result)).toMatchObject({ a: "completed cached" });
  // What was reused from another run stands in this one's journal too: the cache may be gone by now.
  shop.write({ "main.yaml": cached("false"), "ok-b": "" });
  const again = (await shop.resume(result.run_id!)).result;
  expect(again.status).toBe("completed");
  expect(shop.marks()).toEqual(["b 7"]);
});

test("the same step in another folder is another step: what it runs may be", async () => {
  const who =
    "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: script, command: sh, args: [who.sh], cache: true }]\noutput: { who: '{{ a.output.stdout | trim }}' }\n";
  const shop = new Workshop({
    "one/main.yaml": who,
    "one/who.sh": "echo one",
    "two/main.yaml": who,
    "two/who.sh": "echo two",
  });
  expect((await shop.run("one/main.yaml")).result.output).toEqual({ who: "one" });
  expect((await shop.run("two/main.yaml")).result.output).toEqual({ who: "two" });
});

test("what a script gave when it did not work is not kept", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a }
agents: [{ name: a, type: script, command: sh, args: [-c, 'echo a >> marks; test -e good'], cache: true }]
output: { code: "{{ a.output.exit_code }}" }
`,
  });
  expect((await shop.run("main.yaml")).result.output).toEqual({ code: 1 });
  shop.write({ good: "" });
  expect((await shop.run("main.yaml")).result.output).toEqual({ code: 0 });
  await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["a", "a"]);
});

test("a cached step with a time to live runs again once that has passed", async () => {
  const shop = new Workshop({ "main.yaml": cached("{ ttl: 1h }"), "ok-b": "" });
  await shop.run("main.yaml");
  await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["a", "b 7", "b 7"]);
  later(3_600_001);
  await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["a", "b 7"]);
});

test("with durability power, what was written survives the kill and the resume keeps to it", async () => {
  const shop = new Workshop({ "main.yaml": FILE, "ok-c": "" });
  await shop.killedAt("kill-after:agent_completed", ["run", "main.yaml", "--durability", "power"]);
  const { result, events } = await shop.resume("main.yaml");
  expect(result.status).toBe("completed");
  expect(events[0]).toMatchObject({ type: "workflow_started", data: { durability: "power" } });
  expect([...new Set(shop.marks())]).toEqual(["a", "b", "c"]);
});

test("a durability that is not understood is refused, not taken for the weaker one", async () => {
  const shop = new Workshop({ "main.yaml": FILE });
  shop.session.env.SEGNO_DURABILITY = "Power";
  expect((await shop.run("main.yaml")).result).toMatchObject({
    exit_code: 2,
    error: 'SEGNO_DURABILITY is "Power"; it may be process or power',
  });
});

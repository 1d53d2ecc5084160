// Policies before every step: modules that misbehave, places, agents, phases, sub-workflows.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { PolicyResult } from "../../src/engine/guard/resilience/policy.ts";
import { readPolicyCode } from "../../src/services/resilience/policy-code.ts";
import type { PolicyLimits } from "../../src/services/resilience/policy-host.ts";
import { PolicyModules } from "../../src/services/resilience/policy-modules.ts";
import { Snapshot } from "../../src/services/session/snapshot.ts";
import { until } from "../support/until.ts";
import { startApi } from "./api.ts";
import { Workshop } from "./workshop.ts";

const MODULES: Readonly<Record<string, string>> = {
  "allow.mjs":
    'export default { name: "yes", description: "", evaluate: () => ({ allowed: true, policyName: "yes" }) };',
  "common.cjs":
    'module.exports = { name: "cjs", description: "", evaluate: (c) => ({ allowed: c.step.name === "a", policyName: "cjs", reason: "r" }) };',
  "transpiled.cjs":
    'exports.__esModule = true; exports.default = { name: "ts", description: "", evaluate: async () => ({ allowed: true, policyName: "ts" }) };',
  "class.mjs":
    "export default new (class { name = 'cls'; description = ''; #ok = true; evaluate() { return { allowed: this.#ok, policyName: this.name }; } })();",
  "throws.mjs": 'export default { name: "boom", description: "", evaluate() { throw new Error("broken policy"); } };',
  "nonsense.mjs": 'export default { name: "odd", description: "", evaluate: () => "sure" };',
  "hangs.mjs": 'export default { name: "slow", description: "", evaluate: () => new Promise(() => {}) };',
  "loops.mjs": 'export default { name: "loop", description: "", evaluate() { for (;;); } };',
  "leaves.mjs": 'export default { name: "exit", description: "", evaluate() { process.exit(3); } };',
  "prints.mjs":
    'console.log("hello"); export default { name: "loud", description: "", evaluate: () => ({ allowed: true, policyName: "loud" }) };',
  "hangs-on-load.mjs": "await new Promise(() => {}); export default {};",
  "throws-on-load.mjs": 'throw new Error("no config");',
  "syntax.mjs": "export default {{",
  "empty.mjs": "export const x = 1;",
};

/** Only those that never load or never answer wait for their limit; the others have all the time that a busy machine takes. */
const limitsFor = (module: string): PolicyLimits => ({
  loadMs: module === "hangs-on-load.mjs" ? 500 : 150_000,
  answerMs: /^(?:hangs|loops)\.mjs$/.test(module) ? 500 : 150_000,
});

test.each([
  ["allow.mjs", true, "yes", undefined],
  ["common.cjs", true, "cjs", undefined],
  ["transpiled.cjs", true, "ts", undefined],
  ["class.mjs", true, "cls", undefined],
  ["prints.mjs", true, "loud", undefined],
  ["throws.mjs", false, "boom", /broken policy/],
  ["nonsense.mjs", false, "odd", /"sure" instead of/],
  ["hangs.mjs", false, "slow", /did not answer within 0.5 s/],
  ["loops.mjs", false, "loop", /did not answer within 0.5 s/],
  ["leaves.mjs", false, "exit", /ended/],
  ["hangs-on-load.mjs", false, "hangs-on-load", /did not load|ended/],
  ["throws-on-load.mjs", false, "throws-on-load", /could not be loaded: no config/],
  ["syntax.mjs", false, "syntax", /could not be loaded/],
  ["empty.mjs", false, "empty", /no policy/],
  ["missing.mjs", false, "missing", /does not exist/],
  ["../outside.mjs", false, "outside", /not below the workflow's folder/],
])("a module: %s", async (module, allowed, policyName, reason) => {
  const inner = Object.fromEntries(Object.entries(MODULES).map(([name, text]) => [`flows/${name}`, text]));
  const shop = new Workshop({ ...inner, "outside.mjs": MODULES["allow.mjs"] ?? "" });
  const dir = `${shop.dir}/flows`;
  const code = readPolicyCode([{ module: `./${module}`, dir }], new Snapshot());
  const modules = new PolicyModules({}, code, limitsFor(module));
  try {
    const policy = modules.policy(`./${module}`, dir);
    const context = { step: { name: "a", type: "set" } };
    const verdict = await policy.evaluate(context);
    expect(verdict).toMatchObject({ allowed, policyName });
    if (reason) expect(verdict.reason).toMatch(reason);
    // Asked again it answers the same: nothing is left broken, and nothing is taken for granted.
    expect(await policy.evaluate(context)).toMatchObject({ allowed, policyName });
  } finally {
    modules.close();
  }
});

test("modules share one process, and one that never answers keeps no other from answering", async () => {
  const pid = (name: string) =>
    `export default { name: "${name}", description: "", evaluate: () => ({ allowed: true, policyName: "${name}", metadata: { pid: process.pid } }) };`;
  const shop = new Workshop({ "a.mjs": pid("a"), "b.mjs": pid("b"), "hangs.mjs": MODULES["hangs.mjs"] ?? "" });
  const named = ["a", "b", "hangs"].map((name) => ({ module: `./${name}.mjs`, dir: shop.dir }));
  const code = readPolicyCode(named, new Snapshot());
  const modules = new PolicyModules({}, code, { loadMs: 150_000, answerMs: 150_000 });
  const ask = (name: string) => modules.policy(`./${name}.mjs`, shop.dir).evaluate({});
  const [first, ...others] = await Promise.all(["a", "b", "a"].map(ask));
  expect(others.map(({ metadata }) => metadata)).toEqual([first?.metadata, first?.metadata]);
  const hanging = ask("hangs");
  expect(await ask("b")).toEqual(others[0]);
  modules.close();
  expect(await hanging).toMatchObject({ allowed: false, reason: expect.stringContaining("ended") });
});

test("modules run from the bytes that were read when the run was checked, with what they take in", async () => {
  const verdict = (allowed: boolean) => `{ allowed: ${allowed}, policyName: "mine", reason: "as it is on the disk" }`;
  const shop = new Workshop({
    "p.mjs": `import { allowed } from "./lib/a.cjs";
import data from "./data.json" with { type: "json" };
export default { name: "mine", description: "", evaluate: async () => {
  const late = await import("./late.mjs");
  return { allowed: allowed && data.allowed && late.allowed, policyName: "mine", reason: "no" };
} };`,
    "lib/a.cjs": 'exports.allowed = require("./b").allowed && require("node:path").sep !== "";',
    "lib/b.js": "exports.allowed = false;",
    "data.json": '{ "allowed": true }',
    "late.mjs": "export const allowed = true;",
    "unseen.mjs": `const name = ["./ev", "il.mjs"].join(""); await import(name); export default { name: "u", description: "", evaluate: () => (${verdict(true)}) };`,
    "evil.mjs": "",
  });
  const named = ["./p.mjs", "./unseen.mjs"].map((module) => ({ module, dir: shop.dir }));
  const modules = new PolicyModules({}, readPolicyCode(named, new Snapshot()), { loadMs: 150_000, answerMs: 150_000 });
  try {
    const written = {
      "p.mjs": `export default { name: "mine", description: "", evaluate: () => (${verdict(true)}) };`,
      "lib/a.cjs": "exports.allowed = true;",
      "lib/b.js": "exports.allowed = true;",
      "late.mjs": "export const allowed = true;",
    };
    for (const [name, text] of Object.entries(written)) writeFileSync(join(shop.dir, name), text);
    const [mine, unseen] = await Promise.all(named.map(({ module, dir }) => modules.policy(module, dir).evaluate({})));
    expect(mine).toMatchObject({ allowed: false, policyName: "mine", reason: "no" });
    expect(unseen).toMatchObject({ allowed: false, reason: expect.stringContaining("evil.mjs was not read when") });
  } finally {
    modules.close();
  }
});

const denies = (body: string): string => `export default { name: "mine", description: "", evaluate(c) { ${body} } };`;

test("a module sees the step, the phase, the spend and the inputs, and holds for the steps of children too", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: c, input: { level: { type: number, default: 3 } }, policies: [{ module: ./p.mjs }] }
agents: [{ name: c, type: workflow, workflow: ./child.yaml }]
`,
    "child.yaml": `
workflow: { name: child, entry_point: b, phases: [one], policies: [{ task_timeout: 60 }] }
agents: [{ name: b, type: script, command: "true", timeout: 30, phase: one }]
`,
    "p.mjs": denies("return { allowed: c.step.name === 'c', policyName: 'mine', reason: JSON.stringify(c) };"),
  });
  const result = await shop.run();
  expect(result).toMatchObject({ exit_code: 3, errors: [{ kind: "policy.denied", details: { policy: "mine" } }] });
  const context = JSON.parse(String(result.errors[0]?.details?.reason)) as Record<string, unknown>;
  expect(context).toMatchObject({
    step: { name: "b", type: "script", path: ["c"], phase: "one", timeout: 30, command: "true", args: [], env: [] },
    task: { timeout: 30, attempt: 1 },
    workflow_state: { completed: 0, failed: 0 },
    spend: { usd: 0, estimate_usd: null },
    run_id: result.run_id,
    inputs: {},
    root_inputs: { level: 3 },
  });
  expect(shop.events(result, "policy_evaluated")).toMatchObject([
    { node: "c", key: "c#1", attempt: 1, allowed: true, verdicts: [{ policyName: "mine", module: "./p.mjs" }] },
    { node: "b", allowed: false, verdicts: [{ policyName: "mine" }, { policyName: "task_timeout", allowed: true }] },
  ]);
});

const NOTES = `import { appendFileSync } from "node:fs";
export default { name: "mine", description: "", evaluate({ step }) {
  appendFileSync(new URL("./asked.log", import.meta.url), step.name + "\\n");
  return { allowed: !/^not/.test(step.name), policyName: "mine", reason: "as its name says" };
} };`;

test("containers are asked about as well: what is denied runs nothing inside, and a route may take it", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: not_child, policies: [{ module: ./p.mjs }] }
agents:
  - { name: not_child, type: workflow, workflow: ./child.yaml, routes: [{ to: not_each }, { on_error: policy.denied, to: not_each }] }
  - { name: one, type: script, command: touch, args: [ran] }
  - { name: two, type: script, command: touch, args: [ran] }
for_each:
  - { name: not_each, type: for_each, source: "{{ [1, 2] }}", as: x, agent: { name: item, type: script, command: touch, args: [ran] }, routes: [{ to: $end }, { on_error: policy.denied, to: not_both }] }
parallel:
  - { name: not_both, agents: [one, two], routes: [{ to: $end }, { on_error: policy.denied, to: $end }] }
output: { denied: "{{ [not_child.error.kind, not_each.error.details.policy, not_both.error.kind] }}" }
`,
    "child.yaml":
      "workflow: { name: child, entry_point: c }\nagents: [{ name: c, type: script, command: touch, args: [ran] }]\n",
    "p.mjs": NOTES,
  });
  const result = await shop.run();
  expect(result).toMatchObject({ status: "completed", output: { denied: ["policy.denied", "mine", "policy.denied"] } });
  expect([shop.lines("ran"), shop.read("asked.log")]).toEqual([0, "not_child\nnot_each\nnot_both\n"]);
});

test("a module is told what is about to be done, rendered, whatever the type of the step", async () => {
  const to = (next: string) => `routes: [{ to: $end }, { on_error: policy.denied, to: ${next} }]`;
  const shop = new Workshop({
    "main.yaml": `
workflow:
  name: w
  entry_point: s
  input: { where: { type: string, default: prod } }
  runtime: { provider: anthropic, mcp_servers: { git: { command: none } } }
  policies: [{ module: ./p.mjs }]
agents:
  - { name: s, type: script, command: deploy, args: ["--to={{ workflow.input.where }}"], env: { TOKEN: x }, ${to("h")} }
  - { name: h, type: http, url: "http://127.0.0.1:9/{{ workflow.input.where }}", method: DELETE, ${to("m")} }
  - { name: m, type: mcp, server: git, tool: push, ${to("a")} }
  - { name: a, prompt: hello, model: [one, two], ${to("w")} }
  - { name: w, type: workflow, workflow: ./child.yaml, ${to("$end")} }
`,
    "child.yaml": "workflow: { name: child, entry_point: c }\nagents: [{ name: c, type: set, value: 1 }]\n",
    "p.mjs": denies("return { allowed: false, policyName: 'mine', metadata: c.step };"),
  });
  const result = await shop.run();
  expect(result).toMatchObject({ status: "completed" });
  expect(
    shop.events(result, "policy_evaluated").map(({ verdicts: [verdict] }) => (verdict as PolicyResult).metadata),
  ).toEqual([
    { name: "s", type: "script", path: [], command: "deploy", args: ["--to=prod"], env: ["TOKEN"] },
    { name: "h", type: "http", path: [], url: "http://127.0.0.1:9/prod", method: "DELETE" },
    { name: "m", type: "mcp", path: [], server: "git", tool: "push" },
    { name: "a", type: "agent", path: [], provider: "anthropic", model: "one", models: ["one", "two"] },
    { name: "w", type: "workflow", path: [], workflow: "./child.yaml" },
  ]);
});

test("a resume asks about what runs again, and not about what had ended well", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: call, policies: [{ module: ./p.mjs }] }
agents:
  - { name: call, type: workflow, workflow: ./child.yaml, routes: [{ to: each }] }
  - { name: last, type: script, command: test, args: [-e, go], raises: [a.b] }
for_each:
  - { name: each, type: for_each, source: "{{ [1, 2] }}", as: x, agent: { name: item, type: set, value: "{{ x }}" }, routes: [{ to: last }] }
`,
    "child.yaml": "workflow: { name: child, entry_point: c }\nagents: [{ name: c, type: set, value: 1 }]\n",
    "p.mjs": NOTES,
  });
  const failed = await shop.run();
  expect(failed.status).toBe("failed");
  expect(shop.read("asked.log").trim().split("\n")).toEqual(["call", "c", "each", "item", "item", "last"]);
  shop.write({ go: "", "asked.log": "" });
  expect((await shop.resume(failed.run_id ?? "")).status).toBe("completed");
  expect(shop.read("asked.log")).toBe("last\n");
});

/** Everything that code can find out about the environment it runs in. */
const LOOKS = `
import { readFileSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
const inThread = new Promise((resolve) =>
  new Worker("require('node:worker_threads').parentPort.postMessage(process.report.getReport().environmentVariables)", { eval: true }).on("message", resolve),
);
const own = () => { try { return readFileSync("/proc/self/environ", "utf8"); } catch { return "FOR_STEPS=seen"; } };
export default { name: "mine", description: "", async evaluate() {
  const found = [process.env, process.report.getReport().environmentVariables, await inThread, own()];
  writeFileSync(new URL("./found.json", import.meta.url), JSON.stringify(found));
  return { allowed: true, policyName: "mine" };
} };`;

test("a module sees the environment of steps, and nothing that Segno itself is told in confidence", async () => {
  const secrets = {
    SEGNO_SEAL_KEY: "5ea1".repeat(16),
    SEGNO_SERVE_TOKEN: "the-token-of-serve",
    KIM: "the-token-of-kim",
  };
  for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, policies: [{ module: ./p.mjs }] }
agents: [{ name: a, type: script, command: "true" }]
`,
    "p.mjs": LOOKS,
  });
  const env = { ...shop.session.env, ...secrets, FOR_STEPS: "seen" };
  expect(await shop.run({ env, project: { confidential: ["KIM"] } })).toMatchObject({ status: "completed" });
  const found = shop.read("found.json");
  const seen = { FOR_STEPS: "seen" };
  expect(JSON.parse(found)).toMatchObject([seen, seen, seen, expect.stringContaining("FOR_STEPS=seen")]);
  for (const value of Object.values(secrets)) expect(found).not.toContain(value);
});

test("a denial that a route handled is a warning of the result", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, policies: [{ task_timeout: { max_seconds: 10 } }] }
agents:
  - { name: a, type: script, command: touch, args: [ran], timeout: 11, routes: [{ to: $end }, { on_error: policy.denied, to: b }] }
  - { name: b, type: set, value: "{{ error.details.reason }}" }
output: { why: "{{ b.output }}" }
`,
  });
  const result = await shop.run();
  expect(result).toMatchObject({
    status: "completed",
    errors: [],
    warnings: [{ kind: "policy.denied", recovered_by: "b" }],
  });
  expect(result.output).toEqual({ why: "the timeout of 11 s is above the 10 s that are allowed" });
  expect(shop.lines("ran")).toBe(0);
});

/** Items that leave a mark while they run, so that a watcher can count how many do. */
const busy = (max: number, items: number): string => `
workflow: { name: w, entry_point: each, limits: { max_iterations: 200 }, policies: [{ max_concurrent_tasks: ${max} }] }
for_each:
  - name: each
    type: for_each
    source: "{{ range(${items}) | list }}"
    as: x
    max_concurrent: 10
    agent: { name: work, type: script, command: sh, args: [-c, 'echo + >> log; sleep 0.05; echo - >> log'] }
`;

const mostAtOnce = (log: string): number => {
  let now = 0;
  return Math.max(
    ...log
      .trim()
      .split("\n")
      .map((sign) => (now += sign === "+" ? 1 : -1)),
  );
};

test("no more steps run at a time than may, over all processes of the store, and all of them get their turn", async () => {
  const shop = new Workshop({ "main.yaml": busy(2, 10) });
  const go = 'const r = await runWorkflow(shop, { file: "main.yaml", inputs: {} }); say(r.status); leave();';
  const others = [shop.process(go), shop.process(go)];
  for (const other of others) expect(await other.line()).toBe("completed");
  const log = shop.read("log");
  expect(log.split("+")).toHaveLength(21);
  expect(mostAtOnce(log)).toBeLessThanOrEqual(2);
});

test("an agent that runs in another run is not available; one of this run is", async () => {
  const api = await startApi();
  api.hold();
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, policies: [{ agent_availability: {} }] }
agents: [{ name: a, type: http, url: "${api.url}/a", timeout: 60 }]
`,
  });
  const other = shop.process(
    'const on = (e) => e.type === "http_started" && say("runs"); const r = await runWorkflow(shop, { file: "main.yaml", inputs: {} }, { on }); say(r.status); leave();',
  );
  expect(await other.line()).toBe("runs");
  const denied = await shop.run();
  expect(denied).toMatchObject({ errors: [{ kind: "policy.denied", details: { policy: "agent_availability" } }] });
  api.release();
  expect(await other.line()).toBe("completed");
  expect((await shop.run()).status).toBe("completed");
});

test("a step that waits for a place stops waiting when the run is cancelled", async () => {
  const shop = new Workshop({ "main.yaml": busy(1, 3).replace("sleep 0.05", "sleep 30") });
  const stop = new AbortController();
  const running = shop.run({ signal: stop.signal });
  await until(() => shop.lines("log") === 1);
  stop.abort();
  expect((await running).status).toBe("cancelled");
  // Its place is free again.
  const store = shop.store();
  expect(store.state.slots.taken("steps")).toBe(0);
  store.close();
});

test("leaving a phase looks at the items of its groups one by one", async () => {
  const flow = (rate: number): string =>
    `
workflow: { name: w, entry_point: each, phases: [try, ship], limits: { max_iterations: 50 }, policies: [{ phase_gate: ${rate} }] }
agents: [{ name: ship, type: set, value: shipped, phase: ship }]
for_each:
  - name: each
    type: for_each
    source: [1, 2, 3, 4, 5]
    as: x
    failure_mode: continue_on_error
    agent: { name: try, type: script, command: sh, args: [-c, "exit {{ 1 if x == 5 else 0 }}"], phase: try, raises: [] }
    routes: [{ to: ship }]
`.replace("source: [1, 2, 3, 4, 5]", 'source: "{{ [1, 2, 3, 4, 5] }}"');
  const shop = new Workshop({ "main.yaml": flow(0.8), "strict.yaml": flow(0.9) });
  expect((await shop.run()).status).toBe("degraded");
  expect(await shop.run({ file: "strict.yaml" })).toMatchObject({
    errors: [{ kind: "policy.denied", node_id: "ship", details: { metadata: { completed: 4, failed: 1 } } }],
  });
});

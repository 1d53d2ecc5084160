// Every action reads each file that it depends on once. Here each file is replaced as soon as it has been opened: whatever
// read it again would find a gate removed, an output changed or a policy that denies everything.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backtest } from "../../src/features/history/backtest.ts";
import { testScenarios } from "../../src/features/scenarios/test.ts";
import { carryOutOrder } from "../../src/frontends/mcp/drive.ts";
import { retryLetters } from "../../src/services/dead-letters/retry.ts";
import { requireGatesHeld, requireGuardedGatesHeld } from "../../src/services/explain/gate-protection.ts";
import { answerGate } from "../../src/services/gates/gates.ts";
import { confineFamily, confineRun } from "../../src/services/runs/roots.ts";
import { Snapshot } from "../../src/services/session/snapshot.ts";
import { Playground } from "../support/play.ts";
import { Served } from "../support/served.ts";
import { until } from "../support/until.ts";

const FILES = {
  "main.yaml": `workflow: { name: w, entry_point: a, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ["*"] } }, policies: [{ module: ./p.mjs }] }
steps:
  - { name: a, type: set, value: !file note.md, routes: [{ to: c }] }
  - { name: c, type: workflow, workflow: ./child.yaml, routes: [{ to: ask }] }
  - { name: ask, type: human_gate, prompt: On?, options: [{ label: Y, value: "y", route: last }] }
  - { name: last, type: script, command: cat, args: ["{{ workflow.dir }}/there"] }
output: { said: "{{ a.output }} {{ c.output.v }}" }
`,
  "child.yaml": `workflow: { name: child, entry_point: b, policies: [{ module: ./q.cjs }] }
steps: [{ name: b, type: set, value: fine }]
output: { v: "{{ b.output }}" }
`,
  "note.md": "fine",
  "p.mjs": `import { allowed } from "./lib.mjs";
export default { name: "p", description: "", evaluate: () => ({ allowed, policyName: "p" }) };`,
  "lib.mjs": "export const allowed = true;",
  "q.cjs": 'module.exports = { name: "q", description: "", evaluate: () => ({ allowed: true, policyName: "q" }) };',
  "one.scenario.yaml": `workflow: main.yaml
fixtures: [fixture.yaml]
gates: { ask: y }
expected_trace: { output: { said: fine fine } }
`,
  "fixture.yaml": "cli_scripts: [{ step: last, stdout: ok }]\n",
};

const EVIL_STEPS = "steps: [{ name: b, type: set, value: EVIL }]\noutput: { said: EVIL, v: EVIL }\n";
const EVIL: Readonly<Record<keyof typeof FILES, string>> = {
  "main.yaml": `workflow: { name: w, entry_point: b }\n${EVIL_STEPS}`,
  "child.yaml": `workflow: { name: child, entry_point: b }\n${EVIL_STEPS}`,
  "note.md": "EVIL",
  "p.mjs":
    'export default { name: "EVIL", description: "", evaluate: () => ({ allowed: false, policyName: "EVIL", reason: "EVIL" }) };',
  "lib.mjs": "export const allowed = false;",
  "q.cjs":
    'module.exports = { name: "EVIL", description: "", evaluate: () => ({ allowed: false, policyName: "EVIL", reason: "EVIL" }) };',
  "one.scenario.yaml": "workflow: main.yaml\nexpected_trace: { output: { said: EVIL } }\n",
  "fixture.yaml": "cli_scripts: [{ step: last, stdout: EVIL }]\n",
};

const { openSync, readFileSync } = fs;

/** From now on each of these files is another one as soon as it has been opened. Gives how often each was opened. */
function replaceWhenRead(folder: string): () => Readonly<Record<string, number>> {
  const opened: Record<string, number> = {};
  const noticed = (path: unknown): void => {
    const name = Object.keys(EVIL).find((one) => join(folder, one) === path) as keyof typeof FILES | undefined;
    if (name === undefined) return;
    opened[name] = (opened[name] ?? 0) + 1;
    fs.writeFileSync(join(folder, "draft"), EVIL[name]);
    fs.renameSync(join(folder, "draft"), join(folder, name));
  };
  Object.assign(fs, {
    openSync(path: fs.PathLike, ...more: [fs.OpenMode]) {
      const file = openSync(path, ...more);
      noticed(path);
      return file;
    },
    readFileSync(path: fs.PathOrFileDescriptor, ...more: []) {
      const text = readFileSync(path, ...more);
      noticed(path);
      return text;
    },
  });
  syncBuiltinESMExports();
  return () => opened;
}

function stopReplacing(): void {
  Object.assign(fs, { openSync, readFileSync });
  syncBuiltinESMExports();
}

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
  ground.write(FILES);
});
afterEach(() => {
  stopReplacing();
  ground.close();
});

function expectOneRead(opened: Readonly<Record<string, number>>, answer: unknown): void {
  expect(Object.entries(opened).filter(([, count]) => count > 1)).toEqual([]);
  expect(JSON.stringify(answer)).not.toContain("EVIL");
}

const COMMON = ["main.yaml", "child.yaml", "note.md", "p.mjs", "lib.mjs", "q.cjs"];

async function paused(approvers = ""): Promise<string> {
  ground.write({ "main.yaml": FILES["main.yaml"].replace("prompt: On?,", `prompt: On?, ${approvers}`) });
  const { result } = await ground.run("main.yaml");
  expect([result.status, result.errors]).toEqual(["paused", []]);
  return result.run_id ?? "";
}

describe("each file is read once", () => {
  it("by a run, and when it is confined before", async () => {
    const session = { ...ground.session, readsFrom: { snapshot: new Snapshot() } };
    const opened = replaceWhenRead(ground.folder);
    const { file } = confineFamily("main.yaml", [ground.folder], session);
    const result = await carryOutOrder({ to: "run", file, inputs: {}, origin: {} }, session, {});
    expect(result.status).toBe("paused");
    expect(Object.keys(opened()).sort()).toEqual([...COMMON].sort());
    expectOneRead(opened(), result);
  });

  it("by a resume that must not pass a gate", async () => {
    const run = await paused("approvers: [kim@box],");
    const opened = replaceWhenRead(ground.folder);
    const { result } = await ground.resume(run, { staysBehindGates: true });
    expect(result.status).toBe("paused");
    expectOneRead(opened(), result);
  });

  it.each([
    ["any gate", "", requireGatesHeld],
    ["a gate that needs four eyes", "four_eyes: true,", requireGuardedGatesHeld],
  ])("by run_resume, which checks %s and then drives", async (_, gate, requireHeld) => {
    const run = await paused(gate);
    const session = { ...ground.session, readsFrom: { snapshot: new Snapshot() } };
    const opened = replaceWhenRead(ground.folder);
    await confineRun(run, [ground.folder], session);
    await requireHeld(session, { run });
    const result = await carryOutOrder({ to: "resume", target: run, inputs: {} }, session, {});
    expect(result.status).toBe("paused");
    expect(Object.keys(opened()).sort()).toEqual([...COMMON].sort());
    expectOneRead(opened(), result);
  });

  it("by an answer, which checks the run and then drives it on", async () => {
    const run = await paused();
    ground.write({ there: "ok" });
    const opened = replaceWhenRead(ground.folder);
    const result = await answerGate(ground.session, { run, value: "y", inputs: {}, via: "cli" });
    expect(result).toMatchObject({ status: "completed", output: { said: "fine fine" } });
    expectOneRead(opened(), result);
  });

  it("by a retry of dead letters", async () => {
    const run = await paused();
    const failed = await answerGate(ground.session, { run, value: "y", inputs: {}, via: "cli" });
    expect(failed.status).toBe("failed");
    ground.write({ there: "ok" });
    const opened = replaceWhenRead(ground.folder);
    const result = await retryLetters(ground.session, { run });
    expect(result).toMatchObject({ status: "completed", output: { said: "fine fine" } });
    expectOneRead(opened(), result);
  });

  it("by a test", async () => {
    const opened = replaceWhenRead(ground.folder);
    const answer = await testScenarios(ground.session, { paths: ["one.scenario.yaml"] });
    expect(answer.scenarios.map(({ problems }) => problems)).toEqual([[]]);
    expect(Object.keys(opened())).toEqual(expect.arrayContaining(["one.scenario.yaml", "fixture.yaml", "main.yaml"]));
    expectOneRead(opened(), answer);
  });

  it("by a backtest", async () => {
    const run = await paused();
    const session = { ...ground.session, readsFrom: { snapshot: new Snapshot() } };
    const opened = replaceWhenRead(ground.folder);
    confineFamily("main.yaml", [ground.folder], session);
    const answer = await backtest(session, { file: join(ground.folder, "main.yaml"), runs: [run] });
    expect(answer.counts.same).toBe(1);
    expectOneRead(opened(), answer);
  });

  it.each(["starts", "resumes"])("by the page, which %s a run", async (what) => {
    const served = await Served.start({
      ...FILES,
      "main.yaml": FILES["main.yaml"].replace("On?,", "On?, four_eyes: true,"),
    });
    try {
      let path = "/api/runs";
      let body: object = { file: "main.yaml", inputs: {} };
      if (what === "resumes") {
        const run = await served.run("main.yaml");
        const { seq } = (await served.get(`/api/runs/${run}`)).body;
        [path, body] = [`/api/runs/${run}/resume`, { seq, inputs: {} }];
      }
      const opened = replaceWhenRead(served.root);
      const reply = await served.post(path, body);
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      const { run_id } = reply.body;
      await until(async () => (await served.get(`/api/runs/${run_id}`)).body.status === "paused");
      expectOneRead(opened(), reply.body);
    } finally {
      stopReplacing();
      await served.close();
    }
  });
});

it("a process that is handed digests refuses files that are others by then", async () => {
  const session = { ...ground.session, readsFrom: { snapshot: new Snapshot() } };
  confineFamily("main.yaml", [ground.folder], session);
  const { digests } = session.readsFrom.snapshot;
  for (const name of COMMON) {
    ground.write({ ...FILES, [name]: EVIL[name as keyof typeof FILES] });
    const { result } = await ground.run("main.yaml", { readsFrom: { snapshot: new Snapshot(digests) } });
    expect([name, result.status, JSON.stringify(result.errors)]).toEqual([
      name,
      "invalid",
      expect.stringMatching(/has changed since it was checked/),
    ]);
  }
  ground.write(FILES);
  expect((await ground.run("main.yaml", { readsFrom: { snapshot: new Snapshot(digests) } })).result.status).toBe(
    "paused",
  );
});

// A plugin that ends the program, never ends itself, or does not stop: its step fails, and everything else goes on. No
// command ends well that has not come to its end.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/frontends/mcp/test/client.ts";
import { served } from "./served.ts";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

const PLUGIN = `
import { exit } from "node:process";
import { definePolicy, defineProvider, defineStep, succeeded } from "segno";
const kept = process.exit;
const step = (type, execute) => defineStep({ type, description: type, schema: { type: "object" }, execute });
const goingOn = () => new Promise(() => { setInterval(() => {}, 1000); });
export const all = [
  step("exit", () => process.exit(0)),
  step("exit_awaited", async () => { await null; process.exit(0); }),
  step("exit_imported", () => exit(0)),
  step("exit_kept", () => kept(0)),
  step("exit_caught", () => { try { process.exit(0); } catch {} return succeeded("went on"); }),
  step("exit_later", () => { setTimeout(() => process.exit(0), 20); return goingOn(); }),
  step("exit_left", () => { setTimeout(() => process.exit(0), 20); return succeeded("done"); }),
  step("exit_unseen", () => { queueMicrotask(process.exit.bind(process, 0)); return goingOn(); }),
  step("really_exit", () => process.reallyExit(0)),
  step("abort", () => process.abort()),
  step("kill", () => { process.kill(process.pid, 0); process.kill(process.pid, "SIGKILL"); }),
  step("deaf", goingOn),
  step("never", () => new Promise(() => {})),
  defineProvider({ name: "leaver", call: () => process.exit(0) }),
  definePolicy({ name: "leaves", evaluate: () => process.exit(0) }),
];
`;
const ENDING = [
  ["exit", "process.exit(0)"],
  ["exit_awaited", "process.exit(0)"],
  ["exit_imported", "process.exit(0)"],
  ["exit_kept", "process.exit(0)"],
  ["exit_caught", "process.exit(0)"],
  ["exit_later", "process.exit(0)"],
  ["really_exit", "process.reallyExit(0)"],
  ["abort", "process.abort()"],
  ["kill", "process.kill("],
] as const;

const one = (type: string, more = ""): string =>
  `workflow: { name: ${type}, entry_point: a }\nagents: [{ name: a, type: ${type}${more} }]\n`;
const FILES = {
  "segno.yaml": "workflows: ['*.yaml']\nplugins: [./plugins.mjs]\n",
  "plugins.mjs": PLUGIN,
  ...Object.fromEntries(
    [...ENDING.map(([type]) => type), "exit_unseen", "never"].map((type) => [`${type}.yaml`, one(type)]),
  ),
  "left.yaml":
    "workflow: { name: left, entry_point: a }\nagents:\n  - { name: a, type: exit_left, routes: [{ to: b }] }\n  - { name: b, type: wait, duration: 0.5s }\noutput: { said: '{{ a.output }}' }\n",
  "leaver.yaml": one("agent", ", provider: leaver, model: m, prompt: hi"),
  "policy.yaml":
    "workflow: { name: policy, entry_point: a, policies: [{ policy: leaves }] }\nagents: [{ name: a, type: set, value: 1 }]\n",
  "deaf.yaml": one("deaf", ", timeout: 1"),
  "waits.yaml":
    "workflow: { name: waits, entry_point: a }\nagents: [{ name: a, type: wait, duration: 0.5s }]\noutput: { waited: yes }\n",
  "never.scenario.yaml": "workflow: never.yaml\nexpected_trace: { status: completed }\n",
  "wrong.scenario.yaml": "workflow: waits.yaml\nexpected_trace: { status: failed }\n",
};

async function trusted(over: Readonly<Record<string, string>> = {}): Promise<Workshop> {
  const work = new Workshop({ ...FILES, ...over });
  expect((await work.segno("trust", "--yes")).code).toBe(0);
  return work;
}

/** For all that changes nothing of it. */
let shared: Workshop;
beforeAll(async () => {
  shared = await trusted();
});

describe("a plugin that ends the program", () => {
  it.each(ENDING)("fails its step instead: %s", async (type, call) => {
    const { code, stdout } = await shared.program("run", `${type}.yaml`, "--output-format", "json");
    expect(code).toBe(3);
    const { errors } = JSON.parse(stdout);
    expect(errors).toMatchObject([{ kind: "internal.step_error", owner: "environment" }]);
    expect(errors[0].message).toContain(`\`execute\` of the step type ${type} tried to end the program: ${call}`);
  });

  it("is said, and changes nothing, when its step has ended", async () => {
    const { code, stdout, stderr } = await shared.program("run", "left.yaml");
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 0, stdout: { said: "done" } });
    expect(stderr).toMatch(
      /The plugin \.\/plugins\.mjs of segno\.yaml, in the step a of run \S+, began something .*: process\.exit\(0\) was called, .* its result stays\./,
    );
  });

  it("fails the call of its provider, which is not tried again", async () => {
    const { code, stdout } = await shared.program("run", "leaver.yaml", "--output-format", "json");
    expect(code).toBe(3);
    const { errors } = JSON.parse(stdout);
    expect(errors).toMatchObject([{ kind: "internal.step_error" }]);
    expect(errors[0].message).toContain("`call` of the provider leaver tried to end the program: process.exit(0)");
  });

  it("denies with its policy", async () => {
    const { code, stdout } = await shared.program("run", "policy.yaml", "--output-format", "json");
    expect(code).not.toBe(0);
    expect(JSON.parse(stdout).error).toContain("process.exit(0) was called");
  });

  it("never makes a command succeed, also where nobody can see whose code it is", async () => {
    const { code, stderr } = await shared.program("run", "exit_unseen.yaml");
    expect([1, 3]).toContain(code);
    expect(stderr).toMatch(
      /The process was ended before the command had come to its end|process\.exit\(0\) was called/,
    );
  });

  it("ends no server, and nothing that it drives", async () => {
    const { child, begin, ended, said } = await served(shared);
    const innocent = await begin("waits.yaml");
    for (const file of ["exit.yaml", "exit_later.yaml"]) await ended(await begin(file), "failed");
    await ended(innocent, "completed");
    expect(said()).toContain("process.exit(0) was called");
    expect(child.exitCode).toBe(null);
  });

  it("does not end segno mcp", async () => {
    const { dir, home } = shared;
    const agent = await connect("stdio", { folder: dir, env: { HOME: home, SEGNO_HOME: home, NO_COLOR: "1" } });
    onTestFinished(() => agent.close());
    expect((await agent.call("workflow_run", { file: "exit.yaml" })).text).toContain("process.exit(0) was called");
    expect((await agent.call("workflow_run", { file: "waits.yaml" })).object).toMatchObject({ status: "completed" });
  });
});

describe("a plugin's step that waits for something that never comes", () => {
  const NEVER = "`execute` of the step type never waits for something that never comes";

  it("fails, and the run can be resumed", async () => {
    const work = shared;
    const { code, stdout } = await work.program("run", "never.yaml", "--output-format", "json");
    expect(code).toBe(3);
    const { run_id, errors } = JSON.parse(stdout);
    expect(errors).toMatchObject([{ kind: "internal.step_error", message: expect.stringContaining(NEVER) }]);
    const again = await work.program("resume", run_id, "--output-format", "json");
    expect({ code: again.code, said: JSON.parse(again.stdout).error }).toEqual({
      code: 3,
      said: expect.stringContaining(NEVER),
    });
  });

  it("fails its scenario, and those beside it are held to what they expect", async () => {
    const work = shared;
    const test = ["test", "never.scenario.yaml", "wrong.scenario.yaml"];
    const { code, stdout } = await work.program(...test);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(NEVER) });
    expect(stdout).toContain("0 scenarios passed, 2 failed");
    const report = await work.program(...test, "--reporter", "junit");
    expect({ code: report.code, failures: report.stdout.split("<testcase").length - 1 }).toEqual({
      code: 1,
      failures: 2,
    });
  });

  it("is no success when it is Segno itself that waits in vain", async () => {
    const deaf = "globalThis.setTimeout = () => ({ ref() {}, unref() {} });\n";
    const { code, stdout, stderr } = await (await trusted({ "plugins.mjs": `${PLUGIN}${deaf}` })).program(
      "run",
      "waits.yaml",
      "--output-format",
      "json",
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, exit_code: 1 });
    expect(stderr).toContain("it waits for something that can no longer happen");
  });
});

it("ends a plugin's step that does not stop at its timeout as one that timed out, and says that it did not stop", async () => {
  const { code, stdout, stderr } = await shared.program("run", "deaf.yaml", "--output-format", "json");
  expect({ code, errors: JSON.parse(stdout || "{}").errors }).toMatchObject({
    code: 3,
    errors: [{ kind: "internal.timeout" }],
  });
  expect(stderr).toMatch(/The plugin \.\/plugins\.mjs of segno\.yaml, in the step a of run \S+, did not stop/);
});

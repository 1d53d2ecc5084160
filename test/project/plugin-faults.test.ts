// What goes wrong in a plugin where nobody waits for it: a sentence, never the end of the program or of others' runs.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/frontends/mcp/test/client.ts";
import { served } from "./served.ts";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

/** Each of them goes on for as long as it is not ended, but `leave`, which has ended when what it left behind fails. */
const PLUGIN = `
import { connect } from "node:net";
import { defineStep, succeeded } from "segno";
const step = (type, begin) => defineStep({ type, description: type, schema: { type: "object" }, execute: (_, { signal }) => {
  begin();
  return new Promise((done) => {
    const open = setInterval(() => {}, 1000);
    signal.addEventListener("abort", () => { clearInterval(open); done(succeeded(1)); });
  });
} });
export const steps = [
  step("forget", () => setTimeout(() => Promise.reject(new Error("forgotten promise")), 20)),
  step("throw", () => setTimeout(() => { throw new Error("late throw"); }, 20)),
  step("word", () => { Promise.reject("a word alone"); }),
  step("call", () => { connect(1, "127.0.0.1"); }),
  defineStep({ type: "leave", description: "leaves", schema: { type: "object" }, execute: () => {
    setTimeout(() => Promise.reject(new Error("left behind")), 20);
    return succeeded("done");
  } }),
];
`;
const one = (type: string): string =>
  `workflow: { name: ${type}, entry_point: a }\nagents: [{ name: a, type: ${type} }]\n`;
const WAITS =
  "workflow: { name: waits, entry_point: a }\nagents: [{ name: a, type: wait, duration: 0.5s }]\noutput: { waited: yes }\n";
const FILES = {
  "segno.yaml": "workflows: ['*.yaml']\nplugins: [./plugins.mjs]\n",
  "plugins.mjs": PLUGIN,
  ...Object.fromEntries(["forget", "throw", "word", "call"].map((type) => [`${type}.yaml`, one(type)])),
  "leave.yaml":
    "workflow: { name: leave, entry_point: a }\nagents:\n  - { name: a, type: leave, routes: [{ to: b }] }\n  - { name: b, type: wait, duration: 0.5s }\noutput: { said: '{{ a.output }}' }\n",
  "waits.yaml": WAITS,
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

const envOf = ({ home }: Workshop) => ({ HOME: home, SEGNO_HOME: home, NO_COLOR: "1" });
const count = (text: string, part: string): number => text.split(part).length - 1;

describe("what a plugin's step does not wait for", () => {
  it.each([
    ["forget", "forgotten promise"],
    ["throw", "late throw"],
    ["word", "a word alone"],
    ["call", "ECONNREFUSED"],
  ])("fails its step while that runs: %s", async (type, why) => {
    const { code, stdout, stderr } = await shared.program("run", `${type}.yaml`, "--output-format", "json");
    const { run_id, errors } = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(errors).toMatchObject([
      {
        kind: "internal.step_error",
        owner: "environment",
        message: expect.stringMatching(
          new RegExp(`^\`execute\` of the step type ${type} began something that failed and .* ${why}`),
        ),
        hint: expect.stringContaining(`Correct \`execute\` of the step type ${type}, which is code of yours`),
      },
    ]);
    expect(stderr).toContain(`The plugin ./plugins.mjs of segno.yaml, in the step a of run ${run_id},`);
    expect(stderr).toContain(why);
    expect(stderr).not.toContain("defect in Segno");
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it("is said, and changes nothing, when the step has ended", async () => {
    const { code, stdout, stderr } = await shared.program("run", "leave.yaml", "--output-format", "json");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /The plugin \.\/plugins\.mjs of segno\.yaml, in the step a of run \S+, began something .*: left behind\. The step had ended by then/,
      ),
    });
    expect(JSON.parse(stdout)).toMatchObject({ status: "completed", output: { said: "done" } });
  });

  it("ends neither a server nor what it drives beside it", async () => {
    const work = shared;
    const { child, said, begin, ended } = await served(work);
    const innocent = await begin("waits.yaml");
    const faulty = await begin("forget.yaml");
    await ended(faulty, "failed");
    await ended(innocent, "completed");
    expect(count(said(), "forgotten promise")).toBe(1);
    expect(child.exitCode).toBe(null);
  });

  it("does not end segno mcp", async () => {
    const work = shared;
    const agent = await connect("stdio", { folder: work.dir, env: envOf(work) });
    onTestFinished(() => agent.close());
    expect((await agent.call("workflow_run", { file: "throw.yaml" })).text).toContain("late throw");
    expect((await agent.call("workflow_run", { file: "waits.yaml" })).object).toMatchObject({ status: "completed" });
  });
});

describe("what a plugin leaves behind when it is loaded", () => {
  it.each([
    ["throws", "setInterval(() => { throw new Error('late'); }, 50);"],
    ["throws a word", "setInterval(() => { throw 'late'; }, 50);"],
    ["throws what is no text", "setInterval(() => { throw Object.create(null, { late: { value: 1 } }); }, 50);"],
    ["forgets a promise", "Promise.reject(new Error('late'));"],
    ["throws in a file that it takes in", "import './lib.cjs';"],
  ])("is said once and stops no run: one that %s", async (_, code) => {
    const lib = "setInterval(() => queueMicrotask(() => { throw new Error('late'); }), 50);";
    const { stderr, ...ended } = await (await trusted({ "plugins.mjs": `${PLUGIN}${code}\n`, "lib.cjs": lib })).program(
      "run",
      "waits.yaml",
    );
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("waited") });
    expect(count(stderr, "The plugin ./plugins.mjs of segno.yaml began something that failed")).toBe(1);
    expect(stderr).not.toContain("Segno itself failed");
  });

  it("names the file where it may be of more than one plugin", async () => {
    const work = await trusted({
      "segno.yaml": "plugins: [./plugins.mjs, ./more.mjs]\n",
      "more.mjs": `import "./lib.cjs";\n${PLUGIN.replace(/"(forget|throw|word|call|leave)"/g, '"more_$1"')}`,
      "lib.cjs": "setTimeout(() => queueMicrotask(() => { throw new Error('late'); }), 50);\n",
    });
    expect(await work.program("run", "waits.yaml")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("lib.cjs, which plugins of segno.yaml take in, began something that failed"),
    });
  });

  it("is told with its stack under SEGNO_DEBUG, and without secrets", async () => {
    const code = "setTimeout(() => { throw new Error(`no ${process.env.MY_TOKEN}`); }, 50);";
    const work = await trusted({ "plugins.mjs": `${PLUGIN}${code}\n` });
    const { stderr } = await work.programIn(".", { SEGNO_DEBUG: "1", MY_TOKEN: "hush-hush-hush" }, "run", "waits.yaml");
    expect(stderr).toMatch(/^\s+at .*plugins\.mjs/m);
    expect(stderr).not.toContain("hush-hush");
  });
});

// Beside each other: each takes the seconds that a plugin may take.
describe.concurrent("a plugin that never lets go of the program while it is loaded", () => {
  it.each([
    ["a loop", "while (true) {}\n"],
    ["a loop in a file of the older kind", "import './lib.cjs';\n"],
    ["promises without an end", "for (;;) await 1;\n"],
    ["a loop of a timer", "await new Promise(() => setTimeout(() => { for (;;); }, 20));\n"],
    ["a wait that is not asynchronous", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\n"],
  ])("is a sentence that names it, and exit code 2: %s", async (_, code) => {
    const work = await trusted({ "plugins.mjs": `${PLUGIN}${code}`, "lib.cjs": "for (;;);\n" });
    expect(await work.program("runs")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^segno: the plugin \.\/plugins\.mjs of segno\.yaml could not be loaded: it did not finish loading in 3 seconds, and lets nothing else run meanwhile\. .*\n$/,
      ),
    });
  });

  it("is the same sentence where it waits for another program", async () => {
    const code = "import { execSync } from 'node:child_process';\nexecSync('sleep 20', { stdio: 'ignore' });\n";
    const { stderr } = await (await trusted({ "plugins.mjs": `${PLUGIN}${code}` })).program("runs");
    expect(stderr).toContain("the plugin ./plugins.mjs of segno.yaml could not be loaded: it did not finish loading");
  });
});

describe("what a plugin prints in a CI", () => {
  it.each([
    ["GITHUB_ACTIONS", "true"],
    ["TF_BUILD", "True"],
    ["TEAMCITY_VERSION", "2026.1"],
  ])("is no command there: %s", async (name, value) => {
    const planted = "::error::hi\\n  ::set-output name=a::b ##[add-mask]a ##vso[task.complete]b ##teamcity[message]c";
    const loud = ["log", "error", "warn", "trace", "info", "table"].map((way) => `console.${way}("${planted}");`);
    const work = await trusted({
      "plugins.mjs": `${PLUGIN}console.assert(false, "${planted}");\n${loud.join("\n")}\n`,
    });
    const { stderr } = await work.programIn(".", { [name]: value }, "validate", "waits.yaml");
    expect(count(stderr, "task.complete")).toBeGreaterThanOrEqual(7);
    expect(stderr).not.toMatch(/^\s*::|##(vso|teamcity)?\[/im);
  });

  it("keeps its groups and clocks, all on stderr", async () => {
    const code =
      'console.group("in"); console.log("inner"); console.groupEnd(); console.log("outer"); console.time("t"); console.timeEnd("t");';
    const { stdout, stderr } = await (await trusted({ "plugins.mjs": `${PLUGIN}${code}\n` })).program(
      "validate",
      "waits.yaml",
    );
    expect(stderr).toMatch(/^in\n {2}inner\nouter\nt: [\d.]+/m);
    expect(stderr).not.toContain("No such label");
    expect(stdout).not.toContain("inner");
  });
});

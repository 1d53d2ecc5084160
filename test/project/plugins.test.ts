// Own step types, providers and policies wherever Segno runs, and what a project offers there.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/frontends/mcp/test/client.ts";
import { KEPT_CODE, PROGRAM } from "../support/program.ts";
import { until } from "../support/until.ts";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

const PLUGIN = `
import { definePolicy, defineProvider, defineStep, succeeded } from "segno";
export const shout = defineStep({
  type: "shout",
  description: "says it louder",
  schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }) => succeeded(text.toUpperCase()),
});
export const parrot = defineProvider({ name: "parrot", call: () => ({ text: "polly" }) });
export const never = definePolicy({ name: "never", evaluate: () => "not today" });
`;
const FILES = {
  "segno.yaml": "workflows: ['flows/**/*.yaml']\nplugins: [./plugins.mjs]\n",
  "plugins.mjs": PLUGIN,
  "flows/own.yaml": `workflow: { name: own, entry_point: greet }
agents:
  - { name: greet, type: shout, text: hello, routes: [{ to: ask }] }
  - { name: ask, provider: parrot, prompt: hi }
output: { said: "{{ greet.output }} {{ ask.output.result }}" }
`,
  "flows/denied.yaml":
    "workflow: { name: denied, entry_point: a, policies: [{ policy: never }] }\nagents: [{ name: a, type: set, value: 1 }]\n",
  "flows/own.scenario.yaml":
    "workflow: own.yaml\nagent_scripts: { ask: [{ content: polly }] }\nexpected_trace: { status: completed, output_contains: { said: HELLO polly } }\n",
  "drafts/draft.yaml": "workflow: { name: draft, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n",
  "drafts/draft.scenario.yaml": "workflow: draft.yaml\nexpected_trace: { status: failed }\n",
};

const project = (over: Readonly<Record<string, string>> = {}): Workshop => new Workshop({ ...FILES, ...over });
const envOf = ({ home }: Workshop) => ({ ...KEPT_CODE, HOME: home, SEGNO_HOME: home, NO_COLOR: "1" });

interface Serving {
  readonly child: ChildProcess;
  readonly said: string[];
  get(path: string): Promise<{ readonly status: number; readonly body: never }>;
  post(path: string, body: object): Promise<{ readonly status: number; readonly body: never }>;
}

async function serve(work: Workshop, env: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const child = spawn(process.execPath, [PROGRAM, "serve", "--port", "0"], {
    cwd: work.dir,
    env: { PATH: process.env.PATH, ...envOf(work), ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const [, url, token] = /(http:\/\/[^/]+)\/#token=(\S+)/.exec(line) ?? [];
    if (!url) continue;
    let session = "";
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          "content-type": "application/json",
          origin: url,
          "idempotency-key": crypto.randomUUID(),
          ...(session === "" ? {} : { authorization: `Bearer ${session}` }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: answer.status, body: (await answer.json()) as never };
    };
    const opened = (await ask("POST", "/api/session", { token })).body as { readonly session: string };
    session = opened.session;
    return { child, said, get: (path) => ask("GET", path), post: (path, body) => ask("POST", path, body) };
  }
  throw new Error("it did not serve");
}

describe("plugins of a trusted project", () => {
  it("are known to mcp, which lists what the project offers", async () => {
    const work = project();
    await work.segno("trust", "--yes");
    const agent = await connect("stdio", { folder: work.dir, env: envOf(work) });
    onTestFinished(() => agent.close());
    const { object: listed } = await agent.call("workflow_list");
    expect(listed.workflows.map(({ workflow }: { workflow: string }) => workflow).sort()).toEqual(["denied", "own"]);
    expect(await agent.call("workflow_validate", { file: "flows/own.yaml" })).toMatchObject({ isError: false });
    expect((await agent.call("workflow_run", { file: "flows/own.yaml" })).object).toMatchObject({
      status: "completed",
      output: { said: "HELLO polly" },
    });
    expect((await agent.call("workflow_run", { file: "flows/denied.yaml" })).text).toContain("not today");
  });

  it("are known to mcp's confinement: a file with own steps may call nothing outside of the folder either", async () => {
    const work = project({
      "flows/leads-out.yaml": `workflow: { name: out, entry_point: greet }
agents:
  - { name: greet, type: shout, text: hello, routes: [{ to: call }] }
  - { name: call, type: workflow, workflow: ../../outside.yaml }
`,
      "../outside.yaml": "workflow: { name: outside, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n",
    });
    await work.segno("trust", "--yes");
    const agent = await connect("stdio", { folder: work.dir, env: envOf(work) });
    onTestFinished(() => agent.close());
    const answer = await agent.call("workflow_run", { file: "flows/leads-out.yaml" });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("outside") });
  });

  it("are known to serve, whose page shows what the project offers", async () => {
    const work = project();
    await work.segno("trust", "--yes");
    const page = await serve(work);
    const { workflows } = (await page.get("/api/workflows")).body as { workflows: { file: string }[] };
    expect(workflows.map(({ file }) => file).sort()).toEqual(["flows/denied.yaml", "flows/own.yaml"]);
    const shown = (await page.get("/api/workflows/flows/own.yaml")).body as { problems: object[]; picture: object };
    expect(shown.problems).toEqual([]);
    expect(JSON.stringify(shown.picture)).toContain("greet");
    const { run_id } = (await page.post("/api/runs", { file: "flows/own.yaml", inputs: {} })).body as {
      run_id: string;
    };
    await until(async () => {
      const { status } = (await page.get(`/api/runs/${run_id}/result`)).body as { status: string };
      return status === "completed";
    });
    expect((await page.get(`/api/runs/${run_id}/explain`)).status).toBe(200);
  });

  it("are known to test, which without a path plays the scenarios of what is offered", async () => {
    const work = project();
    await work.segno("trust", "--yes");
    const all = JSON.parse((await work.program("test", "--output-format", "json")).stdout);
    expect(all.scenarios.map(({ file }: { file: string }) => file)).toEqual(["flows/own.scenario.yaml"]);
    expect(all.passed).toBe(1);
    expect((await work.program("test", "drafts")).code).toBe(1);
  });
});

/** Every command that stands in a project. */
const COMMANDS: readonly (readonly string[])[] = [
  ["validate", "flows/own.yaml"],
  ["run", "flows/own.yaml"],
  ["resume"],
  ["test"],
  ["errors", "flows/own.yaml"],
  ["graph", "flows/own.yaml"],
  ["explain"],
  ["schema"],
  ["mcp"],
  ["serve", "--port", "0"],
  ["worker", "--on", "postgres://127.0.0.1:1/none"],
];

/** A trusted project, for all that changes nothing of it. */
function trusted(over: Readonly<Record<string, string>>): () => Workshop {
  const work = project(over);
  beforeAll(async () => {
    await work.segno("trust", "--yes");
  });
  return () => work;
}

describe("a plugin that cannot be loaded", () => {
  const broken = trusted({ "plugins.mjs": 'throw new Error("boom");\n' });
  const endless = trusted({ "plugins.mjs": `${PLUGIN}await new Promise(() => {});\n` });

  it.each(COMMANDS)("is a sentence to %s", async (...args) => {
    const quiet = await broken().program(...args);
    expect(quiet).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the plugin ./plugins.mjs of segno.yaml could not be loaded: boom"),
    });
    expect(quiet.stderr).not.toMatch(/^\s+at /m);
  });

  it.each([
    ["validate", "flows/own.yaml", "--reporter", "sarif"],
    ["run", "flows/own.yaml"],
    ["test"],
    ["serve", "--port", "0"],
  ])("is a sentence to %s when it never finishes loading", async (...args) => {
    expect(await endless().program(...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "the plugin ./plugins.mjs of segno.yaml could not be loaded: it awaits something that never comes",
      ),
    });
  });

  it("is no success when it ends the process while it is loaded", async () => {
    const work = project({ "plugins.mjs": `${PLUGIN}process.exit(0);\n` });
    await work.segno("trust", "--yes");
    expect(await work.program("validate", "flows/own.yaml")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "the plugin ./plugins.mjs of segno.yaml could not be loaded: it ended the process",
      ),
    });
  });
});

describe("a plugin that cannot be loaded", () => {
  const broken = trusted({ "plugins.mjs": 'throw new Error("boom");\n' });

  it.each([["runs"], ["gate", "list"], ["dlq", "list"], ["breakers"], ["triggers", "list"]])(
    "does not stop %s, which needs none",
    async (...args) => {
      const { code, stderr } = await broken().program(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("could not be loaded: boom") });
    },
  );

  it.each([
    ["ends the process", { "plugins.mjs": "process.exit(0);\n" }, "it ended the process while it was loaded"],
    [
      "ends the process later",
      { "plugins.mjs": "await new Promise(() => setImmediate(() => process.exit(0)));\n" },
      "it ended the process while it was loaded",
    ],
    ["is not there any more", { "segno.yaml": "plugins: [./gone.mjs]\n" }, "there is no file `./gone.mjs`"],
    ["is a folder", { "segno.yaml": "plugins: [./flows]\n" }, "is no file but a folder"],
  ])("that %s does not stop commands that need none, and is what doctor finds", async (_, files, why) => {
    const work = project(files);
    await work.segno("trust", "--yes");
    const runs = await work.program("runs");
    expect(runs).toMatchObject({ code: 0, stderr: expect.stringContaining(why) });
    expect((await work.program("cancel", "01J8ZQ")).stderr).toContain("there is no run 01J8ZQ");
    const { code, stdout } = await work.program("doctor");
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/✗ project\.plugins/) });
    expect(await work.program("run", "flows/own.yaml")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(new RegExp(why, "i")),
    });
  });

  it("does not keep a run from being shown or cancelled, and is what doctor finds", async () => {
    for (const command of ["show", "cancel"])
      expect((await broken().program(command, "01J8ZQ")).stderr).toContain("there is no run 01J8ZQ");
    const { code, stdout } = await broken().program("doctor");
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/✗ project\.plugins .*boom/) });
  });

  it("is what is wrong with segno.yaml, and not what it would have brought", async () => {
    const settings =
      'plugins: [./plugins.mjs]\ntriggers: [{ name: t, workflow: flows/denied.yaml, schedule: "@daily" }]\n';
    const work = project({ "segno.yaml": settings, "plugins.mjs": 'throw new Error("boom");\n' });
    const untrusted = await work.segno("validate", "segno.yaml");
    expect(untrusted.stdout).toContain("since it is not trusted: `npx segno trust`");
    expect(untrusted.stdout).not.toContain("No plugin brings one");
    await work.segno("trust", "--yes");
    const { code, stdout } = await work.program("validate", "segno.yaml");
    expect(code).toBe(2);
    expect(stdout).toMatch(/broken-plugin +segno\.yaml:1:11/);
    expect(stdout).toContain("The plugin ./plugins.mjs of segno.yaml could not be loaded: boom");
    expect(stdout).not.toContain("There is no policy");
  });
});

describe("what a plugin prints", () => {
  const loud = `console.log("loading");\n${PLUGIN.replace("succeeded(text", '(console.log("shouting"), console.table([1]), succeeded)(text')}`;

  it("goes to stderr, so that stdout is the answer alone", async () => {
    const work = project({ "plugins.mjs": loud });
    await work.segno("trust", "--yes");
    const scripted = ["--scenario", "flows/own.scenario.yaml"];
    const { stdout, stderr } = await work.program("run", "flows/own.yaml", ...scripted, "--output-format", "json");
    expect(JSON.parse(stdout)).toMatchObject({ output: { said: "HELLO polly" } });
    expect(stderr).toMatch(/loading[\s\S]*shouting/);
  });

  it("does not come between an agent and segno mcp", async () => {
    const work = project({ "plugins.mjs": loud });
    await work.segno("trust", "--yes");
    const child = spawn(process.execPath, [PROGRAM, "mcp"], {
      cwd: work.dir,
      env: { PATH: process.env.PATH, ...envOf(work) },
      stdio: ["pipe", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    const [first] = await once(createInterface({ input: child.stdout }), "line");
    expect(JSON.parse(first as string)).toMatchObject({ id: 1, result: { serverInfo: { name: "segno" } } });
  });
});

describe("a project that nobody trusts", () => {
  const trap = 'import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("./trapped", import.meta.url), "x");\n';
  const settings = `plugins: [./plugins.mjs]
telemetry: { otlp: "http://127.0.0.1:9/steal" }
triggers: [{ name: t, workflow: drafts/draft.yaml, schedule: "* * * * *" }]
`;
  // These end by themselves; `serve` and `mcp` are asked below, and a worker waits for its database.
  const LASTING = ["serve", "mcp", "worker"];
  it.each(COMMANDS.filter(([name = ""]) => !LASTING.includes(name)))("executes nothing in %s", async (...args) => {
    const work = project({ "plugins.mjs": trap, "segno.yaml": settings });
    const { stderr } = await work.segno(...args);
    expect(stderr).toContain("segno.yaml is not trusted, so this is left out: plugins, triggers, telemetry.");
    expect(existsSync(join(work.dir, "trapped"))).toBe(false);
  });

  it("executes nothing in mcp and serve, and its own steps are not known there", async () => {
    const work = project({ "plugins.mjs": trap, "segno.yaml": settings });
    const agent = await connect("stdio", { folder: work.dir, env: envOf(work) });
    onTestFinished(() => agent.close());
    expect((await agent.call("workflow_run", { file: "flows/own.yaml" })).text).toContain("shout");
    const page = await serve(work);
    expect(((await page.get("/api/triggers")).body as { triggers: object[] }).triggers).toEqual([]);
    expect((await page.post("/api/runs", { file: "drafts/draft.yaml", inputs: {} })).status).toBe(200);
    expect(existsSync(join(work.dir, "trapped"))).toBe(false);
    expect(page.said.join("\n")).toContain("is not trusted");
  });
});

// Which files may be run: those below the roots, whatever links and dots say. And who may ask, over HTTP.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Connected, connect, newFolder, startHttp } from "./client.ts";

const WORKFLOW = "workflow: { name: ok, entry_point: a }\nagents: [{ name: a, type: set, value: fine }]\n";
const CALLS = (file: string) =>
  `workflow: { name: calls, entry_point: a }\nagents: [{ name: a, type: workflow, workflow: ${file} }]\n`;

const open: Connected[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function house(): string {
  const folder = newFolder();
  folders.push(folder);
  for (const name of ["inside/deep", "outside"]) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["inside/a.yaml", "inside/deep/b.yaml", "outside/secret.yaml"])
    writeFileSync(join(folder, name), WORKFLOW);
  symlinkSync(join(folder, "outside/secret.yaml"), join(folder, "inside/link.yaml"));
  symlinkSync(join(folder, "outside"), join(folder, "inside/linked"));
  writeFileSync(join(folder, "inside/calls.yaml"), CALLS("../outside/secret.yaml"));
  writeFileSync(join(folder, "outside/secret.txt"), "told");
  for (const name of ["inside/.env", "inside/settings.yaml", "inside/.hidden.yaml"])
    writeFileSync(join(folder, name), "key: told-to-nobody\n");
  writeFileSync(
    join(folder, "inside/takes.yaml"),
    "workflow: { name: takes, entry_point: a }\nagents: [{ name: a, type: set, value: !file ../outside/secret.txt }]\n",
  );
  return folder;
}

async function statusOf(one: Connected, file: string): Promise<string> {
  const { object } = await one.call("workflow_run", { file });
  return object.errors[0]?.error_type ?? object.status;
}

const CASES: readonly (readonly [string, string])[] = [
  ["a.yaml", "completed"],
  ["deep/b.yaml", "completed"],
  ["deep/../a.yaml", "completed"],
  ["../outside/secret.yaml", "OutsideRoot"],
  ["link.yaml", "OutsideRoot"],
  ["linked/secret.yaml", "OutsideRoot"],
  ["calls.yaml", "OutsideRoot"],
  ["takes.yaml", "OutsideRoot"],
  [".env", "UnknownWorkflow"],
  ["settings.yaml", "UnknownWorkflow"],
  [".hidden.yaml", "UnknownWorkflow"],
  ["gone.yaml", "UnknownWorkflow"],
];

describe("only files below the root can be run", () => {
  it.each([
    ["given with --root", { args: ["--root", "inside"] }],
    ["that the client has open", { roots: ["inside"] }],
    ["where --root wins over the client's", { args: ["--root", "inside"], roots: ["."] }],
  ])("%s", async (_, { args, roots }: { args?: string[]; roots?: string[] }) => {
    const folder = house();
    const one = await connect("stdio", {
      folder,
      ...(args ? { args } : {}),
      ...(roots ? { roots: roots.map((root) => join(folder, root)) } : {}),
    });
    open.push(one);
    for (const [file, status] of CASES) expect([file, await statusOf(one, file)]).toEqual([file, status]);
    expect(await statusOf(one, join(folder, "inside/a.yaml"))).toBe("completed");
    expect(await statusOf(one, join(folder, "outside/secret.yaml"))).toBe("OutsideRoot");
    const listed = (await one.call("workflow_list")).object.workflows;
    expect(listed.map((each: { file: string }) => each.file)).toEqual([
      "a.yaml",
      "calls.yaml",
      "takes.yaml",
      "deep/b.yaml",
    ]);
    for (const tool of ["workflow_validate", "workflow_describe"]) {
      expect((await one.call(tool, { file: "../outside/secret.yaml" })).isError).toBe(true);
      for (const file of [".env", "settings.yaml"]) {
        const { isError, text, object } = await one.call(tool, { file });
        expect([isError, text + JSON.stringify(object)]).toEqual([true, expect.not.stringContaining("told-to-nobody")]);
      }
    }
  });

  it("and no run of another file is driven on", async () => {
    const folder = house();
    const fails =
      "workflow: { name: no, entry_point: a }\nagents: [{ name: a, type: script, command: 'false', raises: [a.b] }]\n";
    writeFileSync(join(folder, "outside/fails.yaml"), fails);
    const free = await connect("stdio", { folder });
    open.push(free);
    const { run_id } = (await free.call("workflow_run", { file: "outside/fails.yaml" })).object;
    const bound = await connect("stdio", { folder, args: ["--root", "inside"] });
    open.push(bound);
    for (const tool of ["run_resume", "run_cancel"])
      expect((await bound.call(tool, { run_id })).object.errors[0].error_type).toBe("OutsideRoot");
  });
});

describe("what is not below the root", () => {
  /** A server for all of the folder, and one for `inside` alone; for all of these tests. */
  let folder: string;
  let free: Connected;
  let bound: Connected;
  beforeAll(async () => {
    folder = house();
    folders.length = 0;
    free = await connect("stdio", { folder, isInside: true });
    bound = await connect("stdio", { folder, args: ["--root", "inside"], isInside: true });
  });
  afterAll(async () => {
    await Promise.all([free.close(), bound.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it("is not told by a finding, whatever takes it in", async () => {
    writeFileSync(join(folder, "outside/hidden.txt"), "agents: hidden-words");
    writeFileSync(join(folder, "inside/broken.yaml"), "workflow: !file ../outside/hidden.txt\nagents: []\n");
    writeFileSync(
      join(folder, "inside/described.yaml"),
      "workflow: { name: x, description: !file ../outside/hidden.txt, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n",
    );
    for (const tool of ["workflow_validate", "workflow_describe", "workflow_run"])
      for (const file of ["broken.yaml", "described.yaml", "calls.yaml"]) {
        const { object, text } = await bound.call(tool, { file });
        expect([tool, file, object.errors[0]?.error_type]).toEqual([tool, file, "OutsideRoot"]);
        expect(text + JSON.stringify(object)).not.toContain("hidden-words");
      }
    expect(JSON.stringify((await bound.call("workflow_list")).object)).not.toContain("hidden-words");
  });

  it("is not told from what is not there", async () => {
    const flow = (section: string, value = "1"): string =>
      `workflow: { name: x, entry_point: a${section} }\nagents: [{ name: a, type: set, value: ${value} }]\n`;
    const ways: Record<string, (path: string) => string> = {
      call: (path) => CALLS(path),
      take: (path) => flow("", `!file ${path}`),
      instruct: (path) => flow(`, instructions: ["${path}"]`),
      skill: (path) => flow(`, runtime: { skills: ["${path}"] }`),
      policy: (path) => flow(`, policies: [{ module: "${path}" }]`),
    };
    mkdirSync(join(folder, "outside/kept"));
    writeFileSync(join(folder, "outside/kept/SKILL.md"), "a skill");
    for (const name of ["kept.yaml", "kept.md", "kept.mjs"]) writeFileSync(join(folder, "outside", name), WORKFLOW);
    for (const name of ["kept", "gone"])
      symlinkSync(join(folder, `outside/${name}.yaml`), join(folder, `inside/to-${name}.yaml`));
    const endings: Record<string, string> = { instruct: ".md", policy: ".mjs", skill: "" };
    const said = async (name: string): Promise<readonly string[]> => {
      const answers = [await bound.call("workflow_validate", { file: `to-${name}.yaml` })];
      for (const [way, write] of Object.entries(ways))
        for (const path of [`../outside/${name}`, join(folder, "outside", name)]) {
          writeFileSync(join(folder, "inside/tries.yaml"), write(`${path}${endings[way] ?? ".yaml"}`));
          for (const tool of ["workflow_validate", "workflow_run", "workflow_describe"])
            answers.push(await bound.call(tool, { file: "tries.yaml" }));
        }
      return answers.map(({ object }) => `${object.errors[0]?.error_type} ${object.error}`.replaceAll(name, "NAME"));
    };
    const existing = await said("kept");
    expect(existing.every((one) => one.startsWith("OutsideRoot"))).toBe(true);
    expect(await said("gone")).toEqual(existing);
  });

  it("is not shown: neither its runs, nor their gates and letters", async () => {
    const asks =
      "workflow: { name: asks, entry_point: a }\nagents: [{ name: a, type: human_gate, prompt: hidden-words, options: [{ label: Y, value: y, route: $end }] }]\n";
    const loses =
      "workflow: { name: loses, entry_point: a, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ['internal.*'] } } }\nagents: [{ name: a, type: script, command: 'false' }]\n";
    writeFileSync(join(folder, "outside/asks.yaml"), asks);
    writeFileSync(join(folder, "outside/loses.yaml"), loses);
    await free.call("workflow_run", { file: "outside/loses.yaml" });
    const { run_id } = (await free.call("workflow_run", { file: "outside/asks.yaml" })).object;
    expect((await free.call("gate_list")).object.gates).toHaveLength(1);
    expect((await free.call("dlq_list")).object.letters).toHaveLength(1);

    for (const tool of ["run_status", "run_events", "run_explain"])
      expect([tool, (await bound.call(tool, { run_id })).object.errors[0]?.error_type]).toEqual([tool, "OutsideRoot"]);
    const { text } = await bound.call("run_status", { run_id: run_id.slice(0, -2) });
    expect(text).not.toContain(run_id);
    expect((await bound.call("gate_list")).object.gates).toEqual([]);
    expect((await bound.call("dlq_list")).object.letters).toEqual([]);
    const { resources } = await bound.client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith("segno://runs/"))).toEqual([]);
    for (const part of ["result", "events"])
      await expect(bound.client.readResource({ uri: `segno://runs/${run_id}/${part}` })).rejects.toThrow(/nothing at/);
    expect((await free.client.listResources()).resources.length).toBeGreaterThan(resources.length);
  });

  it("does not hand the secrets of its run to a file of ours", async () => {
    const input = "input: { key: { type: string, secret: true } }";
    writeFileSync(
      join(folder, "outside/secretive.yaml"),
      `workflow: { name: s, entry_point: a, ${input} }\nagents: [{ name: a, type: script, command: 'false' }]\n`,
    );
    writeFileSync(
      join(folder, "inside/takes-it.yaml"),
      `workflow: { name: s, entry_point: a, ${input} }\nagents: [{ name: a, type: script, command: sh, args: [-c, "echo {{ workflow.input.key }} > taken"] }]\n`,
    );
    const given = { file: "outside/secretive.yaml", inputs: { key: "hunter2-very-secret" } };
    const { run_id } = (await free.call("workflow_run", given)).object;
    const { object } = await bound.call("run_resume", { run_id, file: "takes-it.yaml" });
    expect(object.errors[0].error_type).toBe("OutsideRoot");
    expect(existsSync(join(folder, "inside/taken"))).toBe(false);
  });
});

/** One server for all cases with these arguments: to start one costs more than what they ask of it. */
const servers = new Map<string, Promise<Connected>>();
afterAll(async () => {
  for (const server of servers.values()) await (await server).close();
});
function shared(...args: readonly string[]): Promise<Connected> {
  const server = servers.get(args.join(" ")) ?? connect("stdio", { args, isInside: true });
  servers.set(args.join(" "), server);
  return server;
}

describe("a gate that waits", () => {
  const asks = (gate: string): string =>
    `workflow: { name: asks, entry_point: a }\nagents:\n  - ${gate}\n  - { name: b, type: script, command: touch, args: [shipped] }\n`;
  const GATE = "{ name: a, type: human_gate, prompt: Ship?, options: [{ label: Y, value: y, route: b }] }";
  const OTHER = "{ name: a, type: human_gate, prompt: Wait?, options: [{ label: Y, value: y, route: b }] }";
  const GONE = "{ name: a, type: set, value: y, routes: [{ to: b }] }";

  it.each([
    ["gone", "a.yaml", GONE],
    ["changed", "a.yaml", OTHER],
    ["gone from another file", "other.yaml", GONE],
  ])("is not passed by a resume with a file in which it is %s", async (_, edited, gate) => {
    const one = await shared();
    one.write("a.yaml", asks(GATE));
    const { run_id, status } = (await one.call("workflow_run", { file: "a.yaml" })).object;
    expect(status).toBe("paused");
    one.write(edited, asks(gate));
    const { object } = await one.call("run_resume", { run_id, ...(edited === "a.yaml" ? {} : { file: edited }) });
    expect(object.errors[0]).toMatchObject({ error_type: "GateChanged", message: expect.stringContaining("gate a") });
    expect(existsSync(join(one.folder, "shipped"))).toBe(false);
    // As it was, it asks again.
    one.write("a.yaml", asks(GATE));
    expect((await one.call("run_resume", { run_id })).object.status).toBe("paused");
  });

  const PAYS = `workflow: { name: pays, entry_point: a, input: { amount: { type: number }, to: { type: string, default: bob } } }
agents:
  - { name: a, type: set, value: "{{ workflow.input.amount }}", routes: [{ to: g, when: "{{ a.output > 100 }}" }, { to: pay }] }
  - { name: g, type: human_gate, prompt: "pay?", options: [{ label: Y, value: y, route: pay }] }
  - { name: pay, type: script, command: sh, args: [-c, 'echo "{{ workflow.input.to }}" > paid'] }
`;
  it.each([
    ["inputs that lead past it", PAYS, { inputs: { amount: 5 } }, "amount cannot be changed"],
    ["inputs that it did not ask about", PAYS, { inputs: { to: "mallory" } }, "to cannot be changed"],
    [
      "another route before it",
      PAYS.replace(/routes: \[.*\] \}\n {2}- \{ name: g/, "routes: [{ to: pay }] }\n  - { name: g"),
      {},
      "another way",
    ],
    ["another first step", PAYS.replace("entry_point: a", "entry_point: pay"), {}, "another way"],
    [
      "another step before it",
      PAYS.replace("workflow.input.amount }}", "workflow.input.amount + 1 }}"),
      {},
      "would run again",
    ],
  ])("is not passed by a resume with %s", async (_, edited, given, why) => {
    const one = await shared();
    one.write("a.yaml", PAYS);
    const { run_id, status } = (await one.call("workflow_run", { file: "a.yaml", inputs: { amount: 500 } })).object;
    expect(status).toBe("paused");
    one.write("a.yaml", edited);
    const { object } = await one.call("run_resume", { run_id, ...given });
    expect(object.errors[0]?.message).toContain(why);
    expect(existsSync(join(one.folder, "paid"))).toBe(false);
    one.write("a.yaml", PAYS);
    // What it asked about may be said again.
    expect((await one.call("run_resume", { run_id, inputs: { amount: 500 } })).object.status).toBe("paused");
  });

  it("in an item is not passed by a list that has become empty", async () => {
    const each = (list: string): string => `workflow: { name: each, entry_point: f }
agents:
  - { name: pay, type: script, command: touch, args: [paid] }
for_each:
  - { name: f, type: for_each, source: "${list}", as: x, agent: { name: g, type: human_gate, prompt: "{{ x }}?", options: [{ label: Y, value: y }] }, routes: [{ to: pay }] }
`;
    const one = await shared();
    one.write("a.yaml", each("{{ ['eu', 'us'] }}"));
    const { run_id, status } = (await one.call("workflow_run", { file: "a.yaml" })).object;
    expect(status).toBe("paused");
    one.write("a.yaml", each("{{ [] }}"));
    // By a process of its own, which is told as little.
    const resumed = async () => (await one.call("run_resume", { run_id, detach: true })).object;
    expect((await resumed()).errors[0]).toMatchObject({ error_type: "GateChanged" });
    expect(existsSync(join(one.folder, "paid"))).toBe(false);
    one.write("a.yaml", each("{{ ['eu', 'us'] }}"));
    expect((await resumed()).status).toBe("paused");
  });

  it("may be edited away by a server that may answer it", async () => {
    const one = await shared("--allow-gate-answers");
    one.write("a.yaml", asks(GATE));
    const { run_id } = (await one.call("workflow_run", { file: "a.yaml" })).object;
    one.write("a.yaml", asks(GONE));
    expect((await one.call("run_resume", { run_id })).object.status).toBe("completed");
  });
});

it("a pipe that is named like a workflow does not hold the server up", async () => {
  const folder = house();
  execFileSync("mkfifo", [join(folder, "inside/pipe.yaml")]);
  const one = await connect("stdio", { folder, args: ["--root", "inside"] });
  open.push(one);
  for (const tool of ["workflow_validate", "workflow_describe", "workflow_run"])
    expect((await one.call(tool, { file: "pipe.yaml" })).isError).toBe(true);
  const listed = (await one.call("workflow_list")).object.workflows;
  expect(listed.map((each: { file: string }) => each.file)).not.toContain("pipe.yaml");
});

describe("over HTTP", () => {
  const ask = (url: string, headers: Record<string, string>): Promise<number> =>
    new Promise((done, fail) => {
      const sent = request(
        url,
        { method: "POST", headers: { "content-type": "application/json", ...headers } },
        (answer) => {
          answer.resume();
          done(answer.statusCode ?? 0);
        },
      );
      sent.once("error", fail);
      sent.end("{}");
    });

  it("needs the token, a Host and an Origin that are ours", async () => {
    const folder = house();
    const server = await startHttp([], folder, { PATH: process.env.PATH ?? "", SEGNO_HOME: join(folder, ".home") });
    try {
      const authorization = `Bearer ${server.token}`;
      expect(await ask(server.url, {})).toBe(401);
      expect(await ask(server.url, { authorization: "Bearer wrong" })).toBe(401);
      expect(await ask(server.url, { authorization, host: "evil.example" })).toBe(403);
      expect(await ask(server.url, { authorization, origin: "http://evil.example" })).toBe(403);
      expect(await ask(server.url.replace("/mcp", "/other"), { authorization })).toBe(404);
      expect(await ask(server.url, { authorization, "mcp-session-id": "gone" })).toBe(404);
      // Let in, and then told that this is no message.
      expect(await ask(server.url, { authorization, accept: "application/json, text/event-stream" })).toBe(400);
    } finally {
      await server.end();
    }
  });

  describe("for certain people", () => {
    const asking = (rule: string, rest = "[{ label: Y, value: y, route: pay }]"): string =>
      `workflow: { name: guarded, entry_point: before, input: { amount: { type: number, default: 1 } } }
agents:
  - { name: before, type: set, value: "{{ workflow.input.amount }}", routes: [{ to: g }] }
  - { name: g, type: human_gate, prompt: go?, ${rule}, options: ${rest} }
  - { name: pay, type: script, command: touch, args: [paid] }
`;
    const passed = asking("x", "")
      .replace(/ {2}- \{ name: g.*\n/, "")
      .replace("[{ to: g }]", "[{ to: pay }]");

    it.each([
      ["approvers: [alex@elsewhere]", []],
      ["approvers: [alex@elsewhere]", ["--allow-gate-answers"]],
      ["four_eyes: true", ["--allow-gate-answers"]],
    ])("holds an agent after the run was cancelled there (%s, %j)", async (rule, args) => {
      const one = await shared(...args);
      one.write("a.yaml", asking(rule));
      const { run_id, status } = (await one.call("workflow_run", { file: "a.yaml" })).object;
      expect(status).toBe("paused");
      expect((await one.call("run_cancel", { run_id })).object.status).toBe("cancelled");
      const resumed = async (given: object = {}) => (await one.call("run_resume", { run_id, ...given })).object;
      one.write("a.yaml", passed);
      expect((await resumed()).errors[0]).toMatchObject({ error_type: "GateChanged" });
      one.write("a.yaml", asking(rule));
      expect((await resumed({ inputs: { amount: 2 } })).errors[0]).toMatchObject({ error_type: "GateWaits" });
      expect(await resumed()).toMatchObject({ status: "paused", gate: { node_id: "g" } });
      expect(existsSync(join(one.folder, "paid"))).toBe(false);
    });

    it("is not answered by an agent that may answer others", async () => {
      const one = await shared("--allow-gate-answers");
      one.write("a.yaml", asking("approvers: [alex@elsewhere]"));
      const { run_id } = (await one.call("workflow_run", { file: "a.yaml" })).object;
      expect((await one.call("gate_list")).text).toContain("only alex@elsewhere may answer");
      const answer = await one.call("gate_answer", { run_id, value: "y" });
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("those who may are people") });
      expect(existsSync(join(one.folder, "paid"))).toBe(false);
    });
  });
});

// `segno repair` with a model that speaks the real wire format: what it fixes, what it refuses, and what it leaves as it was.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Answers, type Fake, startAnthropicFake } from "../../../../test/fakes/index.ts";
import { begin } from "../../../../test/support/command-line.ts";
import { createSegno } from "../../../frontends/library/client/segno.ts";
import type { DriveListeners } from "../../../services/request.ts";
import { runWorkflow } from "../../../services/runs/run.ts";
import { type RepairAnswer, type RepairRequest, repairRun } from "../repair/repair.ts";
import { type RepairAllRequest, repairAll } from "../repair/repair-all.ts";

let folder: string;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-repair-"));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string): string => join(folder, name);
const read = (name = "flow.yaml"): string => readFileSync(path(name), "utf8");
const backups = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".bak"));

interface Bench {
  readonly failed: Awaited<ReturnType<typeof runWorkflow>>;
  readonly fake: Fake;
  repair(options?: Partial<RepairRequest & DriveListeners>): Promise<RepairAnswer>;
  /** One more run, with this input. */
  again(inputs: Readonly<Record<string, string>>, file?: string): Promise<string>;
  all(options?: Partial<RepairAllRequest & DriveListeners>): ReturnType<typeof repairAll>;
}

/** Runs a file that fails, and has a model at hand whose answers are given; a text is the changed file. */
async function bench(files: string | Record<string, string>, answers: Answers | readonly string[]): Promise<Bench> {
  const written = typeof files === "string" ? { "flow.yaml": files } : files;
  for (const [name, text] of Object.entries(written)) writeFileSync(path(name), text);
  const given = Array.isArray(answers)
    ? answers.map((one) => (typeof one === "string" ? { json: { explanation: "Put right.", file: one } } : one))
    : (answers as Answers);
  const fake = await startAnthropicFake({ answers: given });
  closing.push(() => fake.close());
  const env = {
    PATH: process.env.PATH,
    ANTHROPIC_API_KEY: "sk-ant-very-secret-key",
    ANTHROPIC_BASE_URL: fake.url,
    SEGNO_PROVIDER: "anthropic",
    DEPLOY_TOKEN: "tok-0123456789",
  };
  const session = { cwd: folder, env, home: path("home") };
  const failed = await runWorkflow(session, { file: "flow.yaml", inputs: {} });
  expect(failed.status).toBe("failed");
  const repair = (options: Partial<RepairRequest & DriveListeners> = {}) =>
    repairRun(session, { run: failed.run_id ?? "", yes: true, ...options }, options);
  const again = async (inputs: Readonly<Record<string, string>>, file = "flow.yaml") => {
    const given = Object.fromEntries(Object.entries(inputs).map(([name, text]) => [name, { text }]));
    return (await runWorkflow(session, { file, inputs: given })).run_id ?? "";
  };
  const all = (options: Partial<RepairAllRequest & DriveListeners> = {}) =>
    repairAll(session, { kind: "internal.*", yes: true, ...options }, options);
  return { failed, fake, repair, again, all };
}

const TEMPLATE = `# A comment that stays.
workflow: { name: notes, entry_point: fetch }
agents:
  - name: fetch
    type: script
    command: sh
    args: ["-c", "echo x >> count; echo '{\\"title\\": \\"Release\\"}'"]
    routes: [{ to: write }]

  # Writes it down.
  - name: write
    type: set
    value: "{{ fetch.output.titel }}"
output:
  title: "{{ write.output }}"
`;
const FIXED = TEMPLATE.replace("titel", "title");
/** A person who looks at each change and agrees. */
const agreeing: Partial<RepairRequest & DriveListeners> = {
  yes: false,
  ask: async () => ({ kind: "gate", value: "yes", additional_input: {}, by: "terminal" }),
};

describe("segno repair fixes", () => {
  it("a template error, runs nothing twice, and keeps a backup", async () => {
    const { repair, fake } = await bench(TEMPLATE, [FIXED]);
    const answer = await repair();
    expect(answer).toMatchObject({
      status: "completed",
      output: { title: "Release" },
      repair: { fixed: true, attempts: [{ node_id: "write", kind: "internal.template_error", verdict: "written" }] },
    });
    expect(answer.execution?.steps).toMatchObject([{ cached: true }, { repaired: true }]);
    expect([read(), read("flow.yaml.bak"), read("count")]).toEqual([FIXED, TEMPLATE, "x\n"]);
    expect(answer.repair?.backups).toEqual([path("flow.yaml.bak")]);
    const [request] = fake.requests;
    for (const part of ["titel", "fetch.output.title: string", "internal.template_error", "step `write`"])
      expect(request?.prompt).toContain(part);
  });

  it("a bad schema", async () => {
    const text = `
workflow: { name: count, entry_point: measure }
agents:
  - name: measure
    type: script
    command: echo
    args: ['{"size": 3}']
    output:
      size: { type: string }
output: { size: "{{ measure.output.size }}" }
`;
    const { repair } = await bench(text, [text.replace("type: string", "type: number")]);
    expect(await repair(agreeing)).toMatchObject({ status: "completed", output: { size: 3 }, repair: { fixed: true } });
  });

  it("a wrong HTTP body, from what the server said", async () => {
    const bodies: unknown[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const sent = JSON.parse(body) as { title?: string };
      bodies.push(sent);
      response.writeHead(sent.title ? 201 : 400, { "content-type": "application/json" });
      response.end(JSON.stringify(sent.title ? { id: 7 } : { message: "Field 'title' required" }));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    closing.push(() => server.close());
    const text = `
workflow: { name: issue, entry_point: create }
agents:
  - name: create
    type: http
    method: POST
    url: http://127.0.0.1:${(server.address() as AddressInfo).port}/issues
    body:
      name: Broken
output: { id: "{{ create.output.body.id }}" }
`;
    const { repair, fake } = await bench(text, [text.replace("name: Broken", "title: Broken")]);
    expect(await repair(agreeing)).toMatchObject({ status: "completed", output: { id: 7 }, repair: { fixed: true } });
    expect(bodies).toEqual([{ name: "Broken" }, { title: "Broken" }]);
    expect(fake.requests[0]?.prompt).toContain("Field 'title' required");
  });

  it("a step of a sub-workflow, in its own file", async () => {
    const child = TEMPLATE.replace("name: notes", "name: child");
    const files = {
      "flow.yaml":
        'workflow: { name: top, entry_point: call }\nagents: [{ name: call, type: workflow, workflow: child.yaml }]\noutput: { t: "{{ call.output.title }}" }\n',
      "child.yaml": child,
    };
    const { repair } = await bench(files, [child.replace("titel", "title")]);
    expect(await repair()).toMatchObject({ status: "completed", output: { t: "Release" } });
    expect(read("child.yaml.bak")).toBe(child);
    expect(read()).toBe(files["flow.yaml"]);
  });

  it("the workflow's own output, and one error after the other", async () => {
    const twice = TEMPLATE.replace("{{ write.output }}", "{{ fetch.output.headline }}");
    const first = twice.replace("titel", "title");
    const { repair } = await bench(twice, [first, first.replace("headline", "title")]);
    expect(await repair(agreeing)).toMatchObject({
      status: "completed",
      repair: { fixed: true, attempts: [{ node_id: "write" }, { node_id: null }] },
    });
    expect(read("flow.yaml.bak")).toBe(twice);
    expect(backups()).toEqual(["flow.yaml.bak"]);
  });
});

describe("segno repair leaves the file as it was", () => {
  const unchanged = (answer: RepairAnswer, before = TEMPLATE): void => {
    expect(answer).toMatchObject({ status: "failed", exit_code: 3, repair: { fixed: false } });
    expect([read(), backups()]).toEqual([before, []]);
  };

  it("when the change would not help, which is known before it is written", async () => {
    const useless = TEMPLATE.replace("    type: set\n", "    type: set\n    description: better now\n");
    const { repair, fake } = await bench(TEMPLATE, [useless, TEMPLATE.replace("titel", "tittle"), FIXED]);
    const answer = await repair({ ...agreeing, attempts: 2 });
    unchanged(answer);
    expect(answer.repair?.attempts).toMatchObject([
      { verdict: "refused", reason: expect.stringMatching(/would still have ended as failed/) },
      { verdict: "refused", proof: [{ check: "file" }, { holds: true }, { check: "failure", holds: false }, {}, {}] },
    ]);
    expect(fake.requests).toHaveLength(2);
  });

  it("when a scenario would fail, or a run that ended well would not", async () => {
    const scenario = `workflow: flow.yaml
cli_scripts: [{ step: fetch, stdout: { title: T } }]
expected_trace: { agents_executed: [fetch, write], status: completed, output: { title: T } }
`;
    const wrong = TEMPLATE.replace("titel", "title | upper").replace("{{ write.output }}", "{{ write.output }}!");
    const { repair } = await bench({ "flow.yaml": TEMPLATE, "t.scenario.yaml": scenario }, [wrong, FIXED]);
    const answer = await repair(agreeing);
    expect(answer.repair?.attempts).toMatchObject([
      { verdict: "refused", reason: "1 of 1 scenarios fail: t" },
      {
        verdict: "written",
        proof: [
          { check: "file", holds: true, said: "it is valid", command: "segno validate flow.yaml" },
          { check: "errors", holds: true, said: "no error is newly unhandled" },
          { check: "failure", holds: true, said: expect.stringMatching(/would have ended as completed/) },
          { check: "scenarios", holds: true, said: "1 of 1 scenarios pass", command: "segno test ." },
          { check: "backtest", holds: true, said: "there are no other runs of this file" },
        ],
      },
    ]);
  });

  it("unless scenarios that end after a step, or set values, pass with the change", async () => {
    const answers = "workflow: flow.yaml\ncli_scripts: [{ step: fetch, stdout: { title: T } }]\n";
    const scenarios = {
      "until.scenario.yaml": `${answers}until: write\nexpected_trace: { status: completed, output: { result: T } }\n`,
      "set.scenario.yaml": `${answers}set: { output.title: "{{ write.output }}!" }\nexpected_trace: { output: { title: T! } }\n`,
    };
    const { repair } = await bench({ "flow.yaml": TEMPLATE, ...scenarios }, [FIXED]);
    const answer = await repair();
    expect(answer.repair?.attempts[0]?.proof?.[3]).toMatchObject({ holds: true, said: "2 of 2 scenarios pass" });
    expect(answer.repair?.fixed).toBe(true);
  });

  it.each([
    ["is not valid", TEMPLATE.replace("{{ fetch.output.titel }}", "{{ fetch.output. }}"), "not valid"],
    ["is no YAML", "agents: [", "not valid"],
    ["changes nothing", TEMPLATE, "changes nothing"],
    ["changes another step", FIXED.replace("to: write }", "to: write, when: 'true' }"), "more than the step `write`"],
    ["changes a comment elsewhere", FIXED.replace("# A comment", "# No comment"), "more than the step `write`"],
    ["adds a step", FIXED.replace("output:\n", "  - { name: more, type: set, value: x }\noutput:\n"), "more than"],
    [
      "renames the step",
      FIXED.replace("name: write", "name: wrote")
        .replace("to: write", "to: wrote")
        .replace("write.output", "wrote.output"),
      "renames",
    ],
    [
      "changes its type",
      FIXED.replace("    type: set\n", "    type: script\n    command: id\n").replace(/ {4}value.*\n/, ""),
      "`type`",
    ],
    [
      "reads another secret",
      FIXED.replace("fetch.output.title }}", "fetch.output.title }}${DEPLOY_TOKEN}"),
      "DEPLOY_TOKEN",
    ],
    ["takes in another file", FIXED.replace('"{{ fetch.output.title }}"', "!file count"), "takes in"],
  ])("when the answer %s", async (_, file, reason) => {
    const { repair, fake } = await bench(TEMPLATE, [file]);
    const answer = await repair({ attempts: 2 });
    unchanged(answer);
    expect(answer.repair?.attempts).toMatchObject([{ verdict: "refused" }, { verdict: "refused" }]);
    expect(answer.repair?.attempts[0]?.reason).toContain(reason);
    // The model hears why, and may do better.
    expect(fake.requests[1]?.prompt).toContain("could not be used");
  });

  it.each([
    "command: echo",
    "args: [hi]",
    "env: { A: b }",
    "working_dir: /",
    "routes: [{ to: $end }]",
    "raise_when: []",
  ])("when the answer changes %s of the failing step and nobody looks", async (field) => {
    const [key = ""] = field.split(":");
    const text = `
workflow: { name: script, entry_point: go }
agents:
  - name: go
    type: script
    command: "false"
    raises: [a.b]
`;
    const other =
      key === "command"
        ? text.replace('command: "false"', field)
        : text.replace("    raises", `    ${field}\n    raises`);
    const { repair } = await bench(text, [other]);
    const answer = await repair({ attempts: 1 });
    unchanged(answer, text);
    expect(answer.repair?.attempts[0]?.reason).toContain(`\`${key}\``);
  });

  it("when the model cannot be reached, or sees nothing to change", async () => {
    const { repair } = await bench(TEMPLATE, [
      { status: 401 },
      { json: { explanation: "It is the server.", file: "" } },
    ]);
    const refused = await repair();
    unchanged(refused);
    expect(refused.repair?.reason).toContain("the model could not be asked");
    expect((await repair()).repair?.reason).toContain("It is the server.");
  });

  it("when nobody can be asked, or the person declines", async () => {
    const { repair, fake } = await bench(TEMPLATE, [FIXED]);
    expect((await repair({ yes: false })).repair?.reason).toContain("no one can be asked");
    expect(fake.requests).toHaveLength(0);
    const declined = await repair({
      yes: false,
      ask: async () => ({ kind: "gate", value: "no", additional_input: {}, by: "terminal" }),
    });
    unchanged(declined);
    expect(declined.repair?.reason).toBe("the change was declined");
  });

  it("when there is nothing that a change of the file helps", async () => {
    const text =
      "workflow: { name: net, entry_point: get }\nagents: [{ name: get, type: http, url: 'http://127.0.0.1:1/' }]\n";
    const { repair, fake } = await bench(text, [text]);
    expect(await repair()).toMatchObject({ success: false, exit_code: 2 });
    expect(fake.requests).toHaveLength(0);
  });
});

it("a person may let more change than the failing step", async () => {
  const wide = FIXED.replace("# A comment that stays.", "# Mended.");
  const { repair } = await bench(TEMPLATE, [wide]);
  const asked: string[] = [];
  const answer = await repair({
    yes: false,
    ask: async (question) => {
      asked.push(question.prompt ?? "");
      return { kind: "gate", value: "yes", additional_input: {}, by: "terminal" };
    },
  });
  expect(answer).toMatchObject({ status: "completed", repair: { fixed: true } });
  expect(asked[0]).toContain("flow.yaml");
  expect(read()).toBe(wide);
});

it("secrets are not sent, and come back into the file where they were", async () => {
  const secret = TEMPLATE.replace(
    "    type: set\n",
    '    type: set\n    description: "token tok-0123456789"\n',
  ).replace(
    "workflow: { name: notes, entry_point: fetch }",
    "workflow:\n  name: notes\n  entry_point: fetch\n  metadata:\n    password: hunter22",
  );
  const { repair, fake } = await bench(secret, ({ prompt }) => ({
    json: { explanation: "", file: (prompt.split("The file:\n")[1] ?? "").replace("titel", "title") },
  }));
  expect(await repair()).toMatchObject({ status: "completed" });
  const sent = JSON.stringify(fake.requests[0]?.body);
  expect(sent).not.toMatch(/tok-0123456789|hunter22/);
  expect(read()).toBe(secret.replace("titel", "title"));
  expect(existsSync(path("flow.yaml.bak"))).toBe(true);
});

describe("segno repair --all", () => {
  /** `missing: yes` leaves the title out: the change does not help such a run. */
  const NIGHT = TEMPLATE.replace(
    "entry_point: fetch }",
    "entry_point: fetch, input: { missing: { type: string, default: no } } }",
  ).replace(
    'args: ["-c", "echo x >> count; echo \'{\\"title\\": \\"Release\\"}\'"]',
    `args: ["-c", "echo x >> count; [ $0 = yes ] && echo '{}' || echo '{\\"title\\": \\"Release\\"}'", "{{ workflow.input.missing }}"]`,
  );

  it("lists the open runs of a kind, and does nothing", async () => {
    const { failed, again, all, fake } = await bench(NIGHT, []);
    const other = await again({});
    const answer = await all();
    expect(answer).toMatchObject({ exit_code: 0, repairs: [] });
    expect(answer.runs).toEqual(
      [other, failed.run_id].map((run_id) => ({
        run_id,
        file: "flow.yaml",
        node_id: "write",
        kind: "internal.template_error",
        outcome: "open",
        status: "failed",
        reason: null,
      })),
    );
    expect(fake.requests).toHaveLength(0);
    expect(await all({ kind: "http.*" })).toMatchObject({
      exit_code: 0,
      runs: [],
      warnings: [
        { message: expect.stringContaining("failed with http.*; there are open runs that failed with internal.") },
      ],
    });
  });

  it("makes one proposal for a step, and resumes each run that gets past its failure with it", async () => {
    const { failed, again, all, fake } = await bench(NIGHT, [NIGHT.replace("titel", "title")]);
    const without = await again({ missing: "yes" });
    const newest = await again({});
    const seen: string[] = [];
    const answer = await all({ resume: true, onRun: ({ run_id }) => seen.push(run_id) });
    expect(answer.runs.map(({ run_id, outcome, status }) => [run_id, outcome, status])).toEqual([
      [newest, "resumed", "completed"],
      [without, "not_resumed", "failed"],
      [failed.run_id, "resumed", "completed"],
    ]);
    expect(answer.runs[1]?.reason).toContain("with the change it would still have ended as failed");
    expect(answer).toMatchObject({
      exit_code: 1,
      error: "1 of 3 runs are still failed",
      repairs: [{ run_id: newest, fixed: true, attempts: [{ verdict: "written" }] }],
    });
    const line = answer.repairs[0]?.attempts[0]?.proof?.find(({ check }) => check === "failure");
    expect(line?.said).toContain(`so do 1 of 2 other runs with this failure, but not ${without}`);
    expect(line?.command).toBe(`segno backtest flow.yaml ${newest} ${without} ${failed.run_id}`);
    expect([fake.requests.length, seen.length, read("count")]).toEqual([1, 3, "x\nx\nx\n"]);
    expect((await all()).runs.map(({ run_id }) => run_id)).toEqual([without]);
  });

  it("takes runs with the same failure for no witness against the change, and plays them unheard", async () => {
    const asks = NIGHT.replace(/type: set\n {4}value: (.*)/, "type: script\n    command: echo\n    args: [$1]");
    expect(asks).toContain("args: [");
    const { failed, again, all } = await bench(asks, [asks.replace("titel", "title")]);
    const newest = await again({});
    const heard: string[] = [];
    const answer = await all({ resume: true, on: ({ type }) => heard.push(type) });
    expect(answer.runs.map(({ run_id, outcome, status }) => [run_id, outcome, status])).toEqual([
      [newest, "resumed", "completed"],
      [failed.run_id, "resumed", "completed"],
    ]);
    const line = answer.repairs[0]?.attempts[0]?.proof?.find(({ check }) => check === "backtest");
    expect(line).toMatchObject({ holds: true, said: expect.stringContaining("1 of them past the same failure") });
    expect(heard.filter((type) => type === "workflow_started")).toEqual([]);
  });

  it("repairs each file by itself, and says of every run why it was not resumed", async () => {
    const twin = NIGHT.replace("name: notes", "name: twin");
    const { failed, again, all, fake } = await bench({ "flow.yaml": NIGHT, "twin.yaml": twin }, [
      twin.replace("titel", "title"),
      NIGHT.replace("titel", "tittle"),
    ]);
    const older = await again({});
    const [first, second] = [await again({}, "twin.yaml"), await again({}, "twin.yaml")];
    const answer = await all({ resume: true, attempts: 1 });
    expect(answer.runs.map(({ run_id, file, outcome }) => [run_id, file, outcome])).toEqual([
      [second, "twin.yaml", "resumed"],
      [first, "twin.yaml", "resumed"],
      [older, "flow.yaml", "not_resumed"],
      [failed.run_id, "flow.yaml", "not_resumed"],
    ]);
    expect(answer.runs[3]?.reason).toBe(`not repaired, as ${older}: one attempt was not enough`);
    expect([read(), read("twin.yaml"), fake.requests.length]).toEqual([NIGHT, twin.replace("titel", "title"), 2]);
  });

  it("leaves the proof of every proposal, and is there for a program too", async () => {
    const twin = NIGHT.replace("name: notes", "name: twin");
    const { again, fake } = await bench({ "flow.yaml": NIGHT, "twin.yaml": twin }, [
      ...[twin.replace("titel", "tittle"), twin.replace("titel", "title"), NIGHT.replace("titel", "title")],
    ]);
    await again({}, "twin.yaml");
    const env = {
      PATH: process.env.PATH,
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: fake.url,
      SEGNO_PROVIDER: "anthropic",
    };
    const segno = createSegno({ store: path("home"), cwd: folder, env });
    const { runs } = await segno.runs.repairAll("internal.*");
    expect(runs.map(({ file, nodeId, outcome }) => [file, nodeId, outcome])).toEqual([
      ["twin.yaml", "write", "open"],
      ["flow.yaml", "write", "open"],
    ]);
    expect(await segno.runs.repairAll("internal.*", { resume: true })).toMatchObject({
      success: false,
      error: expect.stringContaining("no one can be asked"),
    });
    const { code } = await begin(
      ["repair", "--all", "internal.*", "--resume", "--yes", "--attempts", "2", "--proof", "proof.md"],
      { cwd: folder, env: { ...env, SEGNO_HOME: path("home") } },
    ).ended.then((ended) => ({ code: ended }));
    expect([code, fake.requests.length]).toEqual([0, 3]);
    const headings = read("proof.md")
      .split("\n")
      .filter((line) => line.startsWith("## "));
    expect(headings).toEqual([
      "## write, internal.template_error: written to twin.yaml",
      "## write, internal.template_error: written to flow.yaml",
    ]);
    expect(read("proof.md").match(/^\| backtest \|/gm)).toHaveLength(2);
  });

  it("asks once for all runs of a step, and needs somebody to ask", async () => {
    const { again, all, fake } = await bench(NIGHT, [NIGHT.replace("titel", "title")]);
    await again({});
    expect(await all({ resume: true, yes: false })).toMatchObject({ exit_code: 2, runs: [] });
    expect(fake.requests).toHaveLength(0);
    const asked: string[] = [];
    const declined = await all({
      resume: true,
      yes: false,
      ask: async (question) => {
        asked.push(question.prompt ?? "");
        return { kind: "gate", value: "no", additional_input: {}, by: "terminal" };
      },
    });
    expect(asked).toEqual([expect.stringContaining("and resume all runs that get past this failure?")]);
    expect(declined.runs.map(({ outcome }) => outcome)).toEqual(["not_resumed", "not_resumed"]);
    expect(read()).toBe(NIGHT);
  });
});

// Gates that wait for certain people, and not for ever: as somebody at a terminal has it.
import { hostname, userInfo } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { later } from "../support/later.ts";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

const me = `${userInfo().username}@${hostname()}`;
const gate = (more: string): string => `
workflow: { name: ship, entry_point: approve }
agents:
  - name: approve
    type: human_gate
    prompt: Ship it?
    options:
      - { label: "Yes", value: "yes", route: $end }
      - { label: "No", value: "no", route: $end }
    ${more}
output: { chosen: "{{ approve.output.selected }}" }
`;
const runOf = (text: string): string => JSON.parse(text).run_id as string;

it("people who are notified get a link to the page that the project or the environment names", async () => {
  const notify = 'notify: { command: sh, args: [-c, "cat > told.json"] }';
  const work = new Workshop({ "segno.yaml": "page: https://segno.example.com/\n", "ship.yaml": gate(notify) });
  const run = runOf((await work.segno("run", "ship.yaml", "--output-format", "json")).stdout);
  expect(JSON.parse(work.read("told.json"))).toMatchObject({ link: `https://segno.example.com/runs/${run}` });
  await work.in(".", { SEGNO_PAGE_URL: "https://other.example.com" }, "run", "ship.yaml");
  expect(JSON.parse(work.read("told.json")).link).toMatch(/^https:\/\/other\.example\.com\/runs\//);
  work.write("segno.yaml", "page: segno.example.com\n");
  expect((await work.segno("validate", "segno.yaml")).stdout).toContain("begins with http:// or https://");
});

describe("approvers", () => {
  const project = `
people: { alex: { user: "${me}" }, sam: { token: "\${SAM_TOKEN:-}" } }
groups: { release: [alex], security: [sam] }
`;

  it("are people of the project, by their user on this machine, and the answer carries their name", async () => {
    const work = new Workshop({ "segno.yaml": project, "ship.yaml": gate('approvers: ["@release"]') });
    const run = runOf((await work.segno("run", "ship.yaml", "--output-format", "json")).stdout);
    expect((await work.segno("gate", "list", "--output-format", "json")).stdout).toContain('"alex"');
    expect(await work.segno("gate", "answer", run, "yes")).toMatchObject({ code: 0 });
    const events = (await work.segno("events", run, "--output-format", "ndjson")).stdout;
    expect(events).toContain('"answered_by":"alex"');
    expect(events).toContain('"started_by":"alex"');
  });

  it("are nobody else, whoever they say they are", async () => {
    const work = new Workshop({ "segno.yaml": project, "ship.yaml": gate('approvers: ["@security"]') });
    const run = runOf((await work.segno("run", "ship.yaml", "--output-format", "json")).stdout);
    const refused = await work.segno("gate", "answer", run, "yes", "--as", "sam");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("alex is not one of the approvers: sam");
    expect((await work.segno("run", "ship.yaml", "--skip-gates")).code).toBe(4);
  });

  it("with four_eyes are not whoever started the run", async () => {
    const work = new Workshop({ "segno.yaml": project, "ship.yaml": gate("four_eyes: true") });
    const run = runOf((await work.segno("run", "ship.yaml", "--output-format", "json")).stdout);
    expect((await work.segno("gate", "answer", run, "yes")).stderr).toContain("alex started the run");
  });

  it("are those of the run's own project, wherever somebody stands who answers, starts or resumes it", async () => {
    const work = new Workshop({
      "real/segno.yaml": `people: { alex: { user: alex@elsewhere } }`,
      "real/ship.yaml": gate("approvers: [alex]\n    four_eyes: true"),
      "evil/segno.yaml": `people: { alex: { user: "${me}" } }`,
    });
    const run = runOf((await work.in("real", {}, "run", "ship.yaml", "--output-format", "json")).stdout);
    expect(await work.in("evil", {}, "gate", "answer", run, "yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${me} is not one of the approvers: alex`),
    });
    const other = runOf((await work.in("evil", {}, "run", "../real/ship.yaml", "--output-format", "json")).stdout);
    await work.in("evil", {}, "resume", other);
    const events = (await work.in("real", {}, "events", other, "--output-format", "ndjson")).stdout;
    expect(events).toContain(`"started_by":"${me}"`);
    expect(events).toContain(`"by":"${me}"`);
  });

  it("sign in at a server only when the project is trusted, and with a token that nobody guesses", async () => {
    const tokens = (token: string): string => `people: { eve: { token: "${token}" } }`;
    const work = new Workshop({ "segno.yaml": tokens("a-token-that-is-long"), "ship.yaml": gate("four_eyes: true") });
    expect((await work.segno("gate", "list")).stderr).toContain("not trusted, so this is left out: tokens of people");
    const trusted = await work.segno("trust", "--yes");
    expect(trusted.stdout).toMatch(/sign in at a server[\s\S]*eve/);
    expect((await work.segno("gate", "list")).stderr).not.toContain("tokens of people");
    work.write("segno.yaml", tokens("short"));
    const weak = await work.segno("validate", "segno.yaml");
    expect(weak).toMatchObject({ code: 2, stdout: expect.stringContaining("16 characters or more") });
    expect(weak.stdout + weak.stderr).not.toContain("`short`");
  });

  it.each([
    ["a token that is too short", 'people: { al: { token: "${AL_TOKEN}" } }'],
    ["a token in the place of its digest", 'people: { al: { token_sha256: "${AL_TOKEN}" } }'],
    ["a token in the place of a person", 'people: { al: "${AL_TOKEN}" }'],
    ["a token that the file itself has", "people: { al: { token: hunter2secret } }"],
  ])("are told what is wrong with %s, and nobody is shown it", async (_, text) => {
    const work = new Workshop({ "segno.yaml": text });
    for (const command of [["runs"], ["validate", "segno.yaml"]]) {
      const { code, stdout, stderr } = await work.in(".", { AL_TOKEN: "hunter2secret" }, ...command);
      expect({ code, said: stdout + stderr }).toMatchObject({ code: 2, said: expect.stringContaining("`people.al") });
      expect(stdout + stderr).not.toMatch(/(the text|quot).*hunter2secret/);
    }
  });

  it("have tokens that no script and no notify command is handed, wherever the run is started", async () => {
    const work = new Workshop({
      "segno.yaml": `
people: { kim: { token: "\${KIM_TOKEN}" }, sam: { token_sha256: "\${SAM_DIGEST:-${"0".repeat(64)}}" } }
triggers: triggers.yaml
`,
      "triggers.yaml": `triggers: [{ name: pushed, workflow: flows/look.yaml, webhook: { path: /hooks/x, secret: \${HOOK_SECRET}, verify: token } }]`,
      "flows/look.yaml": `
workflow: { name: look, entry_point: look }
agents:
  - { name: look, type: script, command: env, routes: [{ to: ask }] }
  - name: ask
    type: human_gate
    prompt: Well?
    options: [{ label: "Yes", value: "yes", route: $end }]
    notify: { command: sh, args: ["-c", "env > told.txt"] }
`,
    });
    const env = {
      KIM_TOKEN: "${REAL_ONE}",
      REAL_ONE: "a-token-that-is-long",
      SAM_DIGEST: "1".repeat(64),
      HOOK_SECRET: "a-secret-that-is-long",
      OTHER: "is-handed-on",
      SEGNO_SERVE_TOKEN: "the-servers-own-token",
      SEGNO_MCP_TOKEN: "that-of-the-mcp-server",
    };
    for (const [folder, file] of [
      [".", "flows/look.yaml"],
      ["..", "work/flows/look.yaml"],
    ] as const) {
      const run = runOf((await work.in(folder, env, "run", file, "--output-format", "json")).stdout);
      const script = (await work.in(folder, env, "events", run, "--output-format", "ndjson")).stdout;
      for (const handed of [script, work.read("flows/told.txt")]) {
        expect(handed).toContain("OTHER=is-handed-on");
        expect(handed).not.toMatch(/KIM_TOKEN=|REAL_ONE=|SAM_DIGEST=|HOOK_SECRET=|SEGNO_SERVE_TOKEN=|SEGNO_MCP_TOKEN=/);
      }
    }
  });

  it("have to be known", async () => {
    const work = new Workshop({ "segno.yaml": project, "ship.yaml": gate("approvers: [alx]") });
    expect((await work.segno("validate", "ship.yaml")).stdout).toMatch(
      /unknown-approver[\s\S]*Did\s+you\s+mean\s+`alex`/,
    );
  });
});

describe("a gate whose timeout passed while nobody drove its run", () => {
  it("cannot be answered any more, and a resume goes on as on_timeout says", async () => {
    const work = new Workshop({ "ship.yaml": gate('timeout: 1h\n    on_timeout: "no"') });
    const run = runOf((await work.segno("run", "ship.yaml", "--output-format", "json")).stdout);
    later(2 * 3600 * 1000);
    const late = await work.segno("gate", "answer", run, "yes");
    expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining("its timeout has passed") });
    expect(JSON.parse((await work.segno("resume", run)).stdout)).toEqual({ chosen: "no" });
    expect((await work.segno("gate", "list")).stdout).toContain("No question waits for an answer");
  });
});

describe("notify", () => {
  it("gives a command the question, its options and how to answer", async () => {
    const work = new Workshop({ "ship.yaml": gate('notify: { command: sh, args: ["-c", "cat > told.json"] }') });
    const run = runOf((await work.segno("run", "ship.yaml", "--output-format", "json")).stdout);
    const events = (await work.segno("events", run, "--output-format", "ndjson")).stdout;
    expect(events).toContain('"type":"gate_notified"');
    const { run_id, prompt, options, answer } = JSON.parse(work.read("told.json"));
    expect({ run_id, prompt, answer }).toEqual({
      run_id: run,
      prompt: "Ship it?",
      answer: `segno gate answer ${run} VALUE`,
    });
    expect(options).toHaveLength(2);
  });
});

describe("a scenario", () => {
  const scenario = (more: string): string => `
workflow: ship.yaml
${more}
`;
  it.each([
    [
      "nobody answers, and on_timeout counts",
      "gates: { approve: { nobody: true } }",
      'timeout: 2h\n    on_timeout: "no"',
      "completed",
      '"no"',
    ],
    [
      "the answer comes too late",
      'gates: { approve: { value: "yes", takes_seconds: 7201 } }',
      'timeout: 2h\n    on_timeout: "no"',
      "completed",
      '"no"',
    ],
    [
      "the answer comes in time",
      'gates: { approve: { value: "yes", takes_seconds: 7199 } }',
      'timeout: 2h\n    on_timeout: "no"',
      "completed",
      '"yes"',
    ],
    [
      "an approver answers",
      'gates: { approve: { value: "yes", by: alex@box } }',
      "approvers: [alex@box]",
      "completed",
      '"yes"',
    ],
  ])("%s, in virtual time", async (_, gates, more, status, chosen) => {
    const work = new Workshop({
      "ship.yaml": gate(more),
      "a.scenario.yaml": scenario(
        `${gates}\nexpected_trace: { status: ${status}, output_contains: { chosen: ${chosen} } }`,
      ),
    });
    expect(await work.segno("test")).toMatchObject({ code: 0 });
  });

  it.each([
    ["nobody answers, and it is an error", "gates: { approve: { nobody: true } }", "timeout: 2h", "failed"],
    [
      "somebody answers who may not",
      'gates: { approve: { value: "yes", by: sam@box } }',
      "approvers: [alex@box]",
      "paused",
    ],
    [
      "the starter answers",
      'started_by: sam@box\ngates: { approve: { value: "yes", by: sam@box } }',
      "four_eyes: true",
      "paused",
    ],
  ])("%s, in virtual time", async (_, gates, more, status) => {
    const work = new Workshop({
      "ship.yaml": gate(more),
      "a.scenario.yaml": scenario(`${gates}\nexpected_trace: { status: ${status} }`),
    });
    expect(await work.segno("test")).toMatchObject({ code: 0 });
  });

  it("says whose answer was refused and why, and plays on: reminders, and then the timeout", async () => {
    const people = "people: { alex: {}, kim: {} }\n";
    const ships = gate('approvers: [alex]\n    remind: 30m\n    timeout: 2h\n    on_timeout: "no"');
    const expecting = (chosen: string): string =>
      scenario(
        `gates: { approve: { value: "yes", by: kim, takes_seconds: 60 } }\nexpected_trace: { status: completed, output_contains: { chosen: "${chosen}" } }`,
      );
    const work = new Workshop({ "segno.yaml": people, "ship.yaml": ships, "a.scenario.yaml": expecting("no") });
    const sentence = "the answer of kim to approve was refused: kim is not one of the approvers: alex";
    const passed = await work.segno("test");
    expect(passed.code).toBe(0);
    expect(passed.stdout).toContain(sentence);
    const { scenarios } = JSON.parse((await work.segno("test", "--output-format", "json")).stdout);
    expect(scenarios).toMatchObject([{ passed: true, refused: [sentence] }]);

    work.write("a.scenario.yaml", expecting("yes"));
    const failed = await work.segno("test");
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain(sentence);

    const played = await work.segno("run", "ship.yaml", "--scenario", "a.scenario.yaml");
    expect(played.stderr.match(/reminded, \d×/g)).toEqual(["reminded, 1×", "reminded, 2×", "reminded, 3×"]);
  });
});

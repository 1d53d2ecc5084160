// What an agent is told to do is something that it can do: no text that a tool returns names a command of the terminal.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Connected, connect } from "./client.ts";

let segno: Connected;
beforeAll(async () => {
  segno = await connect("stdio");
});
afterAll(() => segno.close());

const UNHANDLED = `
workflow: { name: build, entry_point: compile }
agents:
  - { name: compile, type: script, command: no-such-compiler }
`;

const MISSPELT = `
workflow: { name: notes, entry_point: fetch }
agents:
  - { name: fetch, type: set, values: { title: Release }, routes: [{ to: write }] }
  - { name: write, type: set, value: "{{ fetch.output.titel }}" }
`;

const GATE = `
workflow: { name: ask, entry_point: may_we }
agents:
  - name: may_we
    type: human_gate
    prompt: Ship it?
    options: [{ label: Yes, value: ship, route: $end }, { label: No, value: wait, route: $end }]
`;

const QUESTIONS = `
workflow: { name: interview, entry_point: who }
agents:
  - name: who
    type: questions
    questions: [{ id: name, text: What is your name? }]
`;

const INPUT = `
workflow: { name: greet, entry_point: hello, input: { who: { type: string } } }
agents:
  - { name: hello, type: set, value: "hello {{ workflow.input.who }}" }
`;

const HALTED = `
workflow: { name: stop, entry_point: check }
agents:
  - name: check
    type: script
    command: sh
    args: ["-c", "exit 1"]
    raise_when: [{ kind: check.failed, when: exit_code != 0, message: the check failed }]
    routes: [{ to: $end }, { on_error: "*", halt: { message: "enough: {{ error.message }}" } }]
`;

const LOOP = `
workflow: { name: loop, entry_point: again, limits: { max_iterations: 3 } }
agents:
  - { name: again, type: set, value: "1", routes: [{ to: again }] }
`;

const SLOW = `
workflow: { name: slow, entry_point: sleep, limits: { timeout_seconds: 1 } }
agents:
  - { name: sleep, type: script, command: sleep, args: ["600"] }
`;

const LETTER = `
workflow:
  name: push
  entry_point: send
  resilience: { retry: { max_retries: 0 }, circuit_breaker: { failure_threshold: 1 }, dead_letter: true }
agents:
  - { name: send, type: http, url: "http://127.0.0.1:9/nothing", timeout: 5 }
`;

const DEGRADED = `
workflow: { name: each, entry_point: f }
for_each:
  - name: f
    type: for_each
    source: "{{ ['a', 'b'] }}"
    as: x
    failure_mode: continue_on_error
    agent: { name: g, type: script, command: sh, args: [-c, "[ {{ x }} = a ] || [ -f mended ]"], raise_when: [{ kind: b.bad, when: exit_code != 0, message: "no {{ x }}" }] }
`;

const BAD = `
workflow: { name: bad, entry_point: nowhere }
agents:
  - { name: first, type: set, value: "1", routes: [{ to: fisrt }] }
`;

/** A command, or an option of one; an address such as segno://language is none. */
const COMMAND = /\bsegno [a-z-]+|(?<![\w-])--[a-z][a-z-]+|(?<![\w-])-i \w/g;

const commandsIn = ({ text, object }: Answer): readonly string[] => [
  ...new Set([...textsIn(object), text].flatMap((one) => one.match(COMMAND) ?? [])),
];

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Everything that can be asked about a run. */
async function everythingAbout(run_id: string): Promise<readonly Answer[]> {
  return [
    await segno.call("run_status", { run_id }),
    await segno.call("run_explain", { run_id }),
    await segno.call("run_events", { run_id }),
    await segno.call("gate_list"),
    await segno.call("dlq_list"),
    await segno.call("run_resume", { run_id, detach: false }),
  ];
}

describe("what tools return", () => {
  it.each([
    ["an error that nobody handles", UNHANDLED, "failed"],
    ["a template that reads what is not there", MISSPELT, "failed"],
    ["a gate", GATE, "paused"],
    ["questions", QUESTIONS, "paused"],
    ["an input that is missing", INPUT, "invalid"],
    ["a run that was halted", HALTED, "failed"],
    ["too many iterations", LOOP, "failed"],
    ["too much time", SLOW, "failed"],
    ["a dead letter and an open circuit", LETTER, "failed"],
    ["items that a group lost", DEGRADED, "degraded"],
    ["a file that is not valid", BAD, "invalid"],
  ])("after %s names no command", async (_, workflow, status) => {
    segno.write("a.yaml", workflow);
    const ran = await segno.call("workflow_run", { file: "a.yaml" });
    expect(ran.object.status, ran.text).toBe(status);
    const answers = [
      await segno.call("workflow_describe", { file: "a.yaml" }),
      await segno.call("workflow_validate", { file: "a.yaml" }),
      ran,
      ...(ran.object.run_id === null ? [] : await everythingAbout(ran.object.run_id)),
    ];
    expect(answers.flatMap(commandsIn)).toEqual([]);
  });

  it("of a run that lost items tells how to get them, and so they are got", async () => {
    segno.write("each.yaml", DEGRADED);
    const ran = await segno.call("workflow_run", { file: "each.yaml" });
    const { run_id } = ran.object;
    const explained = await segno.call("run_explain", { run_id });
    const asked = `run_resume {"run_id":"${run_id}","failed_items":true}`;
    expect(explained.object.next).toEqual([expect.stringContaining(asked)]);
    expect(ran.object.warnings[0].hint).toContain(asked);
    expect(ran.text).toContain("failed_items: true");
    segno.write("mended", "");
    expect((await segno.call("run_resume", { run_id, failed_items: true })).object.status).toBe("completed");
  });

  it("of a run that was made at a terminal names no command either", async () => {
    segno.write("push.yaml", LETTER);
    const { status } = spawnSync(process.execPath, [resolve("dist/main.js"), "run", "push.yaml"], {
      cwd: segno.folder,
      env: { ...process.env, SEGNO_HOME: segno.home },
    });
    expect(status).toBe(3);
    const [letter] = (await segno.call("dlq_list")).object.letters; // the newest
    const answers = [
      ...(await everythingAbout(letter.run_id)),
      await segno.call("dlq_list", { letter_id: letter.id }),
      await segno.call("dlq_retry", { letter_id: letter.id }),
    ];
    expect(answers.flatMap(commandsIn)).toEqual([]);
  });

  it("about what is not there names no command", async () => {
    segno.write("a.yaml", INPUT);
    const run_id = "01NOSUCHRUN";
    const answers = [
      await segno.call("workflow_run", { file: "gone.yaml" }),
      await segno.call("workflow_run", { file: "a.yaml", inputs: { whom: "you" } }),
      await segno.call("workflow_run", { file: "a.yaml", inputs: { who: 3 } }),
      await segno.call("workflow_describe", { file: "gone.yaml" }),
      await segno.call("run_status", { run_id }),
      await segno.call("run_resume", { run_id }),
      await segno.call("run_resume", { run_id, file: "a.yaml" }),
      await segno.call("run_cancel", { run_id }),
      await segno.call("run_events", { run_id }),
      await segno.call("run_explain", { run_id }),
      await segno.call("dlq_list", { letter_id: "01NOSUCHLETTER" }),
      await segno.call("dlq_retry", { letter_id: "01NOSUCHLETTER" }),
    ];
    expect(answers.every(({ isError }) => isError)).toBe(true);
    expect(answers.flatMap(commandsIn)).toEqual([]);
  });
});

describe("what tools return names tools", () => {
  it("to go on with a run", async () => {
    segno.write("notes.yaml", MISSPELT);
    const { object } = await segno.call("workflow_run", { file: "notes.yaml" });
    const call = `run_resume {"run_id":"${object.run_id}"}`;
    expect(object.checkpoint.resume).toBe(call);
    expect(object.errors[0].hint).toMatch(/Correct the reference, then: run_resume \{/);
    expect((await segno.call("run_explain", { run_id: object.run_id })).object.resume.command).toBe(call);
  });

  it("to give an input, and to try a letter again", async () => {
    segno.write("greet.yaml", INPUT);
    const refused = await segno.call("workflow_run", { file: "greet.yaml" });
    expect(refused.object.errors[0].hint).toBe('Give it with {"who":"VALUE"} among the inputs.');
    segno.write("push.yaml", LETTER);
    const { warnings } = (await segno.call("workflow_run", { file: "push.yaml" })).object;
    expect(warnings[0].hint).toMatch(/^dlq_retry \{"letter_id":"\w+"\}$/);
  });

  it("to answer a gate, if the server lets agents answer", async () => {
    segno.write("ask.yaml", GATE);
    const held = await segno.call("workflow_run", { file: "ask.yaml" });
    expect(held.object).toMatchObject({ errors: [], gate: { who: expect.stringContaining("this client may not") } });
    expect(held.text).toContain("Ship it?");
    expect(held.text).toContain("a person answers it");
    const allowed = await connect("stdio", { args: ["--allow-gate-answers"] });
    try {
      allowed.write("ask.yaml", GATE);
      const { object } = await allowed.call("workflow_run", { file: "ask.yaml" });
      expect(object.gate.answer).toBe(`gate_answer {"run_id":"${object.run_id}","value":"VALUE"}`);
      const wrong = await allowed.call("gate_answer", { run_id: object.run_id, value: "perhaps" });
      expect(
        [wrong, await allowed.call("gate_answer", { run_id: "01NOSUCH", value: "x" })].flatMap(commandsIn),
      ).toEqual([]);
    } finally {
      await allowed.close();
    }
  });
});

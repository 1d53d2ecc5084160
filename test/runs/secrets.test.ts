// Secrets that nobody marked as such: known by the name that they stood under, from then on, whoever looks.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/base/events/registry.ts";
import { printedIn } from "../../src/base/events/secrets-in-events.ts";
import { listLetters, showLetter } from "../../src/services/dead-letters/letters.ts";
import { explainRun } from "../../src/services/explain/index.ts";
import { answerGate, listGates } from "../../src/services/gates/gates.ts";
import { runEvents, showRun } from "../../src/services/runs/runs.ts";
import { type Played, Playground } from "../support/play.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

/** All that can be seen of a run: at once, and later. */
async function seen({ result, events, errorLines }: Played): Promise<string> {
  const named = { ...ground.session, run: result.run_id ?? "" };
  const later = [await showRun(named, named), await explainRun(named, named)];
  const told = [];
  for await (const event of runEvents(named, named)) told.push(event);
  return JSON.stringify([result, events, errorLines, later, told]);
}

const FAILS = "routes: [{ to: $end }, { on_error: x.y, to: $end }]";

describe("a value under a secret-looking name", () => {
  it("is hidden wherever it appears when it was given as an input, also in the workflow's own output", async () => {
    ground.write({
      "main.yaml": `workflow: { name: s, entry_point: a, input: { api_key: { type: string } } }
agents:
  - { name: a, type: script, command: sh, args: [-c, "echo got {{ workflow.input.api_key }}; echo is {{ workflow.input.api_key }} >&2"] }
output: { said: "{{ a.output.stdout }}" }
`,
    });
    const played = await ground.run("main.yaml", { inputs: { api_key: { value: "hunter2hunter2" } } });
    expect(played.result.output).toEqual({ said: expect.stringMatching(/got <redacted>/) });
    expect(await seen(played)).not.toContain("hunter2hunter2");
  });

  it("is hidden from when an output had it, but for the workflow's own output", async () => {
    ground.write({
      "main.yaml": `workflow: { name: s, entry_point: login }
agents:
  - { name: login, type: set, values: { token: "tok-{{ 7700 + 7 }}-aa88bb99", user: ann }, routes: [{ to: use }] }
  - { name: use, type: script, command: sh, args: [-c, "echo using {{ login.output.token }} >&2; [ -e go ]"], ${FAILS} }
output: { token: "{{ login.output.token }}" }
`,
    });
    const failed = await ground.run("main.yaml");
    expect(failed.result.status).toBe("failed");
    expect(await seen(failed)).not.toContain("tok-7707-aa88bb99");
    expect(await seen(failed)).toContain("using <redacted>");
    // A further drive knows it too, although login is not run again.
    ground.write({ go: "" });
    const resumed = await ground.resume(failed.result.run_id ?? "");
    expect(resumed.result.output).toEqual({ token: "tok-7707-aa88bb99" });
    const told = resumed.events.filter(({ type }) => type !== "workflow_completed");
    expect(JSON.stringify(told)).not.toContain("tok-7707-aa88bb99");
  });

  it("is hidden when it stood in JSON that came as text, between other words", async () => {
    ground.write({
      "main.yaml": `workflow: { name: s, entry_point: a }
agents:
  - { name: a, type: script, command: cat, stdin: 'log: {"session_id": "{{ "s1d" ~ "-0123456" }}"} and again {{ "s1d" ~ "-0123456" }}' }
`,
    });
    const played = await ground.run("main.yaml");
    expect(played.result.status).toBe("completed");
    expect(await seen(played)).toContain("and again <redacted>");
  });

  it("stays when it is a plain word, which would be taken out of every sentence", async () => {
    ground.write({
      "main.yaml": `workflow: { name: s, entry_point: a }
agents: [{ name: a, type: set, values: { password: required, note: "a password is required" } }]
output: { note: "{{ a.output.note }}" }
`,
    });
    const { result, events } = await ground.run("main.yaml");
    expect(result.output).toEqual({ note: "a password is required" });
    expect(JSON.stringify(events)).toContain("a password is required");
  });
});

it("a secret that a script prints in two pieces is not in the events that are read later", async () => {
  ground.write({
    "main.yaml": `workflow: { name: s, entry_point: a, input: { password: { type: string, secret: true } } }
agents: [{ name: a, type: script, command: sh, args: [-c, "printf 'using hunter2-'; sleep 0.2; echo 'very-secret'"] }]
`,
  });
  const { result } = await ground.run("main.yaml", { inputs: { password: { value: "hunter2-very-secret" } } });
  const texts: string[] = [];
  for await (const { type, data } of runEvents(ground.session, { run: result.run_id ?? "" }))
    if (type === "script_output") texts.push(data.text);
  expect(texts.join("")).toBe("using <redacted>\n");
});

it("every line of a run has a number of its own, also where a script ends with what could begin a secret", async () => {
  // It fails, and can be resumed: a run that is over keeps no secrets, and so none is looked for.
  ground.write({
    "main.yaml": `workflow: { name: s, entry_point: a, input: { tok: { type: string, secret: true } } }
agents: [{ name: a, type: script, command: sh, args: [-c, "printf h; sleep 0.2; printf u; sleep 0.2; exit 3"], raises: [] }]
`,
  });
  const { result, events } = await ground.run("main.yaml", { inputs: { tok: { value: "hunter2secret" } } });
  expect(result.status).toBe("failed");
  const named = { ...ground.session, run: result.run_id ?? "" };
  const later: RunEvent[] = [];
  for await (const event of runEvents(named, named)) later.push(event);
  const lines = readFileSync(result.artifacts?.events_jsonl ?? "", "utf8")
    .trimEnd()
    .split("\n");
  const written = lines.map((line) => JSON.parse(line) as RunEvent);
  for (const all of [events, later, written]) {
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
    expect(all.flatMap(printedIn).map(({ text }) => text)).toEqual(["", "hu"]);
  }
  const last = later.findLast(({ type }) => type === "script_output")?.seq ?? 0;
  const after: RunEvent[] = [];
  for await (const event of runEvents(named, { ...named, after: last })) after.push(event);
  expect(after).toEqual(later.slice(last));
});

it("a gate's question and a dead letter are shown without the secrets of their run", async () => {
  ground.write({
    "main.yaml": `workflow: { name: s, entry_point: a, input: { key: { type: string, secret: true } }, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ['internal.*'] } } }
agents:
  - { name: a, type: human_gate, prompt: "Use {{ workflow.input.key }}?", options: [{ label: Y, value: y, route: b }] }
  - { name: b, type: script, command: sh, args: [-c, "echo {{ workflow.input.key }} >&2; exit 2"] }
`,
  });
  const { result } = await ground.run("main.yaml", { inputs: { key: { value: "hunter2-very-secret" } } });
  expect((await listGates(ground.session)).gates).toMatchObject([{ prompt: "Use <redacted>?" }]);
  await answerGate(ground.session, { run: result.run_id ?? "", value: "y", inputs: {} });
  const { letters } = await listLetters(ground.session, {});
  const whole = await showLetter(ground.session, { id: letters[0]?.id ?? "" });
  expect(whole.letters).toHaveLength(1);
  expect(JSON.stringify([letters, whole])).not.toContain("hunter2");
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });

it("a secret with a quote in it is hidden in the command that is shown for a shell, wherever that is", async () => {
  ground.write({
    "main.yaml": `workflow: { name: s, entry_point: a, input: { phrase: { type: string, secret: true } } }
agents:
  - name: a
    type: script
    command: sh
    args: [-c, "exit 3", "--", "{{ workflow.input.phrase }}", "with={{ workflow.input.phrase }} more"]
    routes: [{ to: $end }, { on_error: x.y, to: $end }]
`,
  });
  const played = await ground.run("main.yaml", { inputs: { phrase: { value: "hunter's 'very'secret two" } } });
  expect(played.result.status).toBe("failed");
  const everywhere = await seen(played);
  expect(everywhere).toMatch(/"shell_command":"[^"]*<redacted>/);
  // Neither whole nor the parts that quoting cuts it into.
  expect(everywhere).not.toMatch(/hunter|very|secret two/);
  const holding = filesBelow(ground.session.home).filter((file) =>
    /hunter|secret two/.test(readFileSync(file, "latin1")),
  );
  expect(holding.filter((file) => !/secret/.test(file.slice(ground.session.home.length)))).toEqual([]);
});

describe("an address", () => {
  it("with a secret input in it does not stand in the journal", async () => {
    ground.write({
      "main.yaml": `workflow: { name: s, entry_point: a, input: { bot: { type: string, secret: true } } }
agents: [{ name: a, type: http, url: "http://127.0.0.1:9/bot{{ workflow.input.bot }}/send?page=2" }]
`,
    });
    const secret = "77:hunter2-very-secret";
    const played = await ground.run("main.yaml", { inputs: { bot: { value: secret } } });
    expect(played.result.errors[0]).toMatchObject({
      kind: "http.network",
      details: { url: "http://127.0.0.1:9/bot<redacted>/send?page=2" },
    });
    const holding = filesBelow(ground.session.home).filter((file) => readFileSync(file).includes("hunter2-very"));
    expect(holding.filter((file) => !/secret/.test(file.slice(ground.session.home.length)))).toEqual([]);
  });

  it("keeps its password and its secret-looking parameters to itself", async () => {
    ground.write({
      "main.yaml": `workflow: { name: s, entry_point: a }
agents: [{ name: a, type: http, url: "http://bob:pa55w0rd99@127.0.0.1:9/x?token=lit-123456&page=2" }]
`,
    });
    const text = await seen(await ground.run("main.yaml"));
    expect(text).toContain("page=2");
    expect(text).not.toMatch(/pa55w0rd99|lit-123456/);
  });
});

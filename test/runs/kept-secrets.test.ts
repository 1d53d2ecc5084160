// What a run had to hide stays hidden, whoever looks later and whatever is in the environment then.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { traceRun } from "../../src/features/telemetry/trace/index.ts";
import { listLetters, retryLetters } from "../../src/services/dead-letters/letters.ts";
import { explainRun } from "../../src/services/explain/index.ts";
import { runEvents, showRun } from "../../src/services/runs/runs.ts";
import { type Played, Playground } from "../support/play.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

const folderOf = ({ result }: Played): string => join(ground.session.home, "runs", result.run_id ?? "");

/** All that is shown of a run to somebody who does not have its environment, and what lies in its public files. */
async function seenLater(played: Played): Promise<string> {
  const named = { ...ground.session, run: played.result.run_id ?? "" };
  const told = [];
  for await (const event of runEvents(named, named)) told.push(event);
  const shown = [await showRun(named, named), await explainRun(named, named), await traceRun(named, named)];
  return JSON.stringify([played.result, played.events, played.errorLines, shown, told]);
}

const TOKEN = "tok-abcdef123456";
const withToken = () => ({ env: { ...ground.session.env, MY_API_TOKEN: TOKEN, OTHER_TOKEN: "never-printed-99" } });

const FAILS = "routes: [{ to: $end }, { on_error: x.y, to: $end }]";

const PRINTS = `workflow: { name: s, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'echo "val $MY_API_TOKEN"'], routes: [{ to: b }] }
  - { name: b, type: script, command: sh, args: [-c, '[ -e go ]'], stdin: "{{ a.output.stdout }}", ${FAILS} }
output: { said: "{{ a.output.stdout }}" }
`;

it("a secret of the environment is hidden from whoever looks without it, and in a resume without it", async () => {
  ground.write({ "main.yaml": PRINTS });
  const failed = await ground.run("main.yaml", withToken());
  expect(failed.result.status).toBe("failed");
  expect(await seenLater(failed)).toContain("val <redacted>");
  expect(await seenLater(failed)).not.toContain(TOKEN);
  ground.write({ go: "" });
  const resumed = await ground.resume(failed.result.run_id ?? "");
  expect(resumed.result.output).toEqual({ said: "val <redacted>\n" });
  expect(await seenLater(resumed)).not.toContain(TOKEN);
});

it("what turned up in a run is kept for that in a file of its user alone, and nothing else of the environment is", async () => {
  ground.write({ "main.yaml": PRINTS });
  const file = join(folderOf(await ground.run("main.yaml", withToken())), "secrets.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain(TOKEN);
  expect(readFileSync(file, "utf8")).not.toContain("never-printed-99");
});

it("a value that was sent as a credential is hidden later, whatever its variable is called", async () => {
  const server = createServer((request, response) => {
    response.end(
      `you are ${request.headers["x-api-key"]} with ${new URL(request.url ?? "", "http://x").searchParams.get("api_key")}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    ground.write({
      "main.yaml": `workflow: { name: s, entry_point: a }
agents:
  - { name: a, type: http, url: "http://127.0.0.1:${port}/?api_key=\${PLAIN}", headers: { X-Api-Key: "\${SIMPLE}" } }
`,
    });
    const env = { ...ground.session.env, PLAIN: "plain-value-0001", SIMPLE: "simple-value-0002" };
    const played = await ground.run("main.yaml", { env });
    expect(played.result.status).toBe("completed");
    expect(await seenLater(played)).toContain("you are <redacted> with <redacted>");
  } finally {
    server.close();
  }
});

const ASKS = `workflow: { name: s, entry_point: a, input: { pin: { type: string, secret: true }, again: { type: string, default: "" } } }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'echo old is $(cat)'], stdin: "first-pin", routes: [{ to: b }] }
  - { name: b, type: script, command: sh, args: [-c, '[ -e go ]', sh, "{{ workflow.input.pin }}"], ${FAILS} }
output: { said: "{{ a.output.stdout }}" }
`;

it("a secret input that a resume replaced stays hidden in what was recorded before", async () => {
  ground.write({ "main.yaml": ASKS });
  const failed = await ground.run("main.yaml", { inputs: { pin: { value: "first-pin" } } });
  ground.write({ go: "" });
  const resumed = await ground.resume(failed.result.run_id ?? "", { inputs: { pin: { value: "other-pin" } } });
  expect(resumed.result.output).toEqual({ said: "old is <redacted>\n" });
  expect(await seenLater(resumed)).not.toContain("old is first-pin");
});

it("a run whose secret inputs are gone is not shown, and it is said why; given again, it goes on", async () => {
  ground.write({ "main.yaml": ASKS });
  const failed = await ground.run("main.yaml", { inputs: { pin: { value: "first-pin" } } });
  rmSync(join(folderOf(failed), "secrets.json"));
  const named = { ...ground.session, run: failed.result.run_id ?? "" };
  const shown = await showRun(named, named);
  expect(shown).toMatchObject({
    success: false,
    error: expect.stringMatching(/secret inputs of run .* not there any more \(pin;/),
  });
  expect(JSON.stringify([shown, await explainRun(named, named)])).not.toContain("first-pin");
  await expect(runEvents(named, named)[Symbol.asyncIterator]().next()).rejects.toThrow(/nothing of the run is shown/);
  expect((await ground.resume(named.run)).result.error).toMatch(/not there any more/);
  ground.write({ go: "" });
  const resumed = await ground.resume(named.run, { inputs: { pin: { value: "first-pin" } } });
  expect(resumed.result.output).toEqual({ said: "old is <redacted>\n" });
});

it("a run without secret inputs that met secrets is not shown without the file that they are kept in, nor resumed", async () => {
  ground.write({ "main.yaml": PRINTS });
  const failed = await ground.run("main.yaml", withToken());
  const file = join(folderOf(failed), "secrets.json");
  const kept = readFileSync(file, "utf8");
  rmSync(file);
  const named = { ...ground.session, run: failed.result.run_id ?? "" };
  const shown = await showRun(named, named);
  expect(shown).toMatchObject({
    success: false,
    error: expect.stringMatching(/secrets that turned up in run .* not there/),
  });
  expect((await ground.resume(named.run)).result.error).toMatch(/not there any more/);
  expect(JSON.stringify([shown, await explainRun(named, named), await traceRun(named, named)])).not.toContain(TOKEN);
  writeFileSync(file, kept);
  expect(await seenLater(failed)).toContain("val <redacted>");
});

it("a run that met no secrets has no file of them, and misses none", async () => {
  ground.write({ "main.yaml": PRINTS });
  const failed = await ground.run("main.yaml");
  expect(existsSync(join(folderOf(failed), "secrets.json"))).toBe(false);
  expect(await seenLater(failed)).toContain("val ");
});

it("a pipe in place of the file of secrets is said to be none, and nobody waits for it", async () => {
  ground.write({ "main.yaml": ASKS });
  const failed = await ground.run("main.yaml", { inputs: { pin: { value: "first-pin" } } });
  const file = join(folderOf(failed), "secrets.json");
  rmSync(file);
  execFileSync("mkfifo", [file]);
  const shown = await showRun(ground.session, { run: failed.result.run_id ?? "" });
  expect(shown).toMatchObject({
    success: false,
    error: expect.stringMatching(/secrets\.json is no file that Segno wrote/),
  });
});

const PARENT = `workflow: { name: s, entry_point: g }
agents:
  - { name: g, type: script, command: sh, args: [-c, 'printf "pin-%s" 7733'], routes: [{ to: c }] }
  - { name: c, type: workflow, workflow: child.yaml, input_mapping: { pin: "{{ g.output.stdout | trim }}" } }
output: { said: "{{ c.output.said }}" }
`;
const CHILD = `workflow: { name: c, entry_point: p, input: { pin: { type: string, secret: true } } }
agents:
  - { name: p, type: script, command: sh, args: [-c, "echo it is $1; [ -e go ]", sh, "{{ workflow.input.pin }}"], ${FAILS} }
output: { said: "{{ p.output.stdout }}" }
`;

it("a secret input of a sub-workflow is hidden from when the sub-workflow begins, later, and in a resume", async () => {
  ground.write({ "main.yaml": PARENT, "child.yaml": CHILD });
  const live: unknown[] = [];
  const failed = await ground.run("main.yaml", { on: (event) => live.push(event) });
  expect(failed.result.status).toBe("failed");
  const from = (events: readonly { type: string }[]) =>
    JSON.stringify(events.slice(events.findIndex(({ type }) => type === "subworkflow_started")));
  expect(from(live as { type: string }[])).toContain("it is <redacted>");
  expect(from(live as { type: string }[]) + from(failed.events) + JSON.stringify(failed.errorLines)).not.toContain(
    "pin-7733",
  );
  const named = { ...ground.session, run: failed.result.run_id ?? "" };
  const told = [];
  for await (const event of runEvents(named, named)) told.push(event);
  expect(JSON.stringify([told, await showRun(named, named), await explainRun(named, named)])).not.toContain("pin-7733");
  ground.write({ go: "" });
  const resumed = await ground.resume(named.run);
  expect(resumed.result.output).toEqual({ said: "it is <redacted>\n" });
  expect(JSON.stringify(resumed.events.filter(({ seq }) => seq > failed.events.length))).not.toContain("pin-7733");
});

it("the journal refers to a sub-workflow's secret input, and a wrong one is not quoted", async () => {
  ground.write({
    "main.yaml": PARENT.replace('pin: "{{ g.output.stdout | trim }}"', 'pin: "{{ 7733445 }}"').replace(
      /\n {2}- { name: g.*\n/,
      "\n  - { name: g, type: set, value: x, routes: [{ to: c }] }\n",
    ),
    "child.yaml": CHILD.replace("type: string, secret", "type: boolean, secret"),
  });
  const refused = await ground.run("main.yaml");
  expect(refused.result.error).toMatch(/pin must be a boolean, and what was given is a/);
  ground.write({ "main.yaml": PARENT, "child.yaml": CHILD, go: "" });
  const { events } = await ground.run("main.yaml");
  const began = events.find(({ type }) => type === "subworkflow_started");
  expect(began?.data).toMatchObject({ inputs: { pin: { $secret: "<redacted>" } } });
});

/** Everything that lies in a run's folder. */
const bytesOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

it("a run that is done keeps no secret, in no file, and is shown as before", async () => {
  const big = "x".repeat(80_000);
  ground.write({
    go: "",
    "main.yaml": PRINTS.replace(
      'echo "val $MY_API_TOKEN"',
      `printf "val %s" "$MY_API_TOKEN"; sleep 0.1; printf "%s ${big}" "$MY_API_TOKEN"`,
    ),
  });
  const played = await ground.run("main.yaml", withToken());
  expect(played.result.status).toBe("completed");
  const bytes = bytesOf(folderOf(played));
  expect(existsSync(join(folderOf(played), "secrets.json"))).toBe(false);
  expect(bytes).not.toContain(TOKEN);
  // Large values are still there, without it.
  expect(bytes).toContain(big);
  const seen = await seenLater(played);
  expect(seen).toContain("val <redacted>");
  expect(seen).not.toContain(TOKEN);
  const again = await ground.resume(played.result.run_id ?? "");
  expect(again.result).toMatchObject({
    status: "completed",
    output: { said: expect.stringContaining("val <redacted>") },
  });
});

it("secrets stay for a run that has open letters, and go with the last of them", async () => {
  ground.write({
    "main.yaml": `workflow: { name: s, entry_point: each, resilience: { retry: { max_retries: 0, retryable: [a.b] }, dead_letter: true } }
agents:
  - { name: done, type: terminate, status: success, reason: done }
for_each:
  - { name: each, type: for_each, source: "{{ [1, 2] }}", as: n, failure_mode: continue_on_error, agent: { name: w, type: script, command: sh, args: [-c, 'echo "$MY_API_TOKEN"; [ {{ n }} = 1 ] || [ -e ok ] || { echo "{\\"kind\\": \\"a.b\\", \\"message\\": \\"m\\"}" > "$CONDUCTOR_ERROR_OUT"; exit 1; }'], raises: [a.b] }, routes: [{ to: done }] }
`,
  });
  const played = await ground.run("main.yaml", withToken());
  expect(played.result).toMatchObject({ status: "terminated", degraded: true });
  const file = join(folderOf(played), "secrets.json");
  expect(existsSync(file)).toBe(true);
  ground.write({ ok: "" });
  const { letters } = await listLetters(ground.session, {});
  const retried = await retryLetters(ground.session, { ...withToken(), ids: letters.map(({ id }) => id) });
  expect(retried).toMatchObject({ exit_code: 0 });
  expect(existsSync(file)).toBe(false);
  expect(bytesOf(folderOf(played))).not.toContain(TOKEN);
});

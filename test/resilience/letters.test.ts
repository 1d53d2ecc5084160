// Dead letters over time: retried by two at once, after the file changed or went, by the thousand, with odd clocks.
import { rmSync } from "node:fs";
import { join } from "node:path";
import picocolors from "picocolors";
import { expect, test } from "vitest";
import { envelope, raised } from "../../src/base/errors/index.ts";
import { lettersTable } from "../../src/frontends/cli/commands/people.ts";
import { dropLetters, listLetters, retryLetters, showLetter } from "../../src/services/dead-letters/letters.ts";
import { pruneRuns } from "../../src/services/runs/prune.ts";
import { showRun } from "../../src/services/runs/runs.ts";
import { newRunId } from "../../src/storage/run-index.ts";
import { runs } from "../support/property-runs.ts";
import { startApi } from "./api.ts";
import { Workshop } from "./workshop.ts";

const flow = (url: string, more = ""): string =>
  `
workflow: { name: w, entry_point: a, limits: { max_iterations: 50 }, input: { token: { type: string, default: s3cret-token, secret: true } }, resilience: { dead_letter: true } }
agents:
  - { name: before, type: set, value: x }
  - { name: a, type: http, url: "${url}/a${more}", headers: { authorization: "Bearer {{ workflow.input.token }}" }, timeout: 60, routes: [{ to: b }] }
  - { name: b, type: set, value: "{{ a.output.status }}" }
output: { got: "{{ b.output }}" }
`.replace("  - { name: before, type: set, value: x }\n", "");

test("a letter shows all that is needed to understand it, and no secret", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({ "main.yaml": flow(api.url) });
  const result = await shop.run();
  const { letters } = await showLetter(shop.session, {
    id: (await shop.letters())[0]?.id.slice(0, 20).toLowerCase() ?? "",
  });
  expect(letters).toMatchObject([
    {
      status: "open",
      kind: "http.unavailable",
      run_id: result.run_id,
      node_id: "a",
      workflow_file: "unchanged",
      inputs: { request: { method: "GET", url: `${api.url}/a` } },
      envelope: { kind: "http.unavailable", details: { status_code: 503 } },
      history: [{ attempt: 1, kind: "http.unavailable" }],
    },
  ]);
  expect(JSON.stringify(letters)).not.toContain("s3cret");
  // Nor is one kept: state.db is for everybody who has the home.
  const store = shop.store();
  expect(JSON.stringify(store.state.letters.list())).not.toContain("s3cret");
  store.close();
});

test("the list says which item a letter is about, by its key and by what it was", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: each, resilience: { dead_letter: true }, input: { xs: { type: array, default: [{ id: blue, size: 2 }] } } }
agents: []
for_each:
  - { name: each, type: for_each, source: workflow.input.xs, as: x, key_by: id, failure_mode: continue_on_error, agent: { name: w, type: http, url: "${api.url}/{{ x.id }}", timeout: 60 }, routes: [{ to: $end }] }
`,
  });
  await shop.run();
  const letters = await shop.letters();
  expect(letters).toMatchObject([{ group: "each", item_key: "blue", item: { id: "blue", size: 2 } }]);
  const table = lettersTable(letters, picocolors.createColors(false), 160, Date.now(), "");
  expect(table).toMatch(/each\[blue\] +\{"id":"blue","size":2\}/);
});

test("the list says which item a letter is about where the step is in a sub-workflow of the item", async () => {
  const api = await startApi({ isUp: false });
  const each = (body: string, name: string): string =>
    `workflow: { name: ${name}, entry_point: each, resilience: { dead_letter: true }, input: { xs: { type: array, default: [{ id: blue }, { id: red }] } } }
agents: []
for_each: [{ name: each, type: for_each, source: workflow.input.xs, as: x, key_by: id, failure_mode: continue_on_error, agent: { name: w, ${body} }, routes: [{ to: $end }] }]
`;
  const shop = new Workshop({
    "main.yaml": each('type: workflow, workflow: mid.yaml, input_mapping: { of: "{{ x.id }}" }', "w"),
    "mid.yaml": `workflow: { name: mid, entry_point: push, input: { of: { type: string } } }
agents:
  - { name: push, type: workflow, workflow: leaf.yaml, input_mapping: { of: "{{ workflow.input.of }}" } }
`,
    "leaf.yaml": `workflow: { name: leaf, entry_point: both, input: { of: { type: string } } }
agents: [{ name: up, type: http, url: "${api.url}/{{ workflow.input.of }}" }, { name: note, type: set, value: 1 }]
parallel: [{ name: both, agents: [up, note] }]
`,
  });
  await shop.run();
  const letters = [...(await shop.letters())].sort((a, b) => a.path.join().localeCompare(b.path.join()));
  expect(letters).toMatchObject([
    { path: ["each[blue]", "push"], node_id: "up", group: "both", item: { id: "blue" } },
    { path: ["each[red]", "push"], node_id: "up", group: "both", item: { id: "red" } },
  ]);
  const { letters: shown } = await showLetter(shop.session, { id: letters[0]?.id ?? "" });
  expect(shown).toMatchObject([{ item: { id: "blue" } }]);
  const table = lettersTable(letters, picocolors.createColors(false), 160, Date.now(), "");
  expect(table).toMatch(/each\[blue\]\/push\/up +\{"id":"blue"\}/);
});

test("of two who retry one letter one does, and the other is told", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({ "main.yaml": flow(api.url) });
  await shop.run();
  api.isUp = true;
  api.hold();
  const [letter] = await shop.letters();
  const source = `
    say("ready");
    await told();
    const r = await retryLetters(shop, { ids: [args[0]] });
    say(r.exit_code + " " + (r.error ?? ""));
    leave();
  `;
  const others = [shop.process(source, letter?.id ?? ""), shop.process(source, letter?.id ?? "")];
  for (const other of others) await other.line();
  for (const other of others) other.tell();
  const lines = others.map((other) => other.line());
  // Who has the letter waits for its answer; the other one has nothing to wait for.
  const refused = await Promise.race(lines);
  api.release();
  const said = await Promise.all(lines);
  expect(refused).toMatch(/^2/);
  expect(said.sort()).toEqual(["0 ", expect.stringMatching(/^2 the letter \w+ is being retried by another process$/)]);
  expect(api.served.get("/a")).toBe(1);
});

test("a letter of a sub-workflow is about the sub-workflow's file, and shows only inputs that were given", async () => {
  const api = await startApi({ isUp: false });
  const child = `
workflow: { name: c, entry_point: each }
for_each: [{ name: each, type: for_each, source: "{{ [1] }}", as: n, failure_mode: all_or_nothing, agent: { name: get, type: http, url: "${api.url}/{{ n }}" } }]
`;
  const shop = new Workshop({
    "main.yaml":
      "workflow: { name: p, entry_point: call, resilience: { dead_letter: true } }\nagents: [{ name: call, type: workflow, workflow: c.yaml }]\n",
    "c.yaml": child,
  });
  await shop.run();
  const id = (await shop.letters())[0]?.id ?? "";
  const shown = async () => (await showLetter(shop.session, { id })).letters[0];
  const letter = await shown();
  expect(letter).toMatchObject({ path: ["call"], workflow_file: "unchanged" });
  expect(Object.keys(letter?.inputs as object)).toEqual(["request"]);
  shop.write({ "c.yaml": `${child}# changed\n` });
  expect(await shown()).toMatchObject({ workflow_file: "changed" });
});

test("a claim of a process that was killed is free again", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({ "main.yaml": flow(api.url) });
  await shop.run();
  const [letter] = await shop.letters();
  const other = shop.process(
    "const store = openStore(home); say(String(store.state.letters.claim([args[0]]).length === 1)); await told();",
    letter?.id ?? "",
  );
  expect(await other.line()).toBe("true");
  expect(await shop.letters()).toMatchObject([{ status: "retrying" }]);
  expect(await shop.retry({ ids: [letter?.id ?? ""] })).toMatchObject({ exit_code: 2 });
  other.child.kill("SIGKILL");
  await other.ended;
  api.isUp = true;
  expect(await shop.retry({ ids: [letter?.id ?? ""] })).toMatchObject({ exit_code: 0, output: { got: 200 } });
});

test("the file as it is now is what a retry runs; one that dropped resilience settles its letters all the same", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({ "main.yaml": flow(api.url) });
  await shop.run();
  const id = (await shop.letters())[0]?.id ?? "";
  shop.write({ "main.yaml": flow(api.url, "?fixed=1").replace(", resilience: { dead_letter: true }", "") });
  expect((await showLetter(shop.session, { id })).letters).toMatchObject([{ workflow_file: "changed" }]);
  api.isUp = true;
  expect(await shop.retry({ ids: [id] })).toMatchObject({ status: "completed", letters: [{ status: "resolved" }] });
  expect([...api.served.keys()]).toEqual(["/a?fixed=1"]);
});

test("a plain resume that succeeds settles the letter too", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({ "main.yaml": flow(api.url) });
  await shop.run();
  api.isUp = true;
  expect((await shop.resume()).status).toBe("completed");
  expect(await shop.letters(true)).toMatchObject([{ status: "resolved" }]);
  expect(await shop.retry({ ids: [(await shop.letters(true))[0]?.id ?? ""] })).toMatchObject({
    exit_code: 2,
    error: expect.stringContaining("is resolved already"),
  });
});

test("a workflow file that is gone is taken as it was; one that no longer loads leaves the letter open", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({ "main.yaml": flow(api.url) });
  await shop.run();
  const id = (await shop.letters())[0]?.id ?? "";
  shop.write({ "main.yaml": "workflow: {" });
  expect(await shop.retry({ ids: [id] })).toMatchObject({ exit_code: 2, status: "invalid" });
  expect(await shop.letters()).toMatchObject([{ status: "open" }]);
  rmSync(join(shop.dir, "main.yaml"));
  expect((await showLetter(shop.session, { id })).letters).toMatchObject([{ workflow_file: "gone" }]);
  api.isUp = true;
  expect(await shop.retry({ ids: [id] })).toMatchObject({ status: "completed", output: { got: 200 } });
});

test("a run with an open letter is not pruned; where somebody removed its folder, the letter can only be dropped", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({ "main.yaml": flow(api.url) });
  await shop.run();
  expect(await pruneRuns(shop.session, { keep: 0, yes: true })).toMatchObject({ removed: [], kept: 1 });
  rmSync(join(shop.home, "runs"), { recursive: true });
  const id = (await shop.letters())[0]?.id ?? "";
  expect(await shop.retry({ ids: [id] })).toMatchObject({ exit_code: 2 });
  expect(await shop.letters()).toMatchObject([{ status: "open" }]);
  expect(await dropLetters(shop.session, { ids: [id] })).toMatchObject({
    success: true,
    letters: [{ status: "dropped" }],
  });
  expect(await shop.letters()).toEqual([]);
});

test.each([
  [{}, "say which letters"],
  [{ ids: ["01NOSUCH"] }, "there is no dead letter"],
  [{ since: "yesterday" }, "is no age"],
  [{ run: "01NOSUCH" }, "there is no run"],
])("a selection that means nothing is refused: %j", async (selection, message) => {
  const shop = new Workshop({});
  const answer = await retryLetters(shop.session, selection);
  expect(answer).toMatchObject({ success: false, exit_code: 2, letters: [], error: expect.stringContaining(message) });
});

test("filters that fit nothing are no failure", async () => {
  const shop = new Workshop({});
  expect(await retryLetters(shop.session, { kind: "*" })).toMatchObject({ success: true, letters: [] });
});

function write(shop: Workshop, count: number, kindOf: (n: number) => string, now: () => number = Date.now): void {
  const store = shop.store({ now });
  store.state.atOnce(() => {
    for (let n = 0; n < count; n++) {
      const error = envelope(raised(kindOf(n), "m"), { workflow: "w", node: "a", attempt: 1 });
      const body = { type: "http", path: [], envelope: error, attempts: [], file: "/w.yaml", definition_hash: "" };
      store.state.letters.put({
        id: newRunId(),
        runId: newRunId(),
        place: `a#${n}`,
        workflow: "w",
        node: "a",
        kind: kindOf(n),
        body,
      });
    }
  });
  store.close();
}

test("thousands of letters are listed, filtered and dropped", async () => {
  const count = runs(10_000);
  const shop = new Workshop({});
  write(shop, count, (n) => (n % 2 === 0 ? "external.git.drift" : "external.npm.timeout"));
  expect(await shop.letters()).toHaveLength(count);
  expect((await listLetters(shop.session, { kind: "external.git.*" })).letters).toHaveLength(count / 2);
  expect((await listLetters(shop.session, { kind: "*.timeout" })).letters).toHaveLength(count / 2);
  expect((await dropLetters(shop.session, { kind: "external.*" })).letters).toHaveLength(count);
  expect(await shop.letters()).toEqual([]);
});

test("letters are kept for 30 days, and a clock that was set back loses none", async () => {
  const shop = new Workshop({});
  const day = 86_400_000;
  write(
    shop,
    1,
    () => "old.one",
    () => Date.now() - 31 * day,
  );
  write(
    shop,
    1,
    () => "recent.one",
    () => Date.now() - 29 * day,
  );
  write(
    shop,
    1,
    () => "future.one",
    () => Date.now() + 5 * day,
  );
  expect((await shop.letters(true)).map(({ kind }) => kind)).toEqual(["future.one", "recent.one"]);
  expect((await listLetters(shop.session, { since: "1d" })).letters.map(({ kind }) => kind)).toEqual(["future.one"]);
});

test("letters of several runs are retried run by run, and the answer has every result", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({
    "main.yaml": flow(api.url),
    "other.yaml": flow(api.url, "?other").replace("name: w,", "name: v,"),
  });
  const runs = [await shop.run(), await shop.run({ file: "other.yaml" })];
  api.isUp = true;
  const answer = await shop.retry({ kind: "http.*" });
  expect(answer).toMatchObject({ exit_code: 0, letters: [{ status: "resolved" }, { status: "resolved" }] });
  expect(answer.results?.map(({ run_id }) => run_id).sort()).toEqual(runs.map(({ run_id }) => run_id).sort());
});

const group = (url: string): string => `
workflow:
  name: w
  entry_point: all
  resilience: { retry: { max_retries: 0 }, dead_letter: true }
agents:
  - { name: get, type: http, url: "${url}/a" }
  - { name: other, type: set, value: 1 }
parallel:
  - { name: all, agents: [get, other], failure_mode: continue_on_error, routes: [{ to: $end }] }
`;

test("a retry that resolves nothing says so to whoever asked, though the run ends as well as before", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({ "main.yaml": group(api.url) });
  const first = await shop.run();
  const [letter] = await shop.letters();
  const again = await shop.retry({ ids: [letter?.id ?? ""] });
  expect(again).toMatchObject({
    status: first.status,
    success: false,
    error: expect.stringMatching(/1 of 1 letter could not be resolved/),
  });
  expect(again.exit_code).toBe(3);
  api.isUp = true;
  expect(await shop.retry({ ids: [letter?.id ?? ""] })).toMatchObject({ success: true, exit_code: 0 });
});

test("a letter that was given up is not offered again", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({ "main.yaml": flow(api.url) });
  const { run_id } = await shop.run();
  await dropLetters(shop.session, { ids: [(await shop.letters())[0]?.id ?? ""] });
  expect(JSON.stringify(await showRun(shop.session, { run: run_id ?? "" }))).not.toContain("dlq retry");
  api.isUp = true;
  const result = await shop.resume(run_id ?? "");
  expect(result.status).toBe("completed");
  expect(JSON.stringify(result)).not.toContain("dlq retry");
});

test("a letter keeps its first error when a retry meets an open breaker", async () => {
  const api = await startApi({ isUp: false });
  const breaker = "circuit_breaker: { failure_threshold: 1, recovery_timeout: 600 }, retry: { max_retries: 0 }";
  const shop = new Workshop({
    "main.yaml": flow(api.url).replace("dead_letter: true", `dead_letter: true, ${breaker}`),
  });
  await shop.run();
  const [letter] = await shop.letters();
  await shop.retry({ ids: [letter?.id ?? ""] });
  const { letters } = await showLetter(shop.session, { id: letter?.id ?? "" });
  expect(letters).toMatchObject([
    {
      kind: "http.unavailable",
      count: 2,
      envelope: { kind: "http.unavailable" },
      history: [{ kind: "http.unavailable" }, { kind: "circuit.open" }],
    },
  ]);
});

test("what has become a secret since a letter was kept is not shown by its retry", async () => {
  const file = (secret: boolean): string => `
workflow: { name: w, entry_point: a, input: { pool: { type: string, default: blue-heron-42, secret: ${secret} } }, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ["own.*"] } } }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'printf ''{"kind": "own.down", "message": "{{ workflow.input.pool }} was refused"}'' > $CONDUCTOR_ERROR_OUT'], raises: [own.down] }
`;
  const shop = new Workshop({ "main.yaml": file(false) });
  const { run_id } = await shop.run();
  expect((await shop.letters())[0]?.message).toBe("blue-heron-42 was refused");
  shop.write({ "main.yaml": file(true) });
  const retried = await shop.retry({ run: run_id ?? "" });
  expect(retried.letters).toMatchObject([{ status: "open", message: expect.stringMatching(/ was refused$/) }]);
  expect(JSON.stringify(retried)).not.toContain("blue-heron");
  expect(JSON.stringify(await shop.letters())).not.toContain("blue-heron");
});

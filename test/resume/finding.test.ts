// Which run a resume goes on with, and which it refuses, each with a sentence.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LIBRARY_USER } from "../../src/frontends/library/reader.ts";
import { listRuns, showRun } from "../../src/services/runs/runs.ts";
import { openFile } from "../../src/storage/sqlite/open.ts";
import { until } from "../support/until.ts";
import { script, Workshop } from "./workshop.ts";

const failing = (name: string): string => `
workflow: { name: ${name}, entry_point: a }
agents:
  - ${script("a", "routes: [{ to: b }]")}
  - ${script("b", "routes: [{ to: $end }]", { mayFail: true })}
`;

test("by run, by its first characters, by file, and by nothing at all", async () => {
  const shop = new Workshop({ "main.yaml": failing("first"), "other.yaml": failing("second") });
  const first = (await shop.run("main.yaml")).result;
  const second = (await shop.run("other.yaml")).result;
  expect([first.exit_code, second.exit_code]).toEqual([3, 3]);
  expect(shop.marks()).toEqual(["a", "b", "a", "b"]);

  expect((await shop.resume(first.run_id!)).result).toMatchObject({ status: "failed", run_id: first.run_id });
  expect((await shop.resume(undefined)).result.run_id).toBe(second.run_id);
  shop.write({ "ok-b": "" });
  expect((await shop.resume("main.yaml")).result).toMatchObject({ status: "completed", run_id: first.run_id });
  expect((await shop.resume(second.run_id!.slice(0, 26))).result).toMatchObject({ status: "completed" });
  expect(shop.marks()).toEqual(["b", "b", "b", "b"]);
});

test("a name that is empty is no file", async () => {
  const shop = new Workshop({ "main.yaml": failing("w") });
  const { result } = await shop.resume("");
  expect(result).toMatchObject({ exit_code: 2, error: expect.stringMatching(/^no run was named/) });
});

test("nothing to go on with is said: no run, none of the file, none that can be resumed", async () => {
  const shop = new Workshop({ "main.yaml": failing("w"), "other.yaml": failing("o"), "ok-b": "" });
  const none = (await shop.resume(undefined)).result;
  expect(none).toMatchObject({ exit_code: 2, error: expect.stringMatching(/there is no run to resume/) });
  const { result } = await shop.run("main.yaml");
  expect((await shop.resume("other.yaml")).result.error).toMatch(/no run of other.yaml/);
  expect((await shop.resume("main.yaml")).result.error).toMatch(/no run of main.yaml can be resumed.*is completed/);
  expect((await shop.resume("01ZZZZ")).result).toMatchObject({ exit_code: 2 });
  expect(result.status).toBe("completed");
});

const ENDING: readonly [string, string, RegExp][] = [
  ["completed", "{ name: a, type: set, value: 7 }", /is completed/],
  [
    "terminated",
    "{ name: a, type: terminate, status: failed, reason: no more }",
    /terminated by its own workflow \(no more\)/,
  ],
  [
    "terminated well",
    "{ name: a, type: terminate, status: success, reason: enough }",
    /terminated by its own workflow/,
  ],
  [
    "halted",
    `{ name: a, type: script, command: "false", routes: [{ on_error: true, halt: { message: stop here } }, { to: $end }] }`,
    /halted by its own workflow \(.*stop here/,
  ],
];

test.each(ENDING)("one that was %s gives its result again, and nothing of it changes", async (ending, step, how) => {
  const shop = new Workshop({ "main.yaml": `workflow: { name: w, entry_point: a }\nagents:\n  - ${step}\n` });
  const { result } = await shop.run("main.yaml");
  const entry = (await listRuns(shop.session, {})).runs;
  const said: string[] = [];
  const again = await shop.resume(result.run_id!, { isDone: (sentence) => said.push(sentence) });
  expect(again.result).toEqual(result);
  expect(said).toEqual([expect.stringMatching(how)]);
  // Of a run that completed a step and what follows may run again.
  const from = ending === "completed" ? [] : [{ from: "a" }];
  for (const more of [...from, { force: true }, { inputs: { x: { text: "1" } } }])
    expect((await shop.resume(result.run_id!, more)).result).toMatchObject({
      exit_code: 2,
      error: expect.stringMatching(how),
    });
  expect(again.events.map(({ type }) => type)).not.toContain("run_resumed");
  expect((await listRuns(shop.session, {})).runs).toEqual(entry);
});

test("one whose end was recorded but not indexed, as after a kill, gives its result again, and lists and files say so too", async () => {
  const shop = new Workshop({ "main.yaml": failing("w"), "ok-b": "" });
  const { result } = await shop.run("main.yaml");
  const copy = join(shop.session.home, "runs", result.run_id!, "events.jsonl");
  const lines = readFileSync(copy, "utf8");
  writeFileSync(copy, lines.slice(0, lines.lastIndexOf("\n", lines.length - 2) + 1));
  const state = openFile(join(shop.session.home, "index.db"), { busyMs: 1000 });
  state.exec("UPDATE runs SET status = 'running', resumable = 1, host = NULL");
  state.close();
  shop.marks();
  expect((await listRuns(shop.session, {})).runs).toMatchObject([{ status: "crashed" }]);
  expect((await shop.resume(result.run_id!)).result).toMatchObject({ status: "completed", exit_code: 0 });
  expect(shop.marks()).toEqual([]);
  expect((await listRuns(shop.session, {})).runs).toMatchObject([{ status: "completed", exit_code: 0 }]);
  expect(readFileSync(copy, "utf8")).toBe(lines);
});

test("a resume that is refused changes nothing, also not in the list", async () => {
  const shop = new Workshop({ "main.yaml": failing("w") });
  const { result } = await shop.run("main.yaml");
  const before = (await listRuns(shop.session, {})).runs;
  expect(before).toMatchObject([{ exit_code: 3, duration_ms: expect.any(Number), ended_at: expect.any(String) }]);
  const events = shop.events(result.run_id!);
  expect((await shop.resume(result.run_id!, { from: "nosuch" })).result.exit_code).toBe(2);
  shop.write({ "main.yaml": "workflow: { name: w" });
  expect((await shop.resume(result.run_id!)).result.exit_code).toBe(2);
  expect((await listRuns(shop.session, {})).runs).toEqual(before);
  expect(shop.events(result.run_id!)).toEqual(events);
});

test("without a name only runs of files below this folder are looked at; one elsewhere is named", async () => {
  const shop = new Workshop({ "here/main.yaml": failing("here"), "there/main.yaml": failing("there") });
  const there = (await shop.run("there/main.yaml")).result;
  shop.marks();
  const from = (folder: string) => shop.resume(undefined, { cwd: join(shop.folder, folder) });
  const refused = (await from("here")).result;
  expect(refused).toMatchObject({ exit_code: 2, run_id: null });
  expect(refused.error).toContain(`segno resume ${there.run_id}`);
  expect(shop.marks()).toEqual([]);
  const here = (await shop.run("here/main.yaml")).result;
  await shop.run("there/main.yaml");
  expect((await from("here")).result.run_id).toBe(here.run_id);
  // `there-too` begins with the same letters and is another folder.
  shop.write({ "there-too/main.yaml": failing("too") });
  expect((await from("there-too")).result.exit_code).toBe(2);
});

test("one that a newer version wrote is refused, and left as it is", async () => {
  const shop = new Workshop({ "main.yaml": failing("w") });
  const { result } = await shop.run("main.yaml");
  const path = join(shop.session.home, "runs", result.run_id!, "journal.db");
  const connection = openFile(path, { busyMs: 1000 });
  connection.exec("PRAGMA file.user_version=999");
  connection.close();
  const refused = (await shop.resume(result.run_id!)).result;
  expect(refused.exit_code).toBe(1);
  expect(refused.error).toMatch(/newer/i);
});

test("one that another process drives is refused with who, where and since when", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: ["-c", "echo a >> marks; exec sleep 20"], routes: [{ to: $end }] }
`,
  });
  const other = shop.start(["run", "main.yaml"]);
  await until(() => shop.marks().length > 0);
  for (const target of [undefined, "main.yaml"]) {
    const { result } = await shop.resume(target);
    expect(result).toMatchObject({ exit_code: 2, run_id: expect.any(String) });
    expect(result.error).toMatch(new RegExp(`driven by another process: pid ${other.pid} on \\S+, since 20\\d\\d-`));
  }
  other.kill("SIGKILL");
});

test("one that was killed before it began is refused, and says how to start it", async () => {
  const shop = new Workshop({ "main.yaml": failing("w") });
  await shop.killedAt("kill-before:workflow_started");
  const { result } = await shop.resume("main.yaml");
  expect(result).toMatchObject({ exit_code: 2, error: expect.stringMatching(/before it could begin.*segno run/) });
  expect(shop.marks()).toEqual([]);
  expect((await shop.resume(undefined)).result.error).toMatch(/before it could begin/);
});

test("one that was killed before it began does not stand in the way of an older one", async () => {
  const shop = new Workshop({ "main.yaml": failing("w") });
  const { result } = await shop.run("main.yaml");
  await shop.killedAt("kill-before:workflow_started");
  expect((await shop.resume("main.yaml")).result.run_id).toBe(result.run_id);
});

test("whoever shows the newest run where there is none is told of the newest elsewhere, and how to see it", async () => {
  const shop = new Workshop({ "one/main.yaml": failing("w"), "two/other.yaml": failing("o") });
  const { run_id } = (await shop.run("one/main.yaml")).result;
  const there = { ...shop.session, cwd: join(shop.folder, "two") };
  expect(await showRun(there, {})).toMatchObject({
    exit_code: 2,
    run_id: null,
    error: `no run of a file below ${there.cwd} is there; the newest elsewhere is ${run_id}, of ${join(shop.folder, "one/main.yaml")}. To see that one: segno show ${run_id}`,
  });
  const toProgram = await showRun({ ...there, reader: LIBRARY_USER }, {});
  expect(toProgram.error).toMatch(new RegExp(`To see that one: show\\("${run_id}"\\)$`));
  expect(await showRun(there, { run: run_id ?? "" })).toMatchObject({ run_id, status: "failed" });
});

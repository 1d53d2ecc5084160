// What others find of a run: one that is driven right now, one whose process is gone, one whose files were damaged.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { doctor } from "../../src/services/doctor/index.ts";
import { answerGate } from "../../src/services/gates/gates.ts";
import { cancelRun } from "../../src/services/runs/cancel.ts";
import { listRuns, runEvents, showRun } from "../../src/services/runs/runs.ts";
import { doctorStore } from "../../src/storage/embedded/upkeep.ts";
import { script, Workshop } from "./workshop.ts";

test("a gate of a run that somebody drives is answered, and that one goes on", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: go?, options: [{ label: Yes, value: yes, route: then }] }
  - ${script("then", "routes: [{ to: $end }]")}
`,
  });
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const running = shop.run("main.yaml", {
    ask: (_, signal) =>
      new Promise((resolve) => {
        asked();
        signal.addEventListener("abort", () => resolve(undefined));
      }),
  });
  await isAsked;
  const [run = ""] = readdirSync(join(shop.session.home, "runs"));
  const answered = await answerGate(shop.session, { run, value: "yes", inputs: {} });
  expect(answered).toMatchObject({ success: true, exit_code: 0, status: "running", run_id: run });
  expect((await running).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["then"]);
});

const two = `
workflow: { name: w, entry_point: one }
agents:
  - ${script("one", "routes: [{ to: two }]")}
  - ${script("two", "routes: [{ to: three }]", { mayFail: true })}
  - ${script("three", "routes: [{ to: $end }]")}
`;

test("following a run whose process is gone comes to an end, and says so", async () => {
  const shop = new Workshop({ "main.yaml": two });
  await shop.killedAt("kill-after:agent_completed");
  const [run = ""] = readdirSync(join(shop.session.home, "runs"));
  const left: string[] = [];
  const types: string[] = [];
  for await (const { type } of runEvents(shop.session, { run, follow: true, left: (id) => left.push(id) }))
    types.push(type);
  expect(types).toContain("agent_completed");
  expect(left).toEqual([run]);
});

test("a question that went with state.db is not there to be answered, and it is said how it is asked again", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: go?, options: [{ label: Yes, value: yes, route: $end }] }
`,
  });
  const { result } = await shop.run("main.yaml");
  const run = result.run_id ?? "";
  for (const name of readdirSync(shop.session.home).filter((file) => file.startsWith("state.db")))
    rmSync(join(shop.session.home, name));
  await doctor(shop.session, { reindex: true });
  const answer = () => answerGate(shop.session, { run, value: "yes", inputs: {} });
  expect((await answer()).error).toContain(`segno resume ${run} asks it again`);
  await shop.resume(run);
  expect((await answer()).status).toBe("completed");
});

test("a run that has failed is not cancelled: its error stays what it was, and it can be resumed", async () => {
  const shop = new Workshop({ "main.yaml": two });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  expect(await cancelRun(shop.session, { run })).toMatchObject({
    exit_code: 2,
    error: expect.stringContaining("has failed already"),
  });
  const shown = await showRun(shop.session, { run });
  expect(shown).toMatchObject({ status: "failed", checkpoint: { resumable: true } });
  expect((await listRuns(shop.session, {})).runs[0]).toMatchObject({ status: "failed" });
});

test("a journal that lost its end, as after a power cut, is gone on with, and it is said", async () => {
  const shop = new Workshop({ "main.yaml": two });
  await shop.program(["run", "main.yaml"]);
  const [run = ""] = readdirSync(join(shop.session.home, "runs"));
  const folder = join(shop.session.home, "runs", run);
  const log = join(folder, "journal.db-wal");
  truncateSync(log, Math.floor(statSync(log).size * 0.8));
  const { result } = await shop.resume(run);
  expect(result.warnings).toContainEqual(
    expect.objectContaining({ message: expect.stringMatching(/^the last \d+ events of the run did not survive/) }),
  );
  // It stays in the journal, for readers who have no command line too.
  expect(JSON.stringify(result.warnings)).not.toContain("--durability");
  const seqs = readFileSync(join(folder, "events.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect((await shop.resume(run)).result.error ?? "").not.toContain("did not survive");
});

test.each(["emptied", "removed"])("a journal whose log was %s is not taken for a run that never began", async (how) => {
  const shop = new Workshop({ "main.yaml": two });
  const { result } = await shop.run("main.yaml");
  const folder = join(shop.session.home, "runs", result.run_id!);
  const log = join(folder, "journal.db-wal");
  expect(statSync(log).size).toBeGreaterThan(0);
  if (how === "emptied") truncateSync(log, 100);
  else rmSync(log);
  rmSync(join(folder, "journal.db-shm"), { force: true });
  const told = readFileSync(join(folder, "events.jsonl"), "utf8");
  shop.marks();
  const resumed = (await shop.resume(result.run_id!)).result;
  expect(resumed).toMatchObject({ exit_code: 1, error: expect.stringMatching(/holds nothing.*journal\.db-wal/) });
  expect(await showRun(shop.session, { run: result.run_id! })).toMatchObject({ exit_code: 1 });
  expect(doctorStore(shop.session.home).some(({ ok }) => !ok)).toBe(true);
  expect(shop.marks()).toEqual([]);
  expect(readFileSync(join(folder, "events.jsonl"), "utf8")).toBe(told);
});

test("a start from a step that the run never came to is refused, as is one together with --force", async () => {
  const shop = new Workshop({ "main.yaml": two });
  const { result } = await shop.run("main.yaml");
  shop.marks();
  const refusal = async (more: object) => (await shop.resume(result.run_id!, more)).result;
  expect(await refusal({ from: "three" })).toMatchObject({
    exit_code: 2,
    error: expect.stringMatching(/has not come to three yet.*one, two/),
  });
  expect(await refusal({ from: "one", force: true })).toMatchObject({ exit_code: 2 });
  expect(shop.marks()).toEqual([]);
});

test("a secret input stands in no file of the run but the one that is made for it, and in none when the run is done", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, input: { pass: { type: string, secret: true } } }
agents:
  - { name: a, type: script, command: sh, args: ["-c", "[ -e ok ]", sh, "{{ workflow.input.pass }}"], raises: [a.b] }
`,
  });
  const { result } = await shop.run("main.yaml", { inputs: { pass: { value: "hunter3hunter3" } } });
  expect(result.status).toBe("failed");
  const folder = join(shop.session.home, "runs", result.run_id!);
  const holding = () =>
    readdirSync(folder).filter((name) => {
      const file = join(folder, name);
      return existsSync(file) && statSync(file).isFile() && readFileSync(file).includes("hunter3hunter3");
    });
  expect(holding()).toEqual(["secrets.json"]);
  shop.write({ ok: "" });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect(holding()).toEqual([]);
  expect(existsSync(join(folder, "secrets.json"))).toBe(false);
  expect(await showRun(shop.session, { run: result.run_id! })).toMatchObject({ status: "completed" });
});

test("runs whose index was lost are found again", async () => {
  const shop = new Workshop({ "main.yaml": two });
  const { result } = await shop.run("main.yaml");
  shop.write({ "ok-two": "" });
  const done = (await shop.run("main.yaml")).result;
  for (const name of readdirSync(shop.session.home))
    if (name.startsWith("index.db")) rmSync(join(shop.session.home, name));
  expect((await listRuns(shop.session, {})).runs).toEqual([]);
  const { checks } = await doctor(shop.session, { reindex: true });
  expect(checks.filter(({ name }) => /^store\.(reindex|index)$/.test(name))).toMatchObject([
    { ok: true },
    { ok: true },
  ]);
  expect((await listRuns(shop.session, {})).runs).toMatchObject([
    { run_id: done.run_id, status: "completed", resumable: false, exit_code: 0 },
    { run_id: result.run_id, status: "failed", resumable: true, kind: "internal.script_error", workflow: "w" },
  ]);
  expect((await shop.resume(undefined)).result).toMatchObject({ run_id: result.run_id, status: "completed" });
});

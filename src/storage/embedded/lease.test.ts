// Two processes cannot drive one run, and a run whose process is gone can be taken over. With real processes.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshStore, openTestStore, output, program, someRun, start } from "../../../test/support/stores/homes.ts";
import { newRunId } from "../run-index.ts";
import { openFile } from "../sqlite/open.ts";
import { LeaseHeld, LeaseLost } from "../store-error.ts";
import { journalPath } from "./journal.ts";
import { SILENCE_MS } from "./liveness.ts";

/** Writes 20 000 events, and then waits for its end. */
const WRITES = `
  const run = store.createRun({ runId: args[0], workflow: "w", file: "f", durability: "process" });
  const event = (seq) => ({ seq, ts: "", type: "warning", run_id: args[0], path: [], data: { node: null, message: "m".repeat(50) } });
  say("began");
  for (let seq = 1; seq < 20_000; seq += 2) {
    run.append([event(seq), event(seq + 1)]);
    if (seq === 2001) say("enough");
  }
  say("all");
  await told();
`;

test("a run whose process was killed is taken over with everything it recorded", async () => {
  const store = freshStore();
  const runId = newRunId();
  const writer = start(program(WRITES), store.home, runId);
  expect(await writer.line()).toBe("began");

  expect(() => store.openRun(runId)).toThrow(LeaseHeld);
  expect(() => store.openRun(runId)).toThrow(new RegExp(`process ${writer.child.pid} on`));
  expect(store.runs()[0]).toMatchObject({ runId, status: "running", crashed: false });
  expect(await writer.line()).toBe("enough");
  writer.child.kill("SIGKILL");
  expect(await writer.ended).toBe("SIGKILL");

  expect(store.runs()[0]).toMatchObject({ runId, status: "running", crashed: true });
  expect(store.newestRun({ resumable: true })?.runId).toBe(runId);
  const run = store.openRun(runId);
  expect(run.takenOver).toMatchObject({ pid: writer.child.pid });
  const seqs = [...run.events()].map((event) => event.seq);
  expect(seqs.length).toBeGreaterThanOrEqual(2002);
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  expect(seqs.length % 2).toBe(0);
  run.append([output(run.lastSeq + 1, "on")]);
});

test("readers see whole batches while another process writes", async () => {
  const store = freshStore();
  const runId = newRunId();
  const writer = start(program(WRITES), store.home, runId);
  await writer.line();
  const reader = store.readRun(runId);
  let seen = 0;
  let gaps = 0;
  let halves = 0;
  while (seen < 20_000) {
    for (const { seq } of reader.events(seen)) {
      if (seq !== seen + 1) gaps += 1;
      seen = seq;
    }
    if (seen % 2 === 1) halves += 1;
  }
  expect({ gaps, halves, seen }).toEqual({ gaps: 0, halves: 0, seen: 20_000 });
  reader.close();
});

test("of many processes that come at once, one gets the run", async () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.release();
  const racer = program(`
    say("ready");
    await told();
    try {
      const run = store.openRun(args[0]);
      say("got it");
      await told();
      run.release();
    } catch (error) {
      say(error instanceof LeaseHeld ? "held" : String(error));
    }
    process.exit(0);
  `);
  const racers = Array.from({ length: 5 }, () => start(racer, store.home, run.runId));
  for (const one of racers) expect(await one.line()).toBe("ready");
  for (const one of racers) one.tell();
  const answers = await Promise.all(racers.map((one) => one.line()));
  expect(answers.sort()).toEqual(["got it", "held", "held", "held", "held"]);
  for (const one of racers) one.tell();
  await Promise.all(racers.map((one) => one.ended));
  store.openRun(run.runId).release();
});

test("a process with the same pid that began at another time is another process", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  const connection = openFile(journalPath(run.folder), { busyMs: 100 });
  connection.exec(`UPDATE lease SET pid = ${process.ppid}, start = 'long ago'`);
  connection.close();
  expect(store.openRun(run.runId).takenOver).toMatchObject({ pid: process.ppid, start: "long ago" });
});

test("a process that drives a run gives a sign of life every fifteen seconds", () => {
  vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z") });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const run = freshStore().createRun(someRun());
  vi.advanceTimersByTime(46_000);
  expect(run.holder()).toMatchObject({ since: "2026-01-01T00:00:00.000Z", heard: "2026-01-01T00:00:45.000Z" });
});

/** Makes the run look driven by another process than this one. */
function drivenBy(folder: string, change: string): void {
  const connection = openFile(journalPath(folder), { busyMs: 100 });
  connection.exec(`UPDATE lease SET ${change}`);
  connection.close();
}

/** A pid of this namespace that nobody has. */
const nobody = (): number => spawnSync("true").pid;

test("a process in another container of the same name is watched, not taken for dead because its pid is nobody's here", () => {
  let elapsed = 0;
  const store = freshStore({ elapsed: () => elapsed });
  const run = store.createRun(someRun());
  const [boot, ticks] = run.holder()!.start.split(":");
  drivenBy(run.folder, `pid = ${nobody()}, start = '${boot}:${ticks}:1'`);
  const held = (): LeaseHeld => {
    try {
      store.openRun(run.runId);
    } catch (problem) {
      return problem as LeaseHeld;
    }
    throw new Error("the run was taken");
  };
  expect(held()).toMatchObject({ name: "LeaseHeld", watchMs: SILENCE_MS });
  elapsed += SILENCE_MS;
  expect(held()).toMatchObject({ watchMs: 0 });
  drivenBy(run.folder, "heard = heard + 1");
  elapsed += 1;
  expect(held()).toMatchObject({ watchMs: SILENCE_MS });
  elapsed += SILENCE_MS + 1;
  expect(store.openRun(run.runId).takenOver).toMatchObject({ start: `${boot}:${ticks}:1` });
});

test("a machine of the same name that was started at another time is watched as well", () => {
  const store = freshStore({ elapsed: () => 0 });
  const run = store.createRun(someRun());
  drivenBy(run.folder, `pid = ${nobody()}, start = '00000000:5:1'`);
  expect(() => store.openRun(run.runId)).toThrow(LeaseHeld);
});

test("an identity without a namespace, as older versions wrote it, is read as they read it", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  const [boot, ticks] = run.holder()!.start.split(":");
  drivenBy(run.folder, `start = '${boot}:${ticks}'`);
  expect(() => store.openRun(run.runId)).toThrow(LeaseHeld);
  drivenBy(run.folder, `pid = ${nobody()}`);
  expect(store.openRun(run.runId).takenOver).toMatchObject({ start: `${boot}:${ticks}` });
});

test("whoever has the run loses it to one who takes it over, writes nothing more, and is told who has it", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  const line = (seq: number): string => `${JSON.stringify({ seq })}\n`;
  run.append([output(1, "mine")]);
  run.exportEvents(() => line(1), 10);
  expect(() => store.openRun(run.runId, { takeOver: true }), "not from itself").toThrow(LeaseHeld);

  const elsewhere = openTestStore(store.home, { host: "elsewhere" });
  const taken = elsewhere.openRun(run.runId, { takeOver: true });
  expect(taken.takenOver).toMatchObject({ pid: process.pid });
  taken.exportEvents(() => line(1), 10);
  taken.append([output(2, "theirs")]);
  taken.exportEvents(() => line(2), 10);
  taken.flush();

  run.flush();
  run.appendErrors('{"late": true}\n');
  const { pid, host, since } = taken.holder()!;
  expect(() => run.append([output(2, "mine")])).toThrow(`taken over by process ${pid} on ${host}, at ${since}`);
  run.exportEvents(() => line(2), 10);
  expect(() => run.setStatus("completed")).toThrow(LeaseLost);
  run.release();
  expect(readFileSync(join(run.folder, "events.jsonl"), "utf8")).toBe(line(1) + line(2));
  expect(existsSync(join(run.folder, "errors.jsonl"))).toBe(false);
  expect(elsewhere.summary(run.runId)).toMatchObject({ status: "running", crashed: false });
});

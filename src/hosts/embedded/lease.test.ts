// Two processes cannot drive one run, and a run whose process is gone can be taken over. With real processes.
import { expect, onTestFinished, test, vi } from "vitest";
import { newRunId } from "../run-id.ts";
import { openFile } from "../sqlite/open.ts";
import { LeaseHeld } from "../store-error.ts";
import { journalPath } from "./journal.ts";
import { freshStore, output, someRun } from "./testing/homes.ts";
import { program, start } from "./testing/programs.ts";

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

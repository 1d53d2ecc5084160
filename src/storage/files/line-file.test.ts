import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshFolder, freshStore, output, someRun } from "../../../test/support/stores/homes.ts";
import { LineFile } from "./run-copies.ts";

test("a line that a crash cut off is taken back before the next is added", () => {
  const path = join(freshFolder(), "events.jsonl");
  for (const [before, after] of [
    ["", ""],
    ['{"seq":1}\n', '{"seq":1}\n'],
    ['{"seq":1}\n{"se', '{"seq":1}\n'],
    ['{"seq":', ""],
    ["\n", "\n"],
    [`${"x".repeat(200_000)}\n${"y".repeat(200_000)}`, `${"x".repeat(200_000)}\n`],
  ] as const) {
    writeFileSync(path, before);
    const file = new LineFile(path);
    file.append('{"seq":2}');
    file.close();
    expect(readFileSync(path, "utf8")).toBe(`${after}{"seq":2}\n`);
  }
});

test("a resume learns which events were exported before the crash", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  expect(run.exported()).toEqual({ lastSeq: 0, lost: 0 });
  run.append([1, 2, 3, 4].map((seq) => output(seq, null)));
  run.exportEvents(() => '{"seq":1}\n{"seq":2}\n', 20);
  run.exportEvents(() => '{"seq":3}\n', 20);
  run.release();
  writeFileSync(join(run.folder, "events.jsonl"), '{"seq":1}\n{"seq":2}\n{"seq":3}\n{"seq":4,"cut o');
  const again = store.openRun(run.runId);
  expect(again.exported()).toEqual({ lastSeq: 3, lost: 0 });
  again.exportEvents(() => '{"seq":4}\n', 20);
  again.flush();
  expect(readFileSync(join(run.folder, "events.jsonl"), "utf8")).toBe('{"seq":1}\n{"seq":2}\n{"seq":3}\n{"seq":4}\n');
});

test("errors are in the file as soon as the call returns", () => {
  const run = freshStore().createRun(someRun());
  run.appendErrors('{"kind":"a.b"}');
  run.appendErrors('{"kind":"c.d"}\n');
  expect(readFileSync(join(run.folder, "errors.jsonl"), "utf8")).toBe('{"kind":"a.b"}\n{"kind":"c.d"}\n');
});

test("exported events are in the file within a fifth of a second", () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const run = freshStore().createRun(someRun());
  run.exportEvents(() => '{"seq":1}\n', 20);
  run.exportEvents(() => '{"seq":2}\n', 20);
  vi.advanceTimersByTime(200);
  expect(readFileSync(join(run.folder, "events.jsonl"), "utf8")).toBe('{"seq":1}\n{"seq":2}\n');
});

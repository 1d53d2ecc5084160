// What is longer as one text than any text can be (512 MB), and is made of parts that are not: a group of large outputs.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeBatch } from "../rows/batch.ts";
import { freshStore, output, someRun } from "./testing/homes.ts";

const MEGABYTE = 1024 * 1024;

test("the outputs of a group that are over 512 MB together are recorded, and come back as they were", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  // One text, many times: it is kept once, and takes its room in memory once.
  const large = "x".repeat(68 * MEGABYTE);
  const outputs = Array.from({ length: 8 }, (_, item) => ({ item, text: large, nothing: undefined }));
  expect(outputs.length * large.length).toBeGreaterThan(0x1fffffe8);
  run.append([output(1, outputs), output(2, "after it")]);
  expect(readdirSync(join(run.folder, "blobs"))).toHaveLength(1);
  run.release();

  const again = store.openRun(run.runId);
  const [first, second] = [...again.events()].map(({ data }) => (data as { output: unknown }).output);
  const found = first as { readonly item: number; readonly text: string }[];
  expect(found.map(({ item }) => item)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(found.every(({ text }) => text === large)).toBe(true);
  expect(second).toBe("after it");
}, 120_000);

test("a value that no text can hold is named, and what was recorded before it stays", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.append([output(1, "before it")]);
  // Each character is written as six.
  const unwritable = "\u0001".repeat(100 * MEGABYTE);
  expect(() => run.append([output(2, unwritable)])).toThrow(
    expect.objectContaining({
      code: "too_big",
      message: expect.stringMatching(/agent_completed is longer than any text can be/),
    }),
  );
  run.append([output(2, "instead of it")]);
  expect(run.lastSeq).toBe(2);
}, 60_000);

test("data without a text is written as data with one", () => {
  const event = output(1, { list: [1, undefined, { a: "ö", b: undefined }], $blob: "an author's own" });
  const keep = (): string => "sha256:0";
  expect(encodeBatch([event], [undefined], keep)).toBe(encodeBatch([event], [JSON.stringify(event.data)], keep));
});

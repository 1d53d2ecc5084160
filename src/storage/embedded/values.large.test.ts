// What is longer as one text than any text can be (512 MB), and is made of parts that are not: a group of large outputs.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshStore, output, someRun } from "../../../test/support/stores/homes.ts";
import { encodeBatch } from "../rows/batch.ts";
import { textOfData } from "../rows/data-text.ts";

/** What V8 can hold in one text. */
const LIMIT = 0x1fffffe8;

/** A thousandth of that for the rest of the test: what is over it takes a second, instead of ten. */
function shortenTexts(): number {
  const limit = Math.floor(LIMIT / 1000);
  const stringify = JSON.stringify as (value: unknown) => string | undefined;
  const spy = vi.spyOn(JSON, "stringify").mockImplementation((value) => {
    const text = stringify(value);
    if (text !== undefined && text.length > limit) throw new RangeError("Invalid string length");
    return text as string;
  });
  onTestFinished(() => spy.mockRestore());
  return limit;
}

/** One text, many times: it is kept once, and takes its room in memory once. */
const outputsOver = (limit: number): { readonly item: number; readonly text: string }[] => {
  const text = "x".repeat(Math.ceil(limit / 8));
  return Array.from({ length: 8 }, (_, item) => ({ item, text, nothing: undefined }));
};

test("the outputs of a group that are over 512 MB together have no text of their own", () => {
  expect(textOfData({ outputs: outputsOver(LIMIT) })).toBeUndefined();
});

test("the outputs of a group that have no text together are recorded, and come back as they were", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  const outputs = outputsOver(shortenTexts());
  run.append([output(1, outputs), output(2, "after it")]);
  expect(readdirSync(join(run.folder, "blobs"))).toHaveLength(1);
  run.release();

  const again = store.openRun(run.runId);
  const [first, second] = [...again.events()].map(({ data }) => (data as { output: unknown }).output);
  const found = first as { readonly item: number; readonly text: string }[];
  expect(found.map(({ item }) => item)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(found.every(({ text }) => text === outputs[0]?.text)).toBe(true);
  expect(second).toBe("after it");
});

test("a value that no text can hold is named, and what was recorded before it stays", () => {
  const store = freshStore();
  const run = store.createRun(someRun());
  run.append([output(1, "before it")]);
  const unwritable = "x".repeat(shortenTexts() + 1);
  expect(() => run.append([output(2, unwritable)])).toThrow(
    expect.objectContaining({
      code: "too_big",
      message: expect.stringMatching(/agent_completed is longer than any text can be/),
    }),
  );
  run.append([output(2, "instead of it")]);
  expect(run.lastSeq).toBe(2);
});

test("data without a text is written as data with one", () => {
  const event = output(1, { list: [1, undefined, { a: "ö", b: undefined }], $blob: "an author's own" });
  const keep = (): string => "sha256:0";
  expect(encodeBatch([event], [undefined], keep)).toBe(encodeBatch([event], [JSON.stringify(event.data)], keep));
});

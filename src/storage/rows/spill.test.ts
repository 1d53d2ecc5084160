import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { freshStore, output, someRun } from "../../../test/support/stores/homes.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { decodeBatch, encodeBatch } from "./batch.ts";
import { BIG, blobNamesIn, type Fetch, type Keep, keepBig, keepBigOf } from "./spill.ts";

const kept = () => {
  const texts = new Map<string, string>();
  const keep = (text: string): string => {
    const name = `sha256:${texts.size}`;
    texts.set(name, text);
    return name;
  };
  return { texts, keep, fetch: (name: string): string => texts.get(name)! };
};

const carrier = (value: unknown, more: object = {}) =>
  ({
    seq: 1,
    ts: "2026-01-01T00:00:00.000Z",
    type: "warning",
    run_id: "R",
    path: [],
    data: { output: value },
    ...more,
  }) as unknown as RunEvent;
const encoded = (events: readonly RunEvent[], keep: Keep): string =>
  encodeBatch(
    events,
    events.map(({ data }) => JSON.stringify(data)),
    keep,
  );
const decoded = (text: string, fetch: Fetch): RunEvent[] => decodeBatch(text, { runId: "R", firstSeq: 1, fetch });

/** Also what looks like a mark, and what is written with escapes. */
const anyValue = (() => {
  const key = fc.oneof(fc.constant("$blob"), fc.constant("value"), fc.constant("__proto__"), fc.string());
  const leaf = fc.oneof(
    fc.string(),
    fc.constantFrom("sha256:9999", "sha256:0", "inline", '"', "\\", '\\"', "}],{[", '"$blob"', "\ud800"),
    fc.integer(),
    fc.double(),
    fc.constant(null),
    fc.boolean(),
    fc.constant("x".repeat(BIG)),
    fc.constant('"\\'.repeat(BIG / 4)),
  );
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    ),
  })).value;
})();

test("what is kept of a text is what is kept of its value", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), anyValue, { maxKeys: 3 }), (data) => {
      const [ofText, ofValue] = [kept(), kept()];
      const plain = JSON.parse(JSON.stringify(data)) as object;
      expect(keepBig(JSON.stringify(plain), ofText.keep)).toBe(keepBigOf(plain, ofValue.keep));
      expect(ofText.texts).toEqual(ofValue.texts);
    }),
  );
  const wide = { output: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n])) };
  const [ofText, ofValue] = [kept(), kept()];
  // To make an object of so many keys takes several times as long as to look through its text.
  const parsing = vi.spyOn(JSON, "parse");
  expect(keepBig(JSON.stringify(wide), ofText.keep)).toBe(keepBigOf(wide, ofValue.keep));
  expect(parsing).not.toHaveBeenCalled();
  parsing.mockRestore();
  expect(ofText.texts).toEqual(ofValue.texts);
});

test("any value comes back as it was, also one that looks like a reference", () => {
  fc.assert(
    fc.property(anyValue, (any) => {
      const plain = JSON.parse(JSON.stringify(carrier(any))) as unknown;
      const { keep, fetch, texts } = kept();
      const text = encoded([carrier(any)], keep);
      expect(decoded(text, fetch)).toEqual([plain]);
      // A store that fetches before it decodes asks for what was kept, and for nothing that only looks like it.
      for (const kept of [text, ...texts.values()])
        for (const name of blobNamesIn(kept)) expect(texts.has(name)).toBe(true);
    }),
  );
});

test("small values are stored as they are, and nothing is said twice", () => {
  const { keep, texts, fetch } = kept();
  const later = "2026-01-01T00:00:01.000Z";
  const events = [
    carrier("small"),
    carrier(2, { seq: 2 }),
    carrier(3, { seq: 3, path: ["plan", "build[3]"] }),
    carrier(4, { seq: 4, ts: later }),
  ];
  const text = encoded(events, keep);
  const ts = events[0]!.ts;
  expect(JSON.parse(text)).toEqual([
    ["warning", { output: "small" }, ts],
    ["warning", { output: 2 }],
    ["warning", { output: 3 }, ts, ["plan", "build[3]"]],
    ["warning", { output: 4 }, later],
  ]);
  expect(decoded(text, fetch)).toEqual(events);
  expect(texts.size).toBe(0);
});

test("rows of the first format, which held whole events, are read", () => {
  const { fetch } = kept();
  const events = [carrier("small", { seq: 7 }), carrier({ $blob: "inline", value: { $blob: 1 } }, { seq: 8 })];
  expect(decoded(JSON.stringify(events), fetch)).toEqual([
    carrier("small", { seq: 7 }),
    carrier({ $blob: 1 }, { seq: 8 }),
  ]);
});

test("many small values in a long batch stay where they are", () => {
  const { keep, texts, fetch } = kept();
  const events = Array.from({ length: 100 }, (_, at) => carrier(`${at}${"y".repeat(2000)}`, { seq: at + 1 }));
  expect(decoded(encoded(events, keep), fetch)).toEqual(events);
  expect(texts.size).toBe(0);
});

test("a big value inside several events is kept once", () => {
  const run = freshStore().createRun(someRun());
  const big = "z".repeat(BIG + 1);
  run.append([output(1, { stdout: big, exit_code: 0 }), output(2, [{ stdout: big }])]);
  run.append([output(3, big)]);
  expect(readdirSync(join(run.folder, "blobs"))).toHaveLength(1);
  expect([...run.events()].map((event) => event.data)).toMatchObject([
    { output: { stdout: big, exit_code: 0 } },
    { output: [{ stdout: big }] },
    { output: big },
  ]);
});

test("an object that is big only as a whole is kept whole", () => {
  const run = freshStore().createRun(someRun());
  const wide = Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`key${at}`, at]));
  run.append([output(1, wide)]);
  expect([...run.events()][0]?.data).toMatchObject({ output: wide });
  expect(readdirSync(join(run.folder, "blobs"))).toHaveLength(1);
});

test("a value deep inside costs no more than a flat one", () => {
  let deep: unknown = "d".repeat(3000);
  for (let level = 0; level < 500; level += 1) deep = { inner: deep, beside: "b".repeat(300) };
  const { keep, fetch } = kept();
  const back = decoded(encoded([carrier(deep)], keep), fetch);
  expect(back).toEqual([carrier(deep)]);
});

test("a damaged big value is not given out", () => {
  const run = freshStore().createRun(someRun());
  run.append([output(1, "z".repeat(BIG + 1))]);
  const [name] = readdirSync(join(run.folder, "blobs"));
  writeFileSync(join(run.folder, "blobs", name!), "something else");
  expect(() => [...run.events()]).toThrow(/is damaged/);
});

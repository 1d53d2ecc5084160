// An answer over thousands of runs begins with the newest and does not keep everybody waiting.
import { describe, expect, it } from "vitest";
import { readPiece } from "./run-filter.ts";

/** Runs that each take so long to read the first time, as a journal that has to be opened does. */
function slowRuns(count: number, ms: number) {
  const known = new Set<number>();
  const things = Array.from({ length: count }, (_, index) => index);
  const read = async (thing: number): Promise<number> => {
    if (known.has(thing)) return thing;
    const began = performance.now();
    while (performance.now() - began < ms);
    known.add(thing);
    return thing;
  };
  return { things, read };
}

describe("an answer over many runs", () => {
  it("has the first of them at once, and all of them when it is asked for again", async () => {
    const { things, read } = slowRuns(150, 6);
    const first = await readPiece(things, read);
    expect(first.unread).toBeGreaterThan(0);
    expect(first.found).toEqual(things.slice(0, first.found.length));
    for (let { unread } = first; unread > 0; ) ({ unread } = await readPiece(things, read));
    expect((await readPiece(things, read)).found).toEqual(things);
  });

  it("is whole when there are few, however slow they are", async () => {
    const { things, read } = slowRuns(10, 60);
    expect(await readPiece(things, read)).toEqual({ found: things, unread: 0 });
  });

  it("has all that was read before, however long that takes", async () => {
    const { things, read } = slowRuns(60, 1);
    const known = (thing: number) => {
      void read(thing);
      return thing;
    };
    expect(await readPiece(things, known, 0)).toEqual({ found: things, unread: 0 });
  });

  it("lets others have their turn meanwhile", async () => {
    const { things, read } = slowRuns(100, 5);
    let turns = 0;
    let isDone = false;
    const reading = readPiece(things, read).finally(() => (isDone = true));
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    await reading;
    expect(turns).toBeGreaterThan(5);
  });
});

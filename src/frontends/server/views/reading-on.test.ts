// What an answer could not wait for is read after it, while somebody may come back for it.
import { describe, expect, it } from "vitest";
import { ReadingOn } from "./run-filter.ts";

/** Reads that say what was read; `allRead` resolves with the last. */
function reads(count: number) {
  const read: number[] = [];
  let done = (): void => {};
  const allRead = new Promise<void>((resolve) => {
    done = resolve;
  });
  const wanted = Array.from({ length: count }, (_, index) => async () => {
    read.push(index);
    if (read.length === count) done();
  });
  return { read, wanted, allRead };
}

describe("reading on after an answer", () => {
  it("reads everything in order, though nobody asks again", async () => {
    const { read, wanted, allRead } = reads(200);
    new ReadingOn().want(wanted);
    expect(read).toEqual([]);
    await allRead;
    expect(read).toEqual(wanted.map((_, index) => index));
  });

  it("goes on with what was asked for last", async () => {
    const [before, after] = [reads(3), reads(3)];
    const readingOn = new ReadingOn();
    readingOn.want(before.wanted);
    readingOn.want(after.wanted);
    await after.allRead;
    expect(before.read).toEqual([]);
  });

  it("stops with the server", async () => {
    const stop = new AbortController();
    const { read, wanted } = reads(3);
    const readingOn = new ReadingOn(stop.signal);
    const first = new Promise<void>((resolve) => {
      readingOn.want([
        async () => {
          stop.abort();
          resolve();
          // As long as a turn: what comes next is for another one.
          for (const until = performance.now() + 30; performance.now() < until; );
        },
        ...wanted,
      ]);
    });
    await first;
    // One that began later has had its turns since.
    const later = reads(1);
    new ReadingOn().want(later.wanted);
    await later.allRead;
    expect(read).toEqual([]);
  });
});

// What is read of an agent's output, which others may have written.
import { expect, it } from "vitest";
import { changesIn } from "./agent-changes.ts";

const file = { path: "a.txt", change: "added", added: 1, removed: 0 };

it("reads what an agent changed", () => {
  const changes = { files: [file, { ...file, added: null, removed: null }], added: 1, removed: 0 };
  expect(changesIn({ text: "x", changes })).toEqual(changes);
});

it("keeps fifty files, and counts the rest", () => {
  const changes = { files: Array.from({ length: 53 }, () => file), added: 53, removed: 0, incomplete: true };
  const read = changesIn({ changes });
  expect([read?.files.length, read?.more_files, read?.added, read?.incomplete]).toEqual([50, 3, 53, true]);
});

it.each([
  [null],
  ["text"],
  [{ changes: "many" }],
  [{ changes: { files: 3, added: 1, removed: 1 } }],
  [{ changes: { files: [{ ...file, change: "invented" }], added: 1, removed: 1 } }],
  [{ changes: { files: [{ ...file, added: "1" }], added: 1, removed: 1 } }],
  [{ changes: { files: [file], added: Number.NaN, removed: 1 } }],
])("takes %j for something else", (output) => expect(changesIn(output)).toBeNull());

// What is read of an agent's changes, which others may have written.
import { expect, it } from "vitest";
import { listedChanges, recalledChanges } from "./step-files.ts";

const file = { path: "a.txt", change: "added", added: 1, removed: 0 } as const;
const changes = { files: [file, { ...file, added: null, removed: null }], added: 1, removed: 0 };
const agent = { agent_type: "agent", output: { text: "x" } };

it("reads what an agent changed", () => {
  expect(listedChanges({ ...agent, changes })).toEqual(changes);
  expect(recalledChanges({ ...agent, changes })).toEqual(changes);
});

it("finds them for a resume in the output of a run that release 0.2 recorded", () => {
  expect(recalledChanges({ ...agent, output: { text: "x", changes } })).toEqual(changes);
  expect(recalledChanges({ agent_type: "script", output: { text: "x", changes } })).toBeUndefined();
});

it("does not take a field of the output for them", () => {
  expect(listedChanges({ ...agent, output: { changes } })).toBeUndefined();
});

it("lists fifty files, and counts the rest", () => {
  const all = { files: Array.from({ length: 53 }, () => file), added: 53, removed: 0, incomplete: true };
  const read = listedChanges({ ...agent, changes: all });
  expect([read?.files.length, read?.more_files, read?.added, read?.incomplete]).toEqual([50, 3, 53, true]);
});

it("lists a file of which a scenario says only its path", () => {
  expect(listedChanges({ ...agent, changes: { files: ["a.txt"], added: 0, removed: 0 } })?.files).toEqual([
    { path: "a.txt", change: "modified", added: null, removed: null },
  ]);
});

it.each([
  [null],
  ["many"],
  [{ files: 3, added: 1, removed: 1 }],
  [{ files: [{ ...file, change: "invented" }], added: 1, removed: 1 }],
  [{ files: [{ ...file, added: "1" }], added: 1, removed: 1 }],
  [{ files: [file], added: Number.NaN, removed: 1 }],
])("takes %j for something else", (value) => {
  expect(listedChanges({ ...agent, changes: value })).toBeUndefined();
  expect(recalledChanges({ ...agent, output: { changes: value } })).toBeUndefined();
});

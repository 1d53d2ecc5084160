import { expect, test } from "vitest";
import { parseFaults } from "./faults.ts";

test("a fault is one that there is, and strikes at its write or event alone", () => {
  const struck: number[] = [];
  let write = 0;
  const faults = parseFaults("kill-before:2,kill-after:agent_failed,clock:-60@3", () => struck.push(write));
  const writes = (types: readonly string[] = []) => faults.write(() => ++write, types);
  writes();
  expect(faults.offset).toBe(0);
  writes(["agent_started"]);
  writes();
  expect(faults.offset).toBe(-60_000);
  writes(["agent_failed"]);
  expect(struck).toEqual([1, 4]);
  expect(() => parseFaults("kill:3", () => {})).toThrow(/no fault/);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { isRunId, newRunId } from "./run-index.ts";

test("ids sort by time, whatever chance says", () => {
  const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(fc.nat(2 ** 45), fc.integer({ min: 1, max: 2 ** 40 }), bytes, bytes, (time, later, one, two) => {
      expect(newRunId(time, one) < newRunId(time + later, two)).toBe(true);
    }),
  );
});

test("an id is 26 letters and digits", () => {
  expect(newRunId(0, new Uint8Array(10))).toBe("0".repeat(26));
  expect(newRunId(2 ** 48 - 1, new Uint8Array(10).fill(255))).toBe(`7${"Z".repeat(25)}`);
  expect(isRunId(newRunId())).toBe(true);
  expect(isRunId("release.yaml")).toBe(false);
  expect(new Set(Array.from({ length: 1000 }, () => newRunId(1))).size).toBe(1000);
});

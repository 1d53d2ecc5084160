import { expect, it } from "vitest";
import { inGoodTime } from "./plugin-work.ts";

const SECOND = 1000;
const standing = () => [
  process.exit,
  process.listenerCount("exit"),
  process.listenerCount("beforeExit"),
  process.hasUncaughtExceptionCaptureCallback(),
];

it("gives what was loaded, and leaves nothing behind that would speak later", async () => {
  const before = standing();
  expect(await inGoodTime(() => Promise.resolve("loaded"), SECOND)).toBe("loaded");
  expect(standing()).toEqual(before);
});

it("gives up on a plugin that is busy for too long", async () => {
  await expect(inGoodTime(() => new Promise(() => {}), 20)).rejects.toThrow(
    "it did not finish loading in 0.02 seconds",
  );
});

it.each([
  ["at once", async () => process.exit(0)],
  [
    "and would not hear of it",
    async () => {
      try {
        process.exit(0);
      } catch {
        return "loaded all the same";
      }
    },
  ],
])("stays when a plugin ends the process while it is loaded: %s", async (_, load) => {
  const before = standing();
  await expect(inGoodTime(load, SECOND)).rejects.toThrow("it ended the process while it was loaded");
  expect(standing()).toEqual(before);
});

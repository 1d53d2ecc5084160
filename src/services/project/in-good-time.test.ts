import { expect, it } from "vitest";
import { inGoodTime } from "./in-good-time.ts";

const onExit = (why: string): string => why;

it("gives what was loaded, and leaves nothing behind that would speak later", async () => {
  const listeners = process.listenerCount("exit") + process.listenerCount("beforeExit");
  expect(await inGoodTime(Promise.resolve("loaded"), { onExit })).toBe("loaded");
  expect(process.listenerCount("exit") + process.listenerCount("beforeExit")).toBe(listeners);
});

it("gives up on a plugin that is busy for too long", async () => {
  await expect(inGoodTime(new Promise(() => {}), { limitMs: 20, onExit })).rejects.toThrow(
    "it did not finish loading in 0.02 seconds",
  );
});

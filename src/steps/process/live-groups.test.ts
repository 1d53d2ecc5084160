// When the engine goes down, so does what it runs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { whileAlive } from "./start-process.ts";

it("ends every running group on the way out, and none that has ended", async () => {
  const before = process.listeners("exit");
  const child = spawn("sleep", ["900"], { detached: true, stdio: "ignore" });
  const release = whileAlive(child.pid ?? 0);
  const added = process.listeners("exit").filter((listener) => !before.includes(listener));
  expect(added).toHaveLength(1);
  added[0]?.(0);
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGKILL");
  release();
  expect(process.listeners("exit")).toEqual(before);
});

import { spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { readWhole } from "./inputs.ts";

it.runIf(process.platform === "linux")("waits for what a non-blocking pipe does not have yet", () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-stdin-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const pipe = join(folder, "pipe");
  spawnSync("mkfifo", [pipe]);
  const reading = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(reading));
  const writing = openSync(pipe, "w");
  // This thread is busy with reading; the other one begins while it is.
  const code = `const { closeSync, writeSync } = require("node:fs");
    writeSync(${writing}, "grün, "); writeSync(${writing}, "and more"); closeSync(${writing});`;
  const worker = new Worker(code, { eval: true });
  onTestFinished(() => void worker.terminate());
  expect(readWhole(reading)).toBe("grün, and more");
});

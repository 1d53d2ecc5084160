// Agents' temporary folders: whose are removed, and whose are not.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../test/support/engine/attempt.ts";
import { makeAgentFolder } from "../../features/coding-agents/agent-process.ts";

const folder = testFolder();

/** The folder of a process with that number, with something in it. */
async function folderOf(pid: number, letters: string): Promise<string> {
  const mine = await makeAgentFolder();
  await mine.remove();
  const path = mine.path.replace(`-${process.pid}-`, `-${pid}-`).replace(/[^-]+$/, letters);
  mkdirSync(`${path}/inside`, { recursive: true, mode: 0o700 });
  writeFileSync(`${path}/inside/file`, "x");
  return path;
}

it("is removed with its agent, and on the way out if not before", async () => {
  const before = process.listeners("exit");
  const made = await makeAgentFolder();
  expect(dirname(made.path)).toBe(folder());
  const [onExit] = process.listeners("exit").filter((listener) => !before.includes(listener));
  onExit?.(0);
  expect(existsSync(made.path)).toBe(false);
  await made.remove();
  expect(process.listeners("exit")).toEqual(before);
});

it("of a killed process is removed when the next is made; that of a living one, and one of unknown origin, stays", async () => {
  const living = spawn("sleep", ["60"], { stdio: "ignore" });
  try {
    const left = await folderOf(spawnSync("true").pid, "gone");
    const used = await folderOf(living.pid ?? 0, "used");
    const unknown = `${folder()}/segno-agent-AbCdEf`;
    mkdirSync(unknown, { mode: 0o700 });
    const mine = await makeAgentFolder();
    const other = await makeAgentFolder();
    expect([left, used, unknown, mine.path, other.path].map((path) => existsSync(path))).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    await mine.remove();
    await other.remove();
    for (const path of [used, unknown]) rmSync(path, { recursive: true });
  } finally {
    living.kill("SIGKILL");
  }
});

it.skipIf(process.platform !== "linux")("stays while an agent that outlived its Segno still uses it", async () => {
  const left = await folderOf(spawnSync("true").pid, "kept");
  const agent = spawn("sleep", ["60"], { env: { ...process.env, CLAUDE_CODE_TMPDIR: left }, stdio: "ignore" });
  await new Promise((resolve) => agent.once("spawn", resolve));
  await (await makeAgentFolder()).remove();
  expect(existsSync(left)).toBe(true);
  agent.kill("SIGKILL");
  await new Promise((resolve) => agent.once("exit", resolve));
  await (await makeAgentFolder()).remove();
  expect(existsSync(left)).toBe(false);
});

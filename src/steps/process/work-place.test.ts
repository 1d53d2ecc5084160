// Agents of several processes in one folder: what was put there for them goes with the last.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../test/support/engine/attempt.ts";
import { WORKS_IN } from "../../features/coding-agents/agent.ts";
import { clearFolders, enterFolder, isWorkedIn } from "../../features/coding-agents/agent-process.ts";

const folder = testFolder();

const notes = (): string[] => readdirSync(folder()).filter((name) => name.startsWith("segno-place-"));

/** Copies this process's only note, as that of another process. */
function noteOf(pid: number): void {
  const [mine = ""] = notes();
  const theirs = mine.replace(`-${process.pid}-`, `-${pid}-`);
  cpSync(join(folder(), mine), join(folder(), theirs), { recursive: true, preserveTimestamps: true });
  spawnSync("chmod", ["700", join(folder(), theirs)]);
}

function collector(): { readonly removed: string[]; readonly remove: (paths: readonly string[]) => Promise<void> } {
  const removed: string[] = [];
  return { removed, remove: async (paths) => void removed.push(...paths) };
}

it("removes what was not there before when the last of several agents leaves", async () => {
  const { removed, remove } = collector();
  const first = await enterFolder("/project", ["/project/a"]);
  const second = await enterFolder("/project", ["/project/b"]);
  const elsewhere = await enterFolder("/other", ["/other/c"]);
  await first.leave(remove);
  expect([removed, isWorkedIn("/project")]).toEqual([[], true]);
  await second.leave(remove);
  expect([removed.sort(), isWorkedIn("/project"), isWorkedIn("/other")]).toEqual([
    ["/project/a", "/project/b"],
    false,
    true,
  ]);
  await elsewhere.leave(remove);
  expect(notes()).toEqual([]);
});

it("waits for the agent of another process, and takes over what a killed one left", async () => {
  const living = spawn("sleep", ["60"], { stdio: "ignore" });
  try {
    const { removed, remove } = collector();
    const mine = await enterFolder("/project", ["/project/a"]);
    noteOf(living.pid ?? 0);
    await mine.leave(remove);
    await clearFolders(remove);
    expect(removed).toEqual([]);
  } finally {
    living.kill("SIGKILL");
  }
  await new Promise((resolve) => living.once("exit", resolve));
  const { removed, remove } = collector();
  await clearFolders(remove);
  expect([removed, notes()]).toEqual([["/project/a"], []]);
});

it.skipIf(process.platform !== "linux")("leaves alone what an agent still uses that outlived its Segno", async () => {
  const { removed, remove } = collector();
  const mine = await enterFolder("/project", ["/project/a"]);
  const agent = spawn("sleep", ["60"], { env: { ...process.env, [WORKS_IN]: "/project" }, stdio: "ignore" });
  await new Promise((resolve) => agent.once("spawn", resolve));
  await mine.leave(remove);
  expect([removed, isWorkedIn("/project")]).toEqual([[], true]);
  agent.kill("SIGKILL");
  await new Promise((resolve) => agent.once("exit", resolve));
  await clearFolders(remove);
  expect(removed).toEqual(["/project/a"]);
});

it("removes what it made also where the temporary folder is everybody's", async () => {
  const { removed, remove } = collector();
  spawnSync("chmod", ["0777", folder()]);
  const mine = await enterFolder("/project", ["/project/a"]);
  await mine.leave(remove);
  expect([removed, notes()]).toEqual([["/project/a"], []]);
});

it("removes the folder of a process that was killed before it had written its note", async () => {
  const mine = await enterFolder("/project", []);
  const own = notes();
  noteOf(spawnSync("true").pid);
  const [other = ""] = notes().filter((name) => !own.includes(name));
  rmSync(join(folder(), other, "at-work.json"));
  await clearFolders(async () => {});
  expect(notes()).toEqual(own);
  await mine.leave(async () => {});
});

// A coding agent's temporary folder: removed with its agent, on the way out of the process, or, when the process was
// killed, by the process that makes the next one.
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentFolder } from "../../providers/coding/processes.ts";
import { system } from "./here.ts";
import { foldersLeftBehind, namedAfterThisProcess } from "./private-folder.ts";

const PREFIX = "segno-agent-";
/** Folders that exist now, for the way out. */
const folders = new Set<string>();

export async function makeAgentFolder(): Promise<AgentFolder> {
  await removeLeftAgentFolders();
  const path = await mkdtemp(join(tmpdir(), namedAfterThisProcess(PREFIX)));
  if (folders.size === 0) process.once("exit", removeAll);
  folders.add(path);
  return {
    path,
    remove: async () => {
      await rm(path, { recursive: true, force: true });
      folders.delete(path);
      if (folders.size === 0) process.removeListener("exit", removeAll);
    },
  };
}

/** Removes what killed processes left behind. An agent may outlive its Segno for a while: what it still uses stays. */
export async function removeLeftAgentFolders(parent = tmpdir()): Promise<void> {
  const left = foldersLeftBehind(parent, PREFIX);
  if (left.length === 0) return;
  const environments = system.environments().map((variables) => variables.join("\n"));
  for (const path of left)
    if (!environments.some((variables) => variables.includes(path)))
      // Another process may be quicker.
      await rm(path, { recursive: true, force: true }).catch(() => {});
}

function removeAll(): void {
  for (const path of folders) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Its agent still writes in it, and is ended after this; the next one removes it.
    }
  }
}

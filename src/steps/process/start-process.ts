// Starts a command as this system starts commands: in a group of its own, or in the job that ends with this process. Groups
// that run when the engine goes down go with it.
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { ServerProcesses } from "../../providers/mcp/stdio.ts";
import { system } from "./here.ts";
import type { Command } from "./system.ts";

/** Throws, or the child says by an event, when it cannot be started. */
export function startProcess(command: Command, stdio: StdioOptions): ChildProcess {
  const { file, args, options } = system.launch(command);
  return spawn(file, args, { ...options, cwd: command.cwd, stdio });
}

export const serverProcesses: ServerProcesses = {
  start: (server) => startProcess(server, ["pipe", "pipe", "pipe"]),
  signal: (pid, name) => system.signalTrees([pid], name),
};

const groups = new Set<number>();

export function whileAlive(pid: number): () => void {
  if (groups.size === 0) process.once("exit", endAll);
  groups.add(pid);
  return () => {
    groups.delete(pid);
    if (groups.size === 0) process.removeListener("exit", endAll);
  };
}

/** Nothing can be awaited on the way out, so there is no grace here. */
const endAll = (): void => system.signalTrees([...groups], "SIGKILL");

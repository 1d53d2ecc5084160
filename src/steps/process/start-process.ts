// Starts a command as this system starts commands: in a group of its own, or in the job that ends with this process.
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { ServerProcesses } from "../../providers/mcp/stdio.ts";
import { system } from "./here.ts";
import type { Command } from "./system.ts";

/** Throws, or the child says by an event, when it cannot be started. */
export function startProcess(command: Command, stdio: StdioOptions): ChildProcess {
  const { file, args, options } = system.launch(command);
  return spawn(file, args, { ...options, cwd: command.cwd, stdio });
}

/** How MCP servers are started and ended: as scripts are. */
export const serverProcesses: ServerProcesses = {
  start: (server) => startProcess(server, ["pipe", "pipe", "pipe"]),
  signal: (pid, name) => system.signalTrees([pid], name),
};

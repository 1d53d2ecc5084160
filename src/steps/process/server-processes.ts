// How MCP servers are started and ended: as scripts are.
import type { ServerProcesses } from "../../providers/mcp/stdio.ts";
import { system } from "./here.ts";
import { startProcess } from "./start-process.ts";

export const serverProcesses: ServerProcesses = {
  start: (server) => startProcess(server, ["pipe", "pipe", "pipe"]),
  signal: (pid, name) => system.signalTrees([pid], name),
};

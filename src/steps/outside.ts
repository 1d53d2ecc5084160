// The real world: processes and HTTP as they are here; models and tools as the caller connects them.
// Both are loaded when the first step needs them: most commands never start a process, few send a request.
import type { AgentProcesses } from "../features/coding-agents/agent.ts";
import type { ServerProcesses } from "../providers/mcp/stdio.ts";
import type { StepWorld } from "./world.ts";

let processes: Promise<typeof import("./process/index.ts")> | undefined;
const process = () => (processes ??= import("./process/index.ts"));

export function outsideWorld(connected: Pick<StepWorld, "callTool" | "callModel" | "env">): StepWorld {
  return {
    ...connected,
    run: async (request, attempt) => (await process()).runProcess(request, attempt),
    fetch: async (request, attempt) => (await import("./http/client.ts")).fetchHttp(request, attempt),
  };
}

export const agentProcesses = async (): Promise<AgentProcesses> =>
  (await import("../features/coding-agents/agent-process.ts")).agentProcesses;

export const serverProcesses = async (): Promise<ServerProcesses> =>
  (await import("./process/start-process.ts")).serverProcesses;

/** Ends a process group that outlived its engine (see process/end-tree.ts). True when there was something to end. */
export const endProcessGroup = async (pid: number, startedAt: string): Promise<boolean> =>
  (await process()).endProcessGroup(pid, startedAt);

/** Ends the script of an attempt that was cut off before its process stood in the journal; gives its group, if it lives. */
export const endAttempt = async (idempotencyKey: string): Promise<number | undefined> =>
  (await process()).endMarked(`SEGNO_IDEMPOTENCY_KEY=${idempotencyKey}`);

/** Removes what agents whose Segno was killed left behind: temporary folders, and what sandboxes put into their folders. */
export async function removeWhatAgentsLeft(): Promise<void> {
  const [{ removeLeftAgentFolders, clearFolders }, { removeEmpty }] = await Promise.all([
    import("../features/coding-agents/agent-process.ts"),
    import("../features/coding-agents/placeholders.ts"),
  ]);
  await removeLeftAgentFolders();
  await clearFolders(removeEmpty);
}

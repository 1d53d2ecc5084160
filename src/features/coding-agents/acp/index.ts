// Any agent that speaks the Agent Client Protocol, as a process of its own inside a sandbox. It works with its own tools:
// Segno offers it neither files nor terminals.
import { join } from "node:path";
import {
  type AgentProcess,
  type CodingAgent,
  type CodingAnswer,
  type CodingHooks,
  type CodingTask,
  WORKS_IN,
} from "../agent.ts";
import { holdPlaces } from "../placeholders.ts";
import { converse } from "./converse.ts";
import { launchEnvironment, launchLine, launchOf } from "./launch.ts";
import { type OwnServer, startOwnServer } from "./own-server.ts";
import { confined, type ModelProxy, PROXY_URL, requireSandbox, startProxy } from "./sandbox.ts";

async function work(task: CodingTask, hooks: CodingHooks): Promise<CodingAnswer> {
  const { signal, processes, permissions, cwd, mark } = task;
  const launch = launchOf(task);
  requireSandbox(task, launch.title);
  if (task.builtIns !== null && task.builtIns.length > 0)
    hooks.warn(`${launch.title} has no list of tools to choose from: ${task.builtIns.join(", ")} has no effect.`);
  const temporary = await processes.makeFolder();
  let [server, proxy, started]: [OwnServer?, ModelProxy?, AgentProcess?] = [];
  const abort = (): void => void started?.end();
  signal.addEventListener("abort", abort, { once: true });
  try {
    server = await startOwnServer(task, hooks, temporary.path);
    const isConfined = permissions.sandbox !== "full";
    const socket = join(temporary.path, "proxy.sock");
    if (isConfined) proxy = await startProxy(socket, task, launch.access);
    const env = await launchEnvironment(task, launch, proxy ? proxy.inside : launch.access);
    holdPlaces(task);
    const line = launchLine(launch);
    const [command = "", ...args] = isConfined
      ? await confined(task, launch, line, { folder: temporary.path, proxy: socket })
      : line;
    signal.throwIfAborted();
    const around = isConfined ? { ...BY_PROXY, TMPDIR: "/tmp", [WORKS_IN]: cwd } : {};
    started = processes.startNow({ command, args, cwd, env: { ...env, ...around }, mark });
    hooks.spawned(started.pid, started.identity);
    holdPlaces(task);
    return await converse(started, { task, hooks, launch, server, lastStatus: () => proxy?.lastStatus() });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
    await started?.end();
    server?.close();
    await proxy?.close();
    await temporary.remove();
  }
}

/** Where programs look for the way out. */
const BY_PROXY = Object.fromEntries([
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [
    [name, PROXY_URL],
    [name.toLowerCase(), PROXY_URL],
  ]),
  ["NO_PROXY", "127.0.0.1,localhost"],
  ["no_proxy", "127.0.0.1,localhost"],
]) as Readonly<Record<string, string>>;

export const acp: CodingAgent = { name: "acp", defaultModel: "", work };

// A coding agent's process: in a group of its own, with pipes, and ended with everything it started.
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { AgentProcess, AgentProcesses, AgentProcessRequest } from "../../providers/coding/processes.ts";
import { makeAgentFolder } from "./agent-folder.ts";
import { endMarked, endTree } from "./end-tree.ts";
import { system } from "./here.ts";
import { whileAlive } from "./live-groups.ts";
import { ARCHITECTURE, PLATFORM } from "./platform.ts";
import { startProcess } from "./start-process.ts";
import { clearFolders, enterFolder, isWorkedIn } from "./work-place.ts";

const KEPT_STDERR = 4000;

export const agentProcesses: AgentProcesses = {
  machine: { platform: PLATFORM, arch: ARCHITECTURE },
  startNow,
  makeFolder: makeAgentFolder,
  enterFolder,
  clearFolders,
  isWorkedIn,
  async endMarked([name, value]) {
    await endMarked(`${name}=${value}`);
  },
};

function startNow({ command, args, cwd, env, mark, secret }: AgentProcessRequest): AgentProcess {
  const secretly = secret === undefined ? "ignore" : "pipe";
  const child = startProcess({ command, args, cwd, env }, ["pipe", "pipe", "pipe", secretly]);
  // A failed start is an `error` event, which the caller listens to as well; without a listener it would be thrown.
  child.on("error", () => {});
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  if (secret !== undefined) (child.stdio[3] as Writable).on("error", () => {}).end(secret);
  const release = whileAlive(pid);
  const identity = system.identityOf(pid);
  const exited = exitOf(child);
  void exited.then(release);
  const tail = stderrOf(child);
  let ending: Promise<void> | undefined;
  return {
    pid,
    identity,
    child,
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderrTail: () => tail().trim(),
    exited,
    end: () => (ending ??= endTree({ pid, identity, mark: mark.join("=") }, GRACE_MS)),
  };
}

/** Agents save their session as they go; they need no time to end. */
const GRACE_MS = 1500;

const exitOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`)));

function stderrOf(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-KEPT_STDERR);
  });
  child.stdin?.on("error", () => {});
  return () => text;
}

// Workers for tests: in a process of their own where they are killed, stopped, or more than one is needed; else in the test's,
// which costs next to nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { PROGRAM } from "../../../../test/support/program.ts";
import { until } from "../../../../test/support/until.ts";
import { runWorker } from "../work/worker.ts";

export interface Worker {
  readonly pid: number;
  readonly said: () => string;
  readonly ended: Promise<number | string | null>;
  /** Asks it to leave, and waits until it has. */
  leave(): Promise<void>;
}

export interface WorkerProcess extends Worker {
  readonly child: ChildProcess;
  /** In an instant, and waits until it is gone. */
  kill(): Promise<void>;
}

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** It says so when it is there. */
const THERE = "runs at a time";

export async function startWorkerProcess({ cwd, env }: Place, args: readonly string[]): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [PROGRAM, "worker", ...args], {
    cwd,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr?.on("data", (bytes) => {
    text += bytes;
  });
  const ended = new Promise<number | string | null>((done) =>
    child.once("exit", (code, signal) => done(code ?? signal)),
  );
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  await until(() => text.includes(THERE) || child.exitCode !== null).catch(async (problem: unknown) => {
    await end("SIGKILL");
    throw problem;
  });
  return {
    child,
    pid: child.pid ?? 0,
    said: () => text,
    ended,
    leave: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

export interface WorkerHere {
  readonly concurrency?: number;
  readonly id?: string;
}

/** What a worker changes of its process is for one at a time. */
let isThere = false;

/** A worker in this process, of which there is one at a time. */
export async function startWorkerHere({ cwd, env }: Place, options: WorkerHere): Promise<Worker> {
  if (isThere) throw new Error("there is a worker in this process: start another in a process of its own");
  isThere = true;
  // What DBOS asks of its driver is not for whoever reads what tests say.
  Reflect.set(process, "noDeprecation", true);
  const stop = new AbortController();
  let text = "";
  let there = (): void => {};
  const saidSo = new Promise<void>((resolve) => {
    there = resolve;
  });
  const said = (line: string): void => {
    text += `${line}\n`;
    if (line.includes(THERE)) there();
  };
  const ended = runWorker({ cwd, env }, { ...options, said, signal: stop.signal }).finally(() => {
    isThere = false;
  });
  const leave = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  await Promise.race([saidSo, ended]);
  return { pid: process.pid, said: () => text, ended, leave };
}

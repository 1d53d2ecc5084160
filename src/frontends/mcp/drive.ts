// What a tool wants driven, as plain data, carried out inside the server or in a process of its own, which goes on when the
// client goes or the server ends. The two speak over the child's IPC channel: an order and a stop; id, progress and result.
import { spawn } from "node:child_process";
import { plainEntry } from "../../base/results/entry.ts";
import { crashResult } from "../../base/results/index.ts";
import type { Result } from "../../base/results/result.ts";
import { retryLetters } from "../../services/dead-letters/letters.ts";
import type { GateAnswerRequest } from "../../services/gates/checked-answer.ts";
import { answerGate } from "../../services/gates/gates.ts";
import type { DriveListeners, Listener, ResumeRequest, RunRequest } from "../../services/request.ts";
import { resumeRun } from "../../services/runs/resume.ts";
import { runWorkflow } from "../../services/runs/run.ts";
import { showRun } from "../../services/runs/runs.ts";
import { withSnapshot } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";
import type { FileDigests } from "../../services/session/snapshot.ts";

export type DriveOrder =
  | ({ readonly to: "run" } & Pick<RunRequest, "file" | "inputs" | "origin">)
  | ({ readonly to: "resume" } & Pick<ResumeRequest, "target" | "inputs" | "rerun" | "file">)
  | ({ readonly to: "answer" } & Pick<GateAnswerRequest, "run" | "value" | "inputs" | "via" | "gate">)
  | { readonly to: "retry"; readonly ids: readonly string[] };

export function carryOutOrder(order: DriveOrder, session: Session, driving: DriveListeners): Promise<Result> {
  switch (order.to) {
    case "run":
      return runWorkflow(session, order, driving);
    case "resume":
      return resumeAndSay(order, session, driving);
    case "answer":
      return answerGate(session, order, driving);
    case "retry":
      // With nothing to retry the answer is no result, and is returned as it is.
      return retryLetters(session, order, driving) as Promise<Result>;
  }
}

/** Of a run that is done already the same result is returned, and a warning says that nothing ran. */
async function resumeAndSay(
  order: Extract<DriveOrder, { readonly to: "resume" }>,
  session: Session,
  driving: DriveListeners,
): Promise<Result> {
  const said: string[] = [];
  const result = await resumeRun(session, order, { ...driving, isDone: (text) => void said.push(text) });
  return { ...result, warnings: [...said.map((message) => plainEntry({ message })), ...result.warnings] };
}

/** What a person would want to hear of an event; nothing of the others. */
export function progressOf(event: Parameters<Listener>[0]): string | undefined {
  const place = (name: string): string => [...event.path, name].join("/");
  switch (event.type) {
    case "workflow_started":
      return `run ${event.run_id} of ${event.data.name} began`;
    case "run_resumed":
      return `run ${event.run_id} goes on`;
    case "agent_started":
      return `${place(event.data.agent_name)} runs${event.data.attempt > 1 ? ` (attempt ${event.data.attempt})` : ""}`;
    case "agent_completed":
      return `${place(event.data.agent_name)} done`;
    case "error_raised":
      return `${place(event.data.node)} raised ${event.data.error.kind}: ${event.data.error.message}`;
    case "retry_scheduled":
      return `${place(event.data.node)} is tried again in ${event.data.delay_seconds} s`;
    case "gate_presented":
      return `${place(event.data.agent_name)} asks a person`;
    default:
      return undefined;
  }
}

/** How a driver differs from a server in a list of processes. It is not inherited, as a variable would be. */
const DRIVER = "segno-drive";

/** `checked`: the files that the server has checked, which are the only ones that the driver goes on with. */
type ToDriver =
  | { readonly order: DriveOrder; readonly cwd: string; readonly checked: FileDigests }
  | { readonly stop: true };
type FromDriver = { readonly run: string } | { readonly progress: string } | { readonly result: Result };

export interface WaitedDrive {
  /** Known with the first event; nothing when the run never began. */
  readonly runId: Promise<string | undefined>;
  readonly result: Promise<Result>;
  stop(): void;
}

/** `started`: where the server was started, and so which project and store the driver uses as well. */
export function driveElsewhere(
  order: DriveOrder,
  here: Session,
  { started, progress }: { readonly started: Session; readonly progress: (message: string) => void },
): WaitedDrive {
  const driver = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...process.argv.slice(2)], {
    argv0: DRIVER,
    cwd: started.cwd,
    env: { ...started.env },
    // A session of its own: no signal that is meant for the server reaches it.
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const send = (message: ToDriver): void => {
    // A driver that is gone has reported it.
    if (driver.connected) driver.send(message, () => {});
  };
  let knowId: (run: string | undefined) => void = () => {};
  const runId = new Promise<string | undefined>((resolve) => {
    knowId = resolve;
  });
  const result = new Promise<Result>((resolve) => {
    const gone = async (why: string): Promise<void> => {
      knowId(undefined);
      const run = await runId;
      resolve(run === undefined ? crashResult(new Error(why)) : await showRun(here, { run }));
    };
    driver.on("message", (message: FromDriver) => {
      if ("run" in message) knowId(message.run);
      else if ("progress" in message) progress(message.progress);
      else {
        knowId(message.result.run_id ?? undefined);
        resolve(message.result);
      }
    });
    driver.once("error", (problem) => void gone(`the run's own process could not be started: ${problem.message}`));
    driver.once("disconnect", () => void gone("the run's own process ended before the run began"));
  });
  send({ order, cwd: here.cwd, checked: here.readsFrom?.snapshot?.digests ?? {} });
  return { runId, result, stop: () => send({ stop: true }) };
}

/** Whether this process was started by a server to drive a run. */
export const isDriver = (): boolean => process.argv0 === DRIVER && process.connected;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What a driver does instead of serving. */
export async function driveForServer(session: Session): Promise<number> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  for (const name of SIGNALS) process.on(name, end);
  const ordered = await new Promise<Exclude<ToDriver, { readonly stop: true }> | undefined>((resolve) => {
    process.once("disconnect", () => resolve(undefined));
    process.on("message", (message: ToDriver) => ("stop" in message ? end() : resolve(message)));
  });
  if (!ordered) return 0;
  let isBegun = false;
  const on: Parameters<typeof carryOutOrder>[2]["on"] = (event) => {
    if (!isBegun) void tell({ run: event.run_id });
    isBegun = true;
    const progress = progressOf(event);
    if (progress !== undefined) void tell({ progress });
  };
  const here = withSnapshot({ ...session, cwd: ordered.cwd }, ordered.checked);
  const driving = { on, signal: stop.signal };
  const result = await carryOutOrder(ordered.order, here, driving).catch((problem: unknown) => crashResult(problem));
  await tell({ result });
  if (process.connected) process.disconnect();
  return result.exit_code ?? 0;
}

/** A server that is gone gets no message, and that changes nothing. */
const tell = (message: FromDriver): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });

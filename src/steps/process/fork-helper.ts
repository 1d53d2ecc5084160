// Starts the scripts of a large driver from a small process. A fork copies the page tables of the process that forks, and
// the driver stands still meanwhile: from 400 MB it takes twice the processor time of a fork from a bare Node. The helper
// opens the pipes of a script through /proc, so all that a script prints goes to the driver and not through the helper.
// Linux only; where the helper cannot be used, the driver forks itself.
import { type ChildProcess, spawn } from "node:child_process";
import { PLATFORM } from "./platform.ts";
import { identityIn } from "./process-table.ts";
import type { Launch } from "./system.ts";

/** Below it a fork of the driver's own is cheaper than to ask. */
const LARGE_BYTES = 120 * 2 ** 20;
/** To look at the size takes some 20 µs. */
const STARTS_PER_LOOK = 16;
/** A request that the helper reads later than this is refused: the run may be another process's by then. */
const FRESH_MS = 1000;
/** A helper that is silent for so long hangs, and is ended. */
const SILENT_MS = 10_000;
/** As `end-tree.ts` gives it. */
const GRACE_MS = 5000;

/** The helper's program. When the driver is gone, whatever the driver had running is ended. */
const HELPER = `
const { spawn } = require("node:child_process");
const { closeSync, constants, openSync, readFileSync } = require("node:fs");
const driver = process.argv[1];
const running = new Set();
const tell = (said) => process.connected && process.send(said, () => {});
const failure = ({ code, message }) => ({ code: code ?? "UNKNOWN", message });
process.on("message", ({ id, sent, file, args, options, stdio }) => {
  const opened = [];
  try {
    if (Math.abs(Date.now() - sent) > ${FRESH_MS}) return tell({ id, refused: "late" });
    try {
      // Of a driver that is gone there is nothing to open, and nothing is started for it.
      for (const fd of stdio) opened.push(openSync("/proc/" + driver + "/fd/" + fd, constants.O_WRONLY));
    } catch {
      return tell({ id, refused: "no pipes" });
    }
    const child = spawn(file, args, { ...options, stdio: ["ignore", ...opened] });
    const { pid } = child;
    if (pid === undefined) return child.once("error", (error) => tell({ id, failed: failure(error) }));
    running.add(pid);
    child.once("exit", (exitCode, signal) => {
      running.delete(pid);
      tell({ id, exitCode, signal });
    });
    // Here it is at least a zombie; the driver may come too late to see it.
    tell({ id, pid, stat: readFileSync("/proc/" + pid + "/stat", "latin1") });
  } catch (error) {
    tell({ id, failed: failure(error) });
  } finally {
    for (const fd of opened) closeSync(fd);
  }
});
const end = (name) => {
  for (const pid of running) {
    try {
      process.kill(-pid, name);
    } catch {}
  }
};
process.on("disconnect", () => {
  end("SIGTERM");
  setTimeout(() => end("SIGKILL"), ${GRACE_MS}).unref();
});
process.send({ ready: true });
`;

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface ForkedProcess {
  readonly pid: number;
  readonly identity: string;
  /** Nothing when the helper ended before the process: how that ended cannot be known. */
  readonly exit: Promise<Exit | undefined>;
}

export interface ForkFailure {
  readonly code: string;
  readonly message: string;
  /** The helper ended in between: the process may have been started. */
  readonly unsure?: true;
}

type Message =
  | { readonly ready: true }
  | ({ readonly id: number } & (
      | { readonly refused: "late" | "no pipes" }
      | { readonly failed: ForkFailure }
      | { readonly pid: number; readonly stat: string }
      | Exit
    ));

/** Refused: the caller is to start it. */
type ForkAnswer = ForkedProcess | ForkFailure | "refused";

interface Request {
  answer(result: ForkAnswer): void;
  exited?(exit: Exit | undefined): void;
}

class ForkHelper {
  readonly #child: ChildProcess;
  readonly #requests = new Map<number, Request>();
  readonly #user = userOfProcess();
  readonly ready: Promise<void>;
  #last = 0;
  #isReady = false;
  isSpent = false;

  constructor() {
    // A session of its own: Ctrl-C is for the driver. It needs nothing of the environment, and so holds no secret.
    this.#child = spawn(process.execPath, ["-e", HELPER, String(process.pid)], {
      ...{ cwd: "/", env: {}, detached: true },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.ready = new Promise((resolve) => {
      const over = (): void => {
        this.#over();
        resolve();
      };
      this.#child.on("message", (message: Message) => {
        if (!("ready" in message)) return this.#heard(message);
        this.#isReady = true;
        resolve();
      });
      this.#child.once("error", over).once("disconnect", over);
    });
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** A driver that changed its user has a helper with more rights than itself. */
  get isUsable(): boolean {
    return this.#isReady && !this.isSpent && this.#user === userOfProcess();
  }

  start({ file, args, options }: Launch, cwd: string, stdio: readonly [number, number]): Promise<ForkAnswer> {
    const id = ++this.#last;
    if (this.#requests.size === 0) this.#child.channel?.ref();
    const hung = setTimeout(() => this.#child.kill("SIGKILL"), SILENT_MS);
    return new Promise((resolve) => {
      const answer = (result: ForkAnswer): void => {
        clearTimeout(hung);
        resolve(result);
      };
      this.#requests.set(id, { answer });
      this.#child.send({ id, sent: Date.now(), file, args, options: { ...options, cwd }, stdio }, () => {});
    });
  }

  #heard(message: Exclude<Message, { ready: true }>): void {
    const request = this.#requests.get(message.id);
    if (!request) return;
    if ("pid" in message) {
      const { pid, stat } = message;
      const exit = new Promise<Exit | undefined>((resolve) => {
        request.exited = resolve;
      });
      request.answer({ pid, identity: identityIn(pid, stat), exit });
      return;
    }
    this.#settled(message.id);
    if ("failed" in message) request.answer(message.failed);
    else if ("refused" in message) {
      // Others' processes cannot be looked into here, and that stays so.
      if (message.refused === "no pipes") this.isSpent = true;
      request.answer("refused");
    } else request.exited?.({ exitCode: message.exitCode, signal: message.signal });
  }

  #settled(id: number): void {
    this.#requests.delete(id);
    if (this.#requests.size === 0) this.#child.channel?.unref();
  }

  #over(): void {
    this.isSpent = true;
    for (const { answer, exited } of this.#requests.values())
      if (exited) exited(undefined);
      else answer({ code: "EPIPE", message: "the process that was to start it was ended", unsure: true });
    this.#requests.clear();
  }
}

const userOfProcess = (): string => `${process.geteuid?.()}:${process.getegid?.()}`;

let helper: ForkHelper | undefined;
let starts = 0;

/** Resolves when it can be used, or cannot be. */
export function startForkHelper(): Promise<void> {
  if (!helper || helper.isSpent) helper = new ForkHelper();
  return helper.ready;
}

/**
 * Starts a process from the helper with these two descriptors of ours as stdout and stderr. Nothing when the driver is
 * small, or the helper is not there yet.
 */
export function forkElsewhere(
  launch: Launch,
  cwd: string,
  stdio: readonly [number, number],
): Promise<ForkAnswer> | undefined {
  if (helper?.isUsable) return helper.start(launch, cwd, stdio);
  // Only one in a process's life: what ended it may end the next.
  if (PLATFORM === "linux" && !helper && ++starts % STARTS_PER_LOOK === 0 && process.memoryUsage.rss() > LARGE_BYTES)
    void startForkHelper();
  return undefined;
}

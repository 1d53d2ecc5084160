// Runs a process to its end and gives its outcome. It has a group of its own, an empty stdin unless text is given, and
// an error file. On abort the whole tree is ended; after a normal exit, background processes that it left go on, and their
// output is read (`rest-of-output.ts`).
import type { ChildProcess, StdioOptions } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type { Caller } from "../caller.ts";
import { whenOurs } from "../when-ours.ts";
import type { ProcessRequest, ProcessResult } from "../world.ts";
import { endTree } from "./end-tree.ts";
import { system } from "./here.ts";
import { Capture, type OutputPipe, type OutputPipes, outputPipes, prepareNextPipes } from "./output.ts";
import { type ErrorFile, makeErrorFile } from "./private-folder.ts";
import { readRest } from "./rest-of-output.ts";
import { spillName } from "./spill-file.ts";
import { startProcess, whileAlive } from "./start-process.ts";

export async function runProcess(request: ProcessRequest, attempt: Caller): Promise<ProcessResult> {
  if (attempt.signal.aborted) return notStarted("ABORT_ERR", "it was cancelled before it began");
  let errorFile: ErrorFile;
  try {
    errorFile = makeErrorFile();
  } catch (error) {
    return notStarted(codeOf(error), `no error file could be made for it: ${(error as Error).message}`);
  }
  try {
    return await runWith(errorFile, request, attempt);
  } finally {
    errorFile.remove();
  }
}

async function runWith(errorFile: ErrorFile, request: ProcessRequest, attempt: Caller): Promise<ProcessResult> {
  const started = await start(request, errorFile, attempt);
  if (!("child" in started)) return started;
  const { child, pid, pipes } = started;
  const release = whileAlive(pid);
  const identity = system.identityOf(pid);
  attempt.emit("script_spawned", { agent_name: attempt.node, key: attempt.key, pid, started_at: identity });

  const stdout = listen(pipes[0], "stdout", attempt, request.joined?.());
  const stderr = listen(pipes[1], "stderr", attempt, request.joined?.());
  feed(child, request.stdin);

  const root = { pid, identity, mark: `CONDUCTOR_ERROR_OUT=${errorFile.path}` };
  let ending: Promise<void> | undefined;
  const end = (): void => {
    ending ??= endTree(root);
  };
  attempt.signal.addEventListener("abort", end, { once: true });
  // An abort between the first look at the signal and the listener would never be heard of.
  if (attempt.signal.aborted) end();

  const exit = exited(child);
  prepareNextPipes();
  const { exitCode, signal } = await exit;
  attempt.signal.removeEventListener("abort", end);
  await ending;
  const holders = await readRest(pipes, root, attempt);
  release();
  return {
    started: true,
    exitCode,
    signal,
    stdout: stdout.finish(),
    stderr: stderr.finish(),
    // A child may write to it as long as it prints.
    errorFile: errorFile.read(),
    ...(ending ? { interrupted: true } : {}),
    ...(holders ? { holders } : {}),
  };
}

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly pipes: readonly [OutputPipe, OutputPipe];
}

/** All is prepared before it is asked whose run it is: after the answer nothing but the start itself is left to do. */
async function start(request: ProcessRequest, errorFile: ErrorFile, attempt: Caller): Promise<Started | ProcessResult> {
  let pipes: OutputPipes;
  try {
    pipes = outputPipes();
  } catch (error) {
    return notStarted(codeOf(error), (error as Error).message);
  }
  // Two names for one file: ours, and the one that scripts written for Conductor know.
  const named = { SEGNO_ERROR_OUT: errorFile.path, CONDUCTOR_ERROR_OUT: errorFile.path };
  const command = { ...request, env: { ...request.env, ...named } };
  const stdio: StdioOptions = [request.stdin ? "pipe" : "ignore", ...pipes.stdio];
  try {
    return await whenOurs(attempt, () => startNow(command, stdio, pipes));
  } catch (lost) {
    pipes.discard();
    throw lost;
  }
}

function startNow(
  command: ProcessRequest,
  stdio: StdioOptions,
  pipes: OutputPipes,
): Started | ProcessResult | Promise<ProcessResult> {
  try {
    const child = startProcess(command, stdio);
    if (child.pid !== undefined) return { child, pid: child.pid, pipes: pipes.readers(child) };
    pipes.discard();
    return new Promise((resolve) => child.once("error", (error) => resolve(notStarted(codeOf(error), error.message))));
  } catch (error) {
    // Some failures are thrown (arguments that are too long), others arrive as an event.
    pipes.discard();
    return notStarted(codeOf(error), (error as Error).message);
  }
}

function exited(child: ChildProcess): Promise<{ exitCode: number | null; signal: string | null }> {
  return new Promise((resolve) => child.once("exit", (exitCode, signal) => resolve({ exitCode, signal })));
}

function feed(child: ChildProcess, text: string | undefined): void {
  // A process that does not read to the end of its input is no failure.
  child.stdin?.on("error", () => {});
  child.stdin?.end(text);
}

function listen(
  { reader }: OutputPipe,
  stream: "stdout" | "stderr",
  attempt: Caller,
  joined: ReturnType<NonNullable<ProcessRequest["joined"]>> | undefined,
) {
  const capture = new Capture(attempt.spillDir, () => spillName(attempt, stream));
  const tell = (text: string): void => {
    if (text !== "") attempt.emit("script_output", { node: attempt.node, key: attempt.key, stream, text });
  };
  const live = new LiveOutput((text) => tell(joined ? joined.push(text) : text));
  let finished = false;
  reader.on("data", (chunk: Buffer) => {
    if (finished) return;
    capture.add(chunk);
    if (!capture.isFull) live.add(chunk);
  });
  // The other end of a pipe may vanish in many ways; whatever came before counts.
  reader.on("error", () => {});
  return {
    finish() {
      finished = true;
      live.finish();
      if (joined) tell(joined.end());
      return capture.finish();
    },
  };
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "UNKNOWN";

const notStarted = (code: string, message: string): ProcessResult => ({ started: false, code, message });

const BATCH_MS = 50;
const BATCH_CHARACTERS = 16 * 1024;

/** For live display: in batches, whole characters only. It stops where the capture is full: there is the spill file then. */
class LiveOutput {
  #decoder: StringDecoder | undefined;
  #pending = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: (text: string) => void) {}

  add(chunk: Buffer): void {
    this.#decoder ??= new StringDecoder("utf8");
    this.#pending += this.#decoder.write(chunk);
    if (this.#pending.length >= BATCH_CHARACTERS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  finish(): void {
    this.#pending += this.#decoder?.end() ?? "";
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.tell(text);
  }
}

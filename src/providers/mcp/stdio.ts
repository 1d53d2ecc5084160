// An MCP server as a child process, in a process group of its own: servers are often started through npx or a shell, and
// ending only the child leaves the real server behind. Its stderr is kept for messages and goes nowhere else.
import type { ChildProcess } from "node:child_process";
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { LineBuffer, MessageTooLarge } from "./message-cap.ts";

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The floor above implements it: scripts and agents are started and ended in the same way. */
export interface ServerProcesses {
  start(server: StdioServer): ChildProcess;
  signal(pid: number, name: "SIGTERM" | "SIGKILL"): void;
}

const KEPT_STDERR = 4000;
/** After its stdin closed, and again after TERM. */
const GRACE_MS = 2000;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #stderr = "";
  readonly #lines = new LineBuffer();
  readonly #killAtExit = () => this.#signal("SIGKILL");

  constructor(
    private readonly server: StdioServer,
    private readonly processes: ServerProcesses,
    private readonly exceeded: (problem: MessageTooLarge) => void,
  ) {}

  get stderrTail(): string {
    return this.#stderr.trim();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = this.processes.start(this.server);
      this.#child = child;
      process.once("exit", this.#killAtExit);
      this.#exited = new Promise((done) => {
        child.once("close", () => {
          process.removeListener("exit", this.#killAtExit);
          done();
          this.onclose?.();
        });
      });
      child.once("spawn", resolve);
      child.once("error", reject);
      child.stdin?.on("error", (error) => this.onerror?.(error));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR);
      });
      child.stdout?.on("data", (chunk: Buffer) => this.#read(chunk));
    });
  }

  #read(chunk: Buffer): void {
    try {
      for (const line of this.#lines.add(chunk)) this.#take(line);
    } catch (problem) {
      if (!(problem instanceof MessageTooLarge)) throw problem;
      this.exceeded(problem);
      // It may never stop: nothing more is read, and it is not asked to end.
      this.#child?.stdout?.destroy();
      this.#signal("SIGKILL");
    }
  }

  #take(line: string): void {
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // A line that is no message: servers print such things; the next line may be one.
      this.onerror?.(error as Error);
    }
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.#child?.stdin;
      if (!stdin?.writable) return reject(new Error("the server has gone away"));
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Closes its stdin, then TERM, then KILL, to the whole group; returns when it is gone. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.stdin?.end();
    if (!(await this.#gone())) {
      this.#signal("SIGTERM");
      if (!(await this.#gone())) this.#signal("SIGKILL");
    }
    // The child may be gone and leave others of its group behind.
    this.#signal("SIGKILL");
    await this.#gone();
  }

  async #gone(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((done) => {
      timer = setTimeout(() => done(false), GRACE_MS);
    });
    try {
      return await Promise.race([this.#exited.then(() => true as const), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #signal(name: "SIGTERM" | "SIGKILL"): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) this.processes.signal(pid, name);
  }
}

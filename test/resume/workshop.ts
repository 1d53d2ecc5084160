// Workflows whose steps leave a mark each time they run, the services on them, and the program itself where a run has
// to be killed.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Result } from "../../src/base/results/index.ts";
import { begin } from "../support/command-line.ts";
import { type Played, Playground } from "../support/play.ts";
import { KEPT_CODE, PROGRAM } from "../support/program.ts";

const IN_JSON = ["--output-format", "json", "-q"];

const answered = (code: number | string | null, stdout: string) => ({
  code,
  ...(stdout.trim() === "" ? {} : { result: JSON.parse(stdout) as Result }),
});

export class Workshop extends Playground {
  constructor(files: Readonly<Record<string, string>>) {
    super();
    onTestFinished(() => this.close());
    this.write(files);
  }

  /** The marks since the last time they were asked for. */
  #seen = 0;
  marks(): string[] {
    const file = join(this.folder, "marks");
    const all = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    const fresh = all.slice(this.#seen);
    this.#seen = all.length;
    return fresh;
  }

  /** The exported events of a run, as text. */
  events(runId: string): string {
    return readFileSync(join(this.session.home, "runs", runId, "events.jsonl"), "utf8");
  }

  override resume(target: string | undefined, more: Parameters<Playground["resume"]>[1] = {}): Promise<Played> {
    return super.resume(target as string, more);
  }

  /** A command, and the result if it printed one. With a fault it has a process of its own, which can be killed. */
  async segno(args: readonly string[], fault?: string): Promise<{ code: number | string | null; result?: Result }> {
    if (fault !== undefined) return this.program(args, fault);
    const { answer, ended } = begin([...args, ...IN_JSON], { cwd: this.folder, env: this.#env });
    return answered(await ended, answer());
  }

  get #env(): Record<string, string | undefined> {
    return { ...this.session.env, ...KEPT_CODE, SEGNO_HOME: this.session.home };
  }

  /** The same in a process of its own: what it leaves in its files when it ends is then all that there is. */
  async program(args: readonly string[], fault?: string): Promise<{ code: number | string | null; result?: Result }> {
    const started = this.start(args, fault);
    let stdout = "";
    started.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    const code = await new Promise<number | string | null>((done) => {
      started.once("exit", (exit, signal) => setImmediate(() => done(exit ?? signal)));
    });
    return answered(code, stdout);
  }

  /** The program as a process of its own. */
  start(args: readonly string[], fault?: string) {
    const child = spawn(process.execPath, [PROGRAM, ...args, ...IN_JSON], {
      cwd: this.folder,
      env: { ...this.#env, ...(fault ? { SEGNO_FAULT: fault } : {}) },
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    return child;
  }

  /** Runs the file and is killed at that write, which must be one. */
  async killedAt(fault: string, args: readonly string[] = ["run", "main.yaml"]): Promise<void> {
    const { code } = await this.segno(args, fault);
    if (code !== "SIGKILL") throw new Error(`${fault} killed nothing: it ended with ${code}`);
  }
}

/** A script that leaves `mark`, and fails while there is no file `ok-NAME`, if it is one that may fail. */
export const script = (name: string, more = "", { mark = name, mayFail = false, output = "{}" } = {}): string =>
  `{ name: ${name}, type: script, command: sh, args: ['-c', 'echo "${mark}" >> marks; ${
    mayFail ? `test -e ok-${name} || exit 1; ` : ""
  }echo ''${output}'''], raises: [app.no], ${more} }`;

export const statuses = (result: Result): Record<string, string> =>
  Object.fromEntries(
    (result.execution?.steps ?? []).map((step) => [
      step.node_id,
      `${step.status}${step.cached ? " cached" : ""}${step.repaired ? " repaired" : ""}`,
    ]),
  );

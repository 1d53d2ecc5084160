// Somewhere to ask a fleet from: a folder and an environment. Asked are the commands in the test's own process, unless the
// process itself matters.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { begin, type Ended, type Underway } from "../../../../test/support/command-line.ts";
import { PROGRAM } from "../../../../test/support/program.ts";
import type { Result } from "../../../base/results/result.ts";

export type Env = Readonly<Record<string, string>>;

export class Machine {
  readonly folder: string;
  readonly #env: (more: Env) => NodeJS.ProcessEnv;
  readonly #spawns: boolean;

  /** `spawns`: every command has a process of its own. */
  constructor(folder: string, env: (more: Env) => NodeJS.ProcessEnv, { spawns = false } = {}) {
    this.folder = folder;
    this.#env = env;
    this.#spawns = spawns;
  }

  /** A process for what goes on while the test does, and is sent a signal, or read line by line. */
  start(args: readonly string[], env: Env = {}): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: this.folder, env: this.#env(env) });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    return child;
  }

  /** A command that goes on while the test does. */
  follow(args: readonly string[], env: Env = {}): Underway {
    if (!this.#spawns) return begin(args, { cwd: this.folder, env: this.#env(env) });
    const child = this.start(args, env);
    const text = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (bytes) => {
        text[name] += bytes;
      });
    const ended = new Promise<number | null>((done) => child.once("close", done));
    return { answer: () => text.stdout, said: () => text.stderr, ended };
  }

  async segno(args: readonly string[], env: Env = {}): Promise<Ended> {
    const { answer, said, ended } = this.follow(args, env);
    const code = await ended;
    return { code, stdout: answer(), stderr: said() };
  }

  async json<Answer = Result>(args: readonly string[], env: Env = {}): Promise<Answer> {
    const { stdout, stderr } = await this.segno([...args, "--output-format", "json"], env);
    try {
      return JSON.parse(stdout) as Answer;
    } catch {
      throw new Error(`no JSON from segno ${args.join(" ")}: ${stdout}${stderr}`);
    }
  }
}

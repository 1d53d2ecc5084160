// A fleet for tests: real workers in processes of their own, on a database of their own.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import type { RunEvent } from "../../src/events/registry.ts";
import type { Result } from "../../src/results/result.ts";
import { until } from "../support/until.ts";
import { cluster } from "./cluster.ts";

const PROGRAM = resolve("dist/main.cjs");
export const SEAL_KEY = "k".repeat(64);

export interface Worker {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly said: () => string;
  readonly ended: Promise<number | string | null>;
}

export class TestFleet {
  readonly url: string;
  readonly folder: string;

  private constructor(url: string, folder: string) {
    this.url = url;
    this.folder = folder;
  }

  static async start(): Promise<TestFleet> {
    const url = await (await cluster()).database();
    const folder = mkdtempSync(join(tmpdir(), "segno-fleet-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return new TestFleet(url, folder);
  }

  write(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  lines(name: string): readonly string[] {
    try {
      return readFileSync(join(this.folder, name), "utf8").split("\n").slice(0, -1);
    } catch {
      return [];
    }
  }

  #env(home: string, more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    const { PATH, HOME } = process.env;
    return {
      ...{ PATH, HOME, NO_COLOR: "1", CI: "1", SEGNO_HOME: join(this.folder, home), SEGNO_ON: this.url },
      ...{ SEGNO_SEAL_KEY: SEAL_KEY, SEGNO_BEAT_SECONDS: "0.5", SEGNO_DEAD_SECONDS: "3" },
      ...more,
    };
  }

  /** Gives it when it has said that it is there. */
  async worker(env: Readonly<Record<string, string>> = {}, ...args: string[]): Promise<Worker> {
    const child = spawn(process.execPath, [PROGRAM, "worker", ...args], {
      cwd: this.folder,
      env: this.#env("worker", env),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let text = "";
    child.stderr?.on("data", (bytes) => {
      text += bytes;
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    const ended = new Promise<number | string | null>((done) =>
      child.once("exit", (code, signal) => done(code ?? signal)),
    );
    await until(() => text.includes("runs at a time") || child.exitCode !== null, 60_000);
    return { child, pid: child.pid ?? 0, said: () => text, ended };
  }

  /** A machine with the workflow files, in the folder where the workers are. */
  get #here(): Machine {
    return new Machine(this.folder, (env) => this.#env("home", env));
  }

  segno(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
    return this.#here.segno(args, env);
  }

  /** A command that goes on while the test does. */
  follow(args: readonly string[], env: Readonly<Record<string, string>> = {}): Pick<Worker, "said" | "ended"> {
    const child = this.#here.start(args, env);
    let text = "";
    child.stderr.on("data", (bytes) => {
      text += bytes;
    });
    return { said: () => text, ended: new Promise((done) => child.once("close", (code) => done(code))) };
  }

  json<Answer = Result>(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#here.json<Answer>(args, env);
  }

  /** Another machine: a folder and a home of its own, nothing of the workers' settings, and no SEGNO_ON: it says `--on`. */
  elsewhere(): Machine {
    const folder = mkdtempSync(join(tmpdir(), "segno-elsewhere-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { PATH } = process.env;
    return new Machine(folder, (env) => ({
      ...{ PATH, HOME: folder, NO_COLOR: "1", CI: "1", SEGNO_HOME: join(folder, "home"), SEGNO_SEAL_KEY: SEAL_KEY },
      ...env,
    }));
  }

  /** Places a run and gives its id. */
  async place(file: string, ...args: string[]): Promise<string> {
    const { run_id } = await this.json(["run", file, "--detach", ...args]);
    if (run_id === null) throw new Error("the run was not placed");
    return run_id;
  }

  async events(runId: string): Promise<readonly RunEvent[]> {
    return (await this.json<{ events: readonly RunEvent[] }>(["events", runId])).events;
  }

  async statusOf(runId: string): Promise<string> {
    const rows = await (await cluster()).sql(
      `select status, drive_ended from segno.runs where run_id = '${runId}'`,
      this.url,
    );
    return rows[0]?.drive_ended === true ? String(rows[0]?.status) : "underway";
  }

  /** Waits until all have ended, and gives their statuses. */
  async allEnded(runIds: readonly string[], withinMs = 120_000): Promise<readonly string[]> {
    await until(async () => {
      const rows = await (await cluster()).sql("select count(*) as n from segno.runs where not drive_ended", this.url);
      return Number(rows[0]?.n) === 0;
    }, withinMs);
    return Promise.all(runIds.map((runId) => this.statusOf(runId)));
  }
}

/** Somewhere to ask from. */
export class Machine {
  readonly folder: string;
  readonly #env: (more: Readonly<Record<string, string>>) => NodeJS.ProcessEnv;

  constructor(folder: string, env: (more: Readonly<Record<string, string>>) => NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#env = env;
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: this.folder, env: this.#env(env) });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    return child;
  }

  async segno(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
    const child = this.start(args, env);
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (bytes) => {
      stdout += bytes;
    });
    child.stderr.on("data", (bytes) => {
      stderr += bytes;
    });
    const code = await new Promise<number | null>((done) => child.once("close", done));
    return { code, stdout, stderr };
  }

  async json<Answer = Result>(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { stdout, stderr } = await this.segno([...args, "--output-format", "json"], env);
    try {
      return JSON.parse(stdout) as Answer;
    } catch {
      throw new Error(`no JSON from segno ${args.join(" ")}: ${stdout}${stderr}`);
    }
  }
}

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run's journal must not hold, whatever happened to its workers. */
export function faultsOf(events: readonly RunEvent[]): readonly string[] {
  const faults: string[] = [];
  const done = new Set<string>();
  events.forEach((event, at) => {
    if (event.seq !== at + 1) faults.push(`event ${event.seq} stands where ${at + 1} should`);
    const key =
      "key" in event.data && typeof event.data.key === "string" ? `${event.path.join("/")} ${event.data.key}` : "";
    if (event.type === "script_spawned" && done.has(key)) faults.push(`${key} ran again after it was done`);
    if (event.type === "agent_completed" && key !== "") done.add(key);
  });
  return faults;
}

// A project in a folder of its own, a home of its own, and the command line: in this process, or as the built program.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { commandLine, type Ended } from "../support/command-line.ts";
import { KEPT_CODE, PROGRAM } from "../support/program.ts";

const made: string[] = [];
/** For `afterAll` of each file: they share a process, in which this one is loaded once. */
export function removeWorkshops(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

type Env = Readonly<Record<string, string>>;

export class Workshop {
  readonly dir: string;
  readonly home: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    const base = mkdtempSync(join(tmpdir(), "segno-project-"));
    made.push(base);
    this.dir = join(base, "work");
    this.home = join(base, "home");
    mkdirSync(join(this.dir, ".git"), { recursive: true });
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    const file = join(this.dir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  read(name: string): string {
    return readFileSync(join(this.dir, name), "utf8");
  }

  env(more: Env = {}): Record<string, string | undefined> {
    const { VITEST: _, NODE_ENV: _env, npm_command: _called, ...inherited } = process.env;
    return { ...inherited, ...KEPT_CODE, HOME: this.home, SEGNO_HOME: this.home, NO_COLOR: "1", ...more };
  }

  /** In this process, which loads no plugins. */
  segno(...args: readonly string[]): Promise<Ended> {
    return this.in(".", {}, ...args);
  }

  in(folder: string, env: Env, ...args: readonly string[]): Promise<Ended> {
    return commandLine(args, { cwd: join(this.dir, folder), env: this.env(env) });
  }

  /** As a process: whoever loads a project's plugins changes its process for good. */
  program(...args: readonly string[]): Promise<Ended> {
    return this.programIn(".", {}, ...args);
  }

  programIn(folder: string, env: Env, ...args: readonly string[]): Promise<Ended> {
    const options = {
      cwd: join(this.dir, folder),
      env: this.env(env),
      timeout: 60_000,
      killSignal: "SIGKILL",
    } as const;
    return new Promise((done) => {
      const child = execFile(process.execPath, [PROGRAM, ...args], options, (_, stdout, stderr) =>
        done({ code: child.exitCode, stdout, stderr }),
      );
      child.stdin?.end();
    });
  }
}

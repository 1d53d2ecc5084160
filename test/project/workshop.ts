// A project in a folder of its own, a home of its own, and the built program.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll } from "vitest";

const PROGRAM = resolve("dist/main.cjs");
const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

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

  segno(...args: readonly string[]): Ended {
    return this.in(".", {}, ...args);
  }

  in(folder: string, env: Readonly<Record<string, string>>, ...args: readonly string[]): Ended {
    const { VITEST: _, NODE_ENV: _env, ...inherited } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: join(this.dir, folder),
      env: { ...inherited, HOME: this.home, SEGNO_HOME: this.home, NO_COLOR: "1", ...env },
      encoding: "utf8",
      timeout: 60_000,
    });
    return { code: status, stdout, stderr };
  }
}

// A folder with workflow files and a home of its own, the services on it, and other processes that use the same home.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { buildSync } from "esbuild";
import { onTestFinished } from "vitest";
import type { EventData, EventType, RunEvent } from "../../src/base/events/registry.ts";
import type { Result } from "../../src/base/results/result.ts";
import {
  type LettersAnswer,
  listLetters,
  type RetryAnswer,
  type RetryRequest,
  retryLetters,
} from "../../src/services/dead-letters/letters.ts";
import type { DriveListeners, Rerun, ResumeRequest, RunRequest } from "../../src/services/request.ts";
import { resumeRun } from "../../src/services/runs/resume.ts";
import { runWorkflow } from "../../src/services/runs/run.ts";
import type { Session } from "../../src/services/session/session.ts";
import { type EmbeddedStore, openStore } from "../../src/storage/embedded/store.ts";
import { hostEnv, hostPart } from "../support/host.ts";

export class Workshop {
  readonly dir = mkdtempSync(join(tmpdir(), "segno-resilience-"));
  readonly home = join(this.dir, ".home");

  constructor(files: Readonly<Record<string, string>>) {
    onTestFinished(() => rmSync(this.dir, { recursive: true, force: true }));
    this.write(files);
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.dir, name)), { recursive: true });
      writeFileSync(join(this.dir, name), text);
    }
  }

  read(name: string): string {
    return readFileSync(join(this.dir, name), "utf8");
  }

  /** How many lines a file has; none when it is not there. */
  lines(name: string): number {
    try {
      return this.read(name).split("\n").length - 1;
    } catch {
      return 0;
    }
  }

  get session() {
    return { cwd: this.dir, home: this.home, env: { PATH: process.env.PATH, ...hostEnv() }, ...hostPart() };
  }

  run(more: Partial<RunRequest & DriveListeners & Session> = {}): Promise<Result> {
    return runWorkflow({ ...this.session, ...more }, { file: "main.yaml", inputs: {}, ...more }, more);
  }

  resume(target?: string, more: Partial<ResumeRequest & Rerun & DriveListeners & Session> = {}): Promise<Result> {
    return resumeRun({ ...this.session, ...more }, { target, inputs: {}, rerun: more, ...more }, more);
  }

  async retry(selection: Partial<RetryRequest & DriveListeners & Session>): Promise<RetryAnswer> {
    return (await retryLetters({ ...this.session, ...selection }, selection, selection)) as RetryAnswer;
  }

  async letters(all = false): Promise<LettersAnswer["letters"]> {
    return (await listLetters(this.session, { all })).letters;
  }

  events<Type extends EventType>({ run_id }: Pick<Result, "run_id">, type: Type): EventData<Type>[] {
    const store = this.store();
    const reader = store.readRun(run_id ?? "");
    const found = [...reader.events()].filter(
      (event): event is Extract<RunEvent, { type: Type }> => event.type === type,
    );
    reader.close();
    store.close();
    return found.map(({ data }) => data as EventData<Type>);
  }

  store(options: Parameters<typeof openStore>[1] = {}): EmbeddedStore {
    return openStore(this.home, options);
  }

  /** Another process with `shop` (cwd, home, env), the services, `say` and `told` in scope. */
  process(source: string, ...args: string[]): Other {
    return start(this, written(source, this), args);
  }
}

/** What programs have in scope. */
const EXPORTS = `
  export { runWorkflow } from "./src/services/runs/run.ts";
  export { resumeRun } from "./src/services/runs/resume.ts";
  export { retryLetters } from "./src/services/dead-letters/letters.ts";
  export { openStore } from "./src/storage/embedded/store.ts";
  export { storeGovernance } from "./src/services/resilience/store-governance.ts";
  export { DeadLetterQueue, ErrorHandler, RetryPolicy } from "./src/index.ts";
`;
const names = [...EXPORTS.matchAll(/\{ (.*) \}/g)].map(([, list]) => list).join(", ");
const preamble = (library: string): string => `
  import { ${names} } from ${JSON.stringify(library)};
  const [cwd, home, ...args] = process.argv.slice(2);
  const shop = { cwd, home, env: { PATH: process.env.PATH } };
  const say = (word) => process.stdout.write(word + "\\n");
  const told = () => new Promise((go) => process.stdin.once("data", () => go()));
  const leave = () => process.exit(0);
`;

const ROOT = join(import.meta.dirname, "../..");
let library: string | undefined;

/** One for all programs: it takes a second of processor time. */
function bundled(): string {
  const outfile = join(mkdtempSync(join(tmpdir(), "segno-program-")), "library.mjs");
  buildSync({
    stdin: { contents: EXPORTS, resolveDir: ROOT, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql", "@libsql/*", "@github/copilot-sdk"],
    banner: { js: 'import { createRequire as __r } from "node:module"; const require = __r(import.meta.url);' },
    nodePaths: [join(ROOT, "node_modules")],
    logLevel: "silent",
  });
  return outfile;
}

function written(source: string, shop: Workshop): string {
  library ??= bundled();
  const file = join(mkdtempSync(join(shop.dir, ".program-")), "program.mjs");
  writeFileSync(file, preamble(library) + source);
  return file;
}

export interface Other {
  readonly child: ChildProcess;
  line(): Promise<string>;
  tell(): void;
  readonly ended: Promise<number | string | null>;
}

function start(shop: Workshop, file: string, args: readonly string[]): Other {
  const child = spawn(process.execPath, [file, shop.dir, shop.home, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_PATH: join(ROOT, "node_modules") },
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    child,
    line: async () => (await lines.next()).value ?? "",
    tell: () => child.stdin?.write("go\n"),
    ended: new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal))),
  };
}

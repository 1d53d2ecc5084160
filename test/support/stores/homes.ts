// Homes for tests: a fresh folder each, removed at the end of the test. And other processes that use one: small programs,
// bundled once each and run by a real Node.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildSync } from "esbuild";
import { onTestFinished } from "vitest";
import { type EmbeddedStore, openStore, type StoreOptions } from "../../../src/storage/embedded/store.ts";

export { output, someRun } from "./store-maker.ts";

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "segno-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function freshStore(options: StoreOptions = {}): EmbeddedStore {
  return openTestStore(join(freshFolder(), "home"), options);
}

export function openTestStore(home: string, options: StoreOptions = {}): EmbeddedStore {
  const store = openStore(home, options);
  onTestFinished(() => store.close());
  return store;
}

const HERE = join(import.meta.dirname, "../../../src/storage/embedded");
const PACKAGES = join(import.meta.dirname, "../../../node_modules");

const PREAMBLE = `
  import { openStore } from "./store.ts";
  import { LeaseHeld } from "../store-error.ts";
  const [home, ...args] = process.argv.slice(2);
  // On a busy machine a process waits for its turn longer than the usual ten seconds.
  const store = openStore(home, { busyMs: 150_000 });
  const say = (word) => process.stdout.write(word + "\\n");
  /** Waits until the test says something. */
  const told = () => new Promise((go) => process.stdin.once("data", () => go()));
`;

/** Bundles a program; it finds \`home\`, \`args\`, \`store\`, \`say\`, \`told\` and \`LeaseHeld\` in scope. */
export function program(source: string): string {
  const outfile = join(freshFolder(), "program.mjs");
  buildSync({
    stdin: { contents: PREAMBLE + source, resolveDir: HERE, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql"],
  });
  return outfile;
}

export interface Running {
  readonly child: ChildProcess;
  line(): Promise<string>;
  tell(): void;
  /** Ends when the process has; gives its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

export function start(file: string, home: string, ...args: string[]): Running {
  const child = spawn(process.execPath, [file, home, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_PATH: PACKAGES },
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  // It may have ended by itself before the test writes to it.
  child.stdin?.on("error", () => {});
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    child,
    line: async () => (await lines.next()).value ?? "",
    tell: () => child.stdin?.write("go\n"),
    ended: new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal))),
  };
}

// A Postgres of the tests' own: in a temporary folder, on a free port.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOTS = ["/usr/lib/postgresql", "/opt/homebrew/opt/postgresql", "/usr/local/opt/postgresql"];

function binaries(): string | undefined {
  for (const root of ROOTS.filter((folder) => existsSync(folder))) {
    const found = [...readdirSync(root).map((version) => join(root, version, "bin")), join(root, "bin")];
    const newest = found.filter((folder) => existsSync(join(folder, "initdb"))).sort();
    if (newest.length > 0) return newest.at(-1);
  }
  return undefined;
}

const BIN = binaries();

/** Names the folder of the one that all tests share, for test processes. */
export const SHARED_FOLDER = "SEGNO_TEST_POSTGRES";

/** For `describe.skipIf`. */
export const hasPostgres = BIN !== undefined;

/** Postgres does not run as root. */
function asItself(command: string, args: readonly string[]): { readonly status: number | null; readonly text: string } {
  const isRoot = process.getuid?.() === 0;
  const [file, given] = isRoot
    ? ["setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", command, ...args]]
    : [command, [...args]];
  const { status, stdout, stderr, error } = spawnSync(file as string, given as string[], {
    encoding: "utf8",
    cwd: "/",
  });
  return { status, text: `${stdout}${stderr}${error ?? ""}` };
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

/** Nothing of it has to survive the machine, and nothing in it grows old: no syncing, no vacuum. */
const SETTINGS = [
  ...["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "max_wal_size=256MB"],
  ...["autovacuum=off", "jit=off", "max_connections=400", "shared_buffers=64MB", "listen_addresses=127.0.0.1"],
];

export interface PostgresServer {
  readonly url: string;
  start(): void;
  stop(mode: "fast" | "immediate"): void;
}

/** Of Linux, in memory: there a database is copied in half of the processor time. */
const MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4 * 2 ** 30;

function hasPlace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}

const FOLDER = "segno-pg-";

/** A folder for one. What was killed before it could remove its folder would keep its memory. */
export function serverFolder(): string {
  if (!hasPlace(MEMORY)) return mkdtempSync(join(tmpdir(), FOLDER));
  for (const name of readdirSync(MEMORY)) if (name.startsWith(FOLDER)) removeLeft(join(MEMORY, name));
  return mkdtempSync(join(MEMORY, FOLDER));
}

/** Unless its server lives. */
function removeLeft(folder: string): void {
  try {
    const [pid] = readFileSync(join(dataIn(folder), "postmaster.pid"), "utf8").split("\n");
    // While its tables are made, the number of a process that serves no one stands there with a minus sign.
    if (!existsSync(`/proc/${Math.abs(Number(pid))}`)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // One that has not started yet, or was stopped by its test.
  }
}

const dataIn = (folder: string): string => join(folder, "data");

/** Makes its tables in the folder, and starts it. */
export async function startServer(folder: string): Promise<PostgresServer> {
  chmodSync(folder, 0o777);
  const [data, port] = [dataIn(folder), await freePort()];
  const must = (command: string, ...args: string[]): void => {
    const { status, text } = asItself(join(BIN as string, command), args);
    if (status !== 0) throw new Error(`${command}: ${text}`);
  };
  must("initdb", "-D", data, "-U", "segno", "-A", "trust", "-E", "UTF8", "--no-sync");
  const options = [...SETTINGS, `port=${port}`, `unix_socket_directories=${folder}`]
    .map((one) => `-c ${one}`)
    .join(" ");
  const server: PostgresServer = {
    url: `postgres://segno@127.0.0.1:${port}/postgres`,
    start: () => must("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "-o", options, "start"),
    stop: (mode) => must("pg_ctl", "-D", data, "-m", mode, "-w", "stop"),
  };
  server.start();
  return server;
}

/** Ends the server of this folder, if there is one, and removes the folder. */
export function removeServer(folder: string): void {
  if (existsSync(join(dataIn(folder), "postmaster.pid")))
    asItself(join(BIN as string, "pg_ctl"), ["-D", dataIn(folder), "-m", "immediate", "-w", "stop"]);
  rmSync(folder, { recursive: true, force: true });
}

// A Postgres of the tests' own: in a temporary folder, on a free port, one for each test process, with a database for each
// store. Where there is no Postgres, tests that need one are skipped by name.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { openPostgresStore } from "../../src/hosts/postgres/store.ts";

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

export interface Cluster {
  readonly url: string;
  /** A database with nothing in it. */
  empty(): Promise<string>;
  /** One with the tables of a fleet, quickly: a copy of the first. */
  database(): Promise<string>;
  sql(text: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  stop(mode: "fast" | "immediate"): void;
  start(): void;
  close(): void;
}

const SETTINGS = ["fsync=off", "max_connections=400", "shared_buffers=64MB", "listen_addresses=127.0.0.1"];

async function startCluster(): Promise<Cluster> {
  const bin = BIN as string;
  const folder = mkdtempSync(join(tmpdir(), "segno-pg-"));
  chmodSync(folder, 0o777);
  const data = join(folder, "data");
  const port = await freePort();
  const must = (command: string, ...args: string[]): void => {
    const { status, text } = asItself(join(bin, command), args);
    if (status !== 0) throw new Error(`${command}: ${text}`);
  };
  must("initdb", "-D", data, "-U", "segno", "-A", "trust", "-E", "UTF8", "--no-sync");
  const options = [...SETTINGS, `port=${port}`, `unix_socket_directories=${folder}`]
    .map((one) => `-c ${one}`)
    .join(" ");
  const start = (): void => must("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "-o", options, "start");
  const stop = (mode: "fast" | "immediate"): void => must("pg_ctl", "-D", data, "-m", mode, "-w", "stop");
  start();
  const url = `postgres://segno@127.0.0.1:${port}/postgres`;
  let count = 0;
  const sql: Cluster["sql"] = async (text, database = url) => {
    const client = new Client({ connectionString: database });
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  const named = (name: string): string => url.replace(/\/postgres$/, `/${name}`);
  const made = async (how: string): Promise<string> => {
    count += 1;
    const name = `t${process.pid}_${count}`;
    await sql(`create database ${name} ${how}`);
    return named(name);
  };
  let template: Promise<void> | undefined;
  const migratedTemplate = async (): Promise<void> => {
    await sql("create database segno_template");
    const store = await openPostgresStore(named("segno_template"), { home: folder });
    await store.close();
  };
  return {
    url,
    sql,
    start,
    stop,
    empty: () => made(""),
    async database() {
      template ??= migratedTemplate();
      await template;
      const address = await made("template segno_template");
      await sql(`update segno.about set hash_key = '${randomBytes(32).toString("hex")}'`, address);
      return address;
    },
    close() {
      asItself(join(bin, "pg_ctl"), ["-D", data, "-m", "immediate", "-w", "stop"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let running: Promise<Cluster> | undefined;

/** The one of this test process. */
export function cluster(): Promise<Cluster> {
  if (!running) {
    running = startCluster();
    process.once("exit", () => void running?.then((one) => one.close()));
  }
  return running;
}

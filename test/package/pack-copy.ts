// The package, packed from a copy of the repository, in which there is nothing of other builds, and installed. Both take half
// a minute of processor: global-setup.ts does them once, beside the first tests, and whoever needs the package waits for it.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { until } from "../support/until.ts";

/** Names the folder of the package that all tests share, for test processes. */
export const SHARED_FOLDER = "SEGNO_TEST_PACKAGE";

const PARTS = [
  "src",
  "scripts",
  "docs",
  "examples",
  "package.json",
  "tsconfig.json",
  "tsconfig.types.json",
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
];

export interface Packed {
  /** The repository that it was packed from, with what was built there. */
  readonly copy: string;
  readonly tarball: string;
  /** Paths in it. */
  readonly packed: readonly string[];
  /** In bytes. */
  readonly size: number;
  readonly unpackedSize: number;
  /** An empty folder, in which it was installed. */
  readonly user: string;
  /** The package there. */
  readonly inside: string;
  /** What npm said while it installed it. */
  readonly said: string;
}

/** A copy of the repository below `folder`. */
export function copyBelow(folder: string): string {
  const copy = join(folder, "copy");
  mkdirSync(copy);
  for (const name of PARTS) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Packs as `npm publish` would, and installs. Writes what there is then, or why there is nothing, into the folder. */
export async function packInto(folder: string, signal: AbortSignal): Promise<void> {
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, `${name}.new`), text);
    renameSync(join(folder, `${name}.new`), join(folder, name));
  };
  await packed(folder, signal).then(
    (done) => write("packed", JSON.stringify(done)),
    (problem: unknown) => signal.aborted || write("failure", String(problem)),
  );
}

async function packed(folder: string, signal: AbortSignal): Promise<Packed> {
  const [copy, user] = [copyBelow(folder), join(folder, "user")];
  const { NODE_ENV: _env, VITEST: _vitest, ...inherited } = process.env;
  const env = { ...inherited, SEGNO_HOME: join(folder, "home") };
  const npm = (args: readonly string[], cwd: string) =>
    promisify(execFile)("npm", args, { cwd, env, signal, maxBuffer: 2 ** 26 });
  const { stdout } = await npm(["pack", "--json", "--pack-destination", folder], copy);
  const [{ filename, files, size, unpackedSize }] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [
    Pick<Packed, "size" | "unpackedSize"> & {
      readonly filename: string;
      readonly files: readonly { readonly path: string }[];
    },
  ];
  const tarball = join(folder, filename);
  mkdirSync(user);
  writeFileSync(join(user, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  const { stderr: said } = await npm(["install", "--prefer-offline", "--no-audit", "--no-fund", tarball], user);
  const inside = join(user, "node_modules/segno");
  return { copy, tarball, packed: files.map(({ path }) => path).sort(), size, unpackedSize, user, inside, said };
}

/** The package that all tests share. */
export async function packedOnce(): Promise<Packed> {
  const folder = process.env[SHARED_FOLDER];
  if (folder === undefined) throw new Error("test/package/global-setup.ts has not run");
  const [done, failure] = [join(folder, "packed"), join(folder, "failure")];
  await until(() => existsSync(done) || existsSync(failure), 600_000);
  if (existsSync(failure)) throw new Error(readFileSync(failure, "utf8"));
  return JSON.parse(readFileSync(done, "utf8")) as Packed;
}

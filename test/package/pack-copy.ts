// The package, packed from a copy of the repository: nothing of other builds is in it, and no other test is built upon.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

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
  readonly tarball: string;
  /** Paths in it. */
  readonly packed: readonly string[];
  /** In bytes. */
  readonly size: number;
  readonly unpackedSize: number;
}

/** A copy of the repository below `folder`, made by the first call. */
export function copyBelow(folder: string): string {
  const copy = join(folder, "copy");
  if (!existsSync(copy)) {
    mkdirSync(copy);
    for (const name of PARTS) cpSync(name, join(copy, name), { recursive: true });
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  }
  return copy;
}

/** Packs as `npm publish` would. */
export function packCopy(folder: string, to = folder): Packed {
  const copy = copyBelow(folder);
  const { NODE_ENV: _env, VITEST: _vitest, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync("npm", ["pack", "--json", "--pack-destination", to], {
    cwd: copy,
    env: { ...env, SEGNO_HOME: join(folder, "home") },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const [{ filename, files, size, unpackedSize }] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [
    Pick<Packed, "size" | "unpackedSize"> & {
      readonly filename: string;
      readonly files: readonly { readonly path: string }[];
    },
  ];
  return { tarball: join(to, filename), packed: files.map(({ path }) => path).sort(), size, unpackedSize };
}

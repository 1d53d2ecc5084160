// The lock file names the packages of every platform, not only of the one it was made on: a version whose packages could
// not all be fetched is left out without a word, and then `npm ci` fails on an Arm machine or a Mac.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64", "win32-x64"] as const;

/** A package's name that ends with a platform, perhaps with the system's C library behind it. */
const PLATFORM = /[-/](linux|darwin|win32)-(x64|arm64)(?:-(?:gnu|musl|msvc))?$/;

interface Locked {
  readonly version?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Native {
  readonly platform: string;
  readonly name: string;
}

const nativeOf = (name: string): Native | undefined => {
  const [, os, cpu] = PLATFORM.exec(name) ?? [];
  return os && cpu ? { platform: `${os}-${cpu}`, name } : undefined;
};

const isNative = (one: Native | undefined): one is Native => one !== undefined;

type Packages = Readonly<Record<string, Locked>>;

const readLock = (file: string): Packages =>
  (JSON.parse(readFileSync(join(import.meta.dirname, "../..", file), "utf8")) as { readonly packages: Packages })
    .packages;

/** Packages that have a package for each platform, by the place where npm puts them. */
const familiesOf = (packages: Packages) =>
  Object.entries(packages).flatMap(([place, { optionalDependencies }]) => {
    const wanted = Object.keys(optionalDependencies ?? {})
      .map(nativeOf)
      .filter(isNative);
    return wanted.length > 0 ? [{ place, wanted }] : [];
  });

/** Where npm looks for what a package at `place` needs: below it, then beside it, then further up. */
const locked = (packages: Packages, place: string, name: string): Locked | undefined => {
  for (let above = place; ; above = above.slice(0, Math.max(0, above.lastIndexOf("node_modules/") - 1))) {
    const found = packages[`${above}${above ? "/" : ""}node_modules/${name}`];
    if (found || above === "") return found;
  }
};

describe.each([
  ["package-lock.json", ["node_modules/esbuild", "node_modules/libsql"]],
  ["scripts/agents/package-lock.json", ["node_modules/@openai/codex"]],
])("%s", (file, native) => {
  const packages = readLock(file);
  const families = familiesOf(packages);

  it("knows of packages with native parts", () => {
    expect(families.map(({ place }) => place)).toEqual(expect.arrayContaining(native));
  });

  it.each(families)("has every platform of $place", ({ place, wanted }) => {
    const there = wanted.filter(({ name }) => locked(packages, place, name)?.version !== undefined);
    const missing = PLATFORMS.filter((platform) => !there.some((one) => one.platform === platform));
    expect(missing).toEqual([]);
  });

  it("has no package of a platform whose relatives are not there", () => {
    const stems = new Map<string, Set<string>>();
    for (const [place, { os, cpu }] of Object.entries(packages)) {
      const one = os && cpu ? nativeOf(place) : undefined;
      if (!one) continue;
      const stem = place.replace(PLATFORM, "");
      stems.set(stem, (stems.get(stem) ?? new Set()).add(one.platform));
    }
    const partial = [...stems].filter(([, platforms]) => !PLATFORMS.every((platform) => platforms.has(platform)));
    expect(partial.map(([stem]) => stem)).toEqual([]);
  });
});

it("holds without overrides, which not every reader of a lock file knows", () => {
  const { overrides } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect(overrides).toBeUndefined();
});

// npm runs it also for `npm ci --dry-run` and `--omit=dev`, and in a Docker layer that has the package files alone.
it("an install builds where there is something to build, and something that builds", () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-install-"));
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  const isBuilt = (): boolean => {
    expect(spawnSync(scripts.postprepare, { shell: true, cwd: folder, encoding: "utf8" })).toMatchObject({ status: 0 });
    return existsSync(join(folder, "built"));
  };
  try {
    expect(isBuilt()).toBe(false);
    mkdirSync(join(folder, "scripts"));
    writeFileSync(
      join(folder, "scripts/build.mjs"),
      'import { writeFileSync } from "node:fs"; writeFileSync("built", "");',
    );
    expect(isBuilt()).toBe(false);
    mkdirSync(join(folder, "node_modules/esbuild"), { recursive: true });
    expect(isBuilt()).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

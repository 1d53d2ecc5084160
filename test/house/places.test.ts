// scripts/places.mjs names the paths by which the build, the checks and the tests find their way: each of them is there, and
// files of JSON, which cannot import it, name the same.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as places from "../../scripts/places.mjs";

const { SOURCES, DECLARATIONS, DECLARED, DOORS, LARGE_TESTS, PAGE, PROGRAM, SCRIPT_LOADER, STANDING_ALONE } = places;

// biome-ignore lint/suspicious/noExplicitAny: a file of settings, of which every test knows its own part.
const json = (file: string): any => JSON.parse(readFileSync(file, "utf8"));

/** Every text in a value. */
const textsIn = (value: unknown): readonly string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];
// What tests there are beyond the fast tier is described: there the paths are the keys.
const { BEYOND, ...others } = places;
const named = [...new Set([...textsIn(others), ...Object.keys(BEYOND)])];

it("names only what is there", () => {
  expect(named.length).toBeGreaterThan(40);
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  const isThere = (path: string): boolean => {
    if (path.startsWith("*")) return files.some((file) => file.endsWith(path.slice(1)));
    const [before = "", after] = path.split("*");
    return after === undefined
      ? existsSync(path)
      : readdirSync(before).some((name) => existsSync(before + name + after));
  };
  // The declarations are made by the build, and only when they are asked for.
  expect(named.filter((path) => path !== DECLARATIONS && !isThere(path))).toEqual([]);
});

it("names files and folders of the project as whole strings, which a search finds", () => {
  expect(named.filter((path) => !/^(?:src|test|dist)(?:\/|$)/.test(path) && path !== LARGE_TESTS)).toEqual([]);
});

it("names each path once", () => {
  const text = readFileSync("scripts/places.mjs", "utf8");
  const written = [...text.matchAll(/"((?:src|test)\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(written.filter((path, at) => written.indexOf(path) !== at)).toEqual([]);
});

it("agrees with tsconfig.json, of which the page is no part, since it has one of its own", () => {
  const { include, exclude } = json("tsconfig.json");
  expect([include, exclude]).toEqual([
    [SOURCES, "test", "scripts/**/*.ts"],
    [PAGE.folder, PAGE.ofFeatures],
  ]);
  expect(existsSync(`${PAGE.folder}/tsconfig.json`)).toBe(true);
});

it("agrees with tsconfig.types.json", () => {
  const { compilerOptions, include } = json("tsconfig.types.json");
  expect([compilerOptions.rootDir, compilerOptions.outDir]).toEqual([SOURCES, DECLARATIONS]);
  expect([...include].sort()).toEqual([...DECLARED].sort());
});

it("agrees with knip.json on where the program is entered", () => {
  const entered = [PROGRAM, SCRIPT_LOADER, ...Object.values(DOORS), ...Object.values(STANDING_ALONE)];
  const ofPage = [PAGE.main, PAGE.theme, PAGE.streamWorker, PAGE.layoutWorker, PAGE.graph];
  // The mark says that it is part of what is built.
  const entries = (json("knip.json").entry as readonly string[]).filter((path) => path.endsWith("!"));
  expect([...entries].sort()).toEqual([...entered, ...ofPage].map((path) => `${path}!`).sort());
});

it("agrees with package.json on what users import", () => {
  const { "./package.json": _, ...doors } = json("package.json").exports;
  const { raise } = STANDING_ALONE;
  expect(doors).toEqual(
    Object.fromEntries(
      Object.entries({ ...DOORS, raise }).map(([name, file]) => [
        name === "index" ? "." : `./${name}`,
        { types: `./${places.declarationOf(file)}`, default: `./dist/${name}.js` },
      ]),
    ),
  );
});

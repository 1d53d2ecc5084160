// Where code may meet the world: the clock, the environment, the system, the end of the process.
import { expect, it } from "vitest";
import { sourceFiles, textOf } from "./imports.ts";
import { isWithin, wingOf } from "./wings.ts";

const files = sourceFiles();

/** The sources that match, written as in the lists below, whose order is then of no account. */
const filesWith = (pattern: RegExp): string[] =>
  files.filter((file) => pattern.test(textOf(file))).map((file) => `src/${file}`);

it("ends the process in one place, beside where it watches over the ends of others", () => {
  const expected = [
    "src/base/errors/leave-process.ts",
    // The text of a program of its own.
    "src/services/resilience/policy-host.ts",
    "src/services/project/plugin-work.ts",
    // The text of a program of its own.
    "src/features/scenarios/shims.ts",
  ];
  expect(filesWith(/process\.exit\(/).sort()).toEqual(expected.sort());
});

it("asks which system this is in one place, so that every difference has a side for POSIX and one for Windows", () => {
  const expected = [
    // It imports nothing of the house: it runs before any of it is loaded.
    "src/bin/cache-folder.ts",
    "src/steps/process/platform.ts",
  ];
  const asking = filesWith(/process\.platform|\bplatform\(\)|\{[^}]*\bplatform\b[^}]*\} = process\b/);
  expect(asking.sort()).toEqual(expected.sort());
});

/** Wings and folders that are given the time, random numbers and settings as values. */
const WITHOUT_WORLD = ["base", "template", "language", "engine", "graph", "features/editor"];

/** When a trigger fires is computed from times that services pass in. */
const FILES_WITHOUT_WORLD = [
  "src/features/triggers/context.ts",
  "src/features/triggers/cron.ts",
  "src/features/triggers/due.ts",
  "src/features/triggers/schema.ts",
  "src/features/triggers/verify.ts",
];

/** Scripts of users call it, in processes of their own. */
const IN_SCRIPTS = "src/base/errors/raise.ts";

it("reads clock, random numbers and environment only where the world begins", () => {
  const isWithout = (file: string): boolean =>
    FILES_WITHOUT_WORLD.includes(`src/${file}`) || WITHOUT_WORLD.some((place) => isWithin(file, place));
  expect(FILES_WITHOUT_WORLD.filter((file) => !files.includes(file.slice("src/".length)))).toEqual([]);
  // `new Date(x)` is arithmetic; only reading the present counts.
  const reading = files.filter(
    (file) =>
      isWithout(file) && /\bDate\.now\(|new Date\(\)|Math\.random\(|process\.env\b/.test(withoutComments(textOf(file))),
  );
  expect(reading.map((file) => `src/${file}`)).toEqual([IN_SCRIPTS]);
});

it("runs nothing side by side in the interpreter but through the port", () => {
  const engine = files.filter((file) => wingOf(file) === "engine");
  expect(engine.filter((file) => /Promise\.(all|race|any|allSettled)\b/.test(textOf(file)))).toEqual([]);
});

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");

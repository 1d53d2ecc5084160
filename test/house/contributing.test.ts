// CONTRIBUTING.md sends newcomers to files: they are there, and hold what it says they hold.
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sourceFiles } from "./imports.ts";

const page = readFileSync("CONTRIBUTING.md", "utf8");

/** Being built; to be emptied. */
const NOT_THERE_YET: readonly string[] = [];

const paths = [...page.matchAll(/`([\w./-]+(?:\/|\.ts|\.md))`/g)]
  .map(([, path = ""]) => path)
  .filter((path) => path.includes("/") && !NOT_THERE_YET.includes(path));

// A folder of a wing is named by itself where the wing has been named before.
const WINGS = ["base", "language", "engine", "storage", "services", "frontends", "features"];
const placesOf = (path: string): readonly string[] =>
  [path, `src/${path}`, ...WINGS.map((wing) => `src/${wing}/${path}`)].filter((place) => existsSync(place));

it.each([...new Set(paths)])("%s is there", (path) => {
  expect(placesOf(path)).not.toEqual([]);
});

it.each([
  ["services/session/session.ts", "export function openSession"],
  ["engine/visit/routes.ts", "export function readErrorRoutes"],
  ["engine/visit/route-retries.ts", "export function routeRetryDelaySeconds"],
  ["engine/guard/resilience/retry-policy.ts", "retry"],
  ["providers/transport.ts", "Seconds"],
  ["engine/groups/group-output.ts", "export function groupFields"],
  ["base/results/build.ts", "export function exitCodeOf"],
  ["base/errors/envelope.ts", "export function raised"],
  ["engine/visit/carry-out.ts", '"internal.step_error"'],
])("%s holds %s", (file, what) => {
  expect(page).toContain(`\`${file}\``);
  const [place = ""] = placesOf(file);
  expect(readFileSync(place, "utf8")).toContain(what);
});

it("says what the program reads from the environment", () => {
  expect(readFileSync("src/language/quick/yaml.ts", "utf8")).toContain("env.SEGNO_QUICK");
  expect(page).toContain("SEGNO_QUICK=off");
  expect(readFileSync("src/services/drive/keyframe.ts", "utf8")).toContain("env.SEGNO_KEYFRAMES");
  expect(page).toContain("SEGNO_KEYFRAMES=off");
});

it("reads SEGNO_DEBUG in one way: only 1 prints stacks", () => {
  const readings = sourceFiles().flatMap((file) =>
    [...readFileSync(`src/${file}`, "utf8").matchAll(/env\.SEGNO_DEBUG\b(.{0,8})/g)].map(([, test = ""]) => ({
      file,
      test,
    })),
  );
  expect(readings.length).toBeGreaterThan(0);
  expect(readings.filter(({ test }) => !test.startsWith(' === "1"'))).toEqual([]);
});

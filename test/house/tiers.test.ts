// Every test file is in one tier, and only in one: a file that none includes would never run, and nobody would notice.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BEYOND } from "../../scripts/places.mjs";
import { PROJECTS, type Project } from "../tiers.ts";

const files = ["src", "test"].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(test|spec)\.[a-z]+$/.test(file))
    .map((file) => join(root, file)),
);

// A folder with everything below it whose name ends so, or one file.
const matches = (pattern: string, file: string): boolean => {
  const [folder, ending] = pattern.split("/**/*");
  return ending === undefined ? file === pattern : file.startsWith(`${folder}/`) && file.endsWith(ending);
};
const isIn = ({ include, exclude }: Project, file: string): boolean =>
  include.some((one) => matches(one, file)) && !exclude.some((one) => matches(one, file));

it("has every test file in exactly one tier", () => {
  const wrong = files.filter((file) => PROJECTS.filter((project) => isIn(project, file)).length !== 1);
  expect(wrong).toEqual([]);
});

it("names no folder and no file that is not there", () => {
  const patterns = [...PROJECTS.flatMap(({ include, exclude }) => [...include, ...exclude]), ...Object.keys(BEYOND)];
  const empty = patterns.filter(
    (one) =>
      !files.some((file) => matches(one, file) || file.startsWith(`${one}/`) || file.endsWith(one.replace("*", ""))),
  );
  expect(empty).toEqual([]);
});

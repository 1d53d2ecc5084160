// The page runs in a browser: it loads what needs no machine, and no program of Node loads the page.
import { expect, it } from "vitest";
import { importsOf, sourceFiles } from "./imports.ts";
import { isWithin } from "./wings.ts";

/** What the code of the page may load besides the page. Of redaction it knows the mark that is left behind. */
const NEEDS_NO_MACHINE = ["base/errors", "base/events", "base/redact/mark.ts", "graph", "features/evals/measures.ts"];

/** Types have no code, so the page may also know what the server answers and what services make of it. */
const TYPES = ["base/results", "services", "frontends/server/contract"];

/** Each feature has its views in a folder `page/`, which features/page.ts lists. */
const isOfPage = (file: string): boolean =>
  /^(frontends\/page\/|features\/[^/]+\/page(\/|\.tsx?$)|features\/page\.ts$|page\.tsx$)/.test(file);

const imports = sourceFiles().flatMap(importsOf);
const isOneOf = (places: readonly string[], file: string): boolean => places.some((place) => isWithin(file, place));

it("lets the page load only what runs in a browser", () => {
  const ofPage = imports.filter(({ from, to }) => isOfPage(from) && !isOfPage(to));
  expect(ofPage.length).toBeGreaterThan(0);
  const wrong = ofPage.filter(
    ({ to, typeOnly }) => !isOneOf(NEEDS_NO_MACHINE, to) && !(typeOnly && isOneOf(TYPES, to)),
  );
  expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});

it("lets nothing but the page import the page", () => {
  const wrong = imports.filter(({ from, to }) => !isOfPage(from) && isOfPage(to));
  expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});

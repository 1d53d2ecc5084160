// That a project is not trusted is said once a day, and nobody but the user can make it silent.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isNewToday } from "./trust.ts";

const HOUR = 3600 * 1000;
const NOW = Date.parse("2026-11-16T08:00:00Z");

function book() {
  const HOME = mkdtempSync(join(tmpdir(), "segno-said-"));
  onTestFinished(() => rmSync(HOME, { recursive: true, force: true }));
  const said = (project: string, text: string, now = NOW) => isNewToday(project, text, { env: { HOME }, now });
  return Object.assign(said, { file: join(HOME, ".segno", "notices.json") });
}

it("is new once a day and project, and when something else is to be said", () => {
  const said = book();
  expect([said("/a", "one"), said("/a", "one"), said("/b", "one")]).toEqual([true, false, true]);
  expect([said("/a", "one", NOW + 23 * HOUR), said("/a", "one", NOW + 24 * HOUR)]).toEqual([false, true]);
  expect([said("/a", "two", NOW + 24 * HOUR), said("/a", "two", NOW + 25 * HOUR)]).toEqual([true, false]);
});

it("is new again when the clock went back, and when what was remembered is damaged or others may write it", () => {
  const said = book();
  said("/a", "one");
  expect(said("/a", "one", NOW - HOUR)).toBe(true);
  writeFileSync(said.file, "{");
  expect([said("/a", "one"), said("/a", "one")]).toEqual([true, false]);
  chmodSync(said.file, 0o666);
  expect(said("/a", "one")).toBe(true);
});

it("is always new where there is no folder to remember it in", () => {
  const env = { HOME: "/proc/nowhere" };
  expect([1, 2].map(() => isNewToday("/a", "one", { env, now: NOW }))).toEqual([true, true]);
});

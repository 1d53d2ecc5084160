// Conductor beside Segno: the same workflows, the same answers, but for what docs/conductor.md says. Page and cases hold
// each other: a difference needs its row, and a row needs a case that shows it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Case, casesIn } from "./cases.ts";
import { DELIBERATE, explains, type Met } from "./deliberate.ts";
import { differencesOf } from "./differences.ts";
import { answerOf } from "./segno-answer.ts";

const SETS = ["questions.ndjson", "random.ndjson"] as const;
/** Many cases start a process and wait for it. */
const AT_ONCE = 6;

const folder = mkdtempSync(join(tmpdir(), "segno-differential-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const met = new Map<string, Met[]>(SETS.map((set) => [set, []]));
beforeAll(async () => {
  const todo = SETS.flatMap((set) => casesIn(set).map((one) => ({ set, one })));
  const work = async (): Promise<void> => {
    for (let next = todo.shift(); next; next = todo.shift()) met.get(next.set)?.push(...(await meet(next.one)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
});

async function meet(one: Case): Promise<readonly Met[]> {
  const answer = await answerOf(one, folder);
  return differencesOf(answer, one.conductor).map((difference) => ({ ...difference, from: one, answer }));
}

it.each(SETS)("Segno answers %s as Conductor does, but for what its page says", (set) => {
  const open = (met.get(set) ?? [])
    .filter((one) => explains(one) === undefined)
    .map(({ from: { name, asks }, field, segno, conductor, answer: { message } }) => {
      return { name, asks, field, segno, conductor, message };
    });
  expect(open).toEqual([]);
});

const page = readFileSync(resolve(import.meta.dirname, "../../../docs/conductor.md"), "utf8");
/** The first cells of the section's tables. */
const rows = (/\n## Where the same file answers differently\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| |"))
  .map((line) => line.split(" | ")[0]?.slice(2));

it("every deliberate difference is a row of the page, and every row is a deliberate difference", () => {
  expect(rows).toEqual(DELIBERATE.map(({ row }) => row));
});

it("every row of the page says what is different, and why", () => {
  const cells = page
    .split("\n")
    .filter((line) => rows.some((row) => line.startsWith(`| ${row} |`)))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  expect(cells.filter(([, ...four]) => four.slice(0, 4).some((cell) => cell === ""))).toEqual([]);
});

it.each(DELIBERATE.map(({ row }) => row))("a case shows: %s", (row) => {
  expect([...met.values()].flat().some((one) => explains(one)?.row === row)).toBe(true);
});

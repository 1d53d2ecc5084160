// Conductor beside Segno: the same workflows, the same answers, but for what docs/conductor.md says. A difference needs its
// row (`../differences.test.ts`), and a row of `deliberate.ts` needs a case that shows it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

it.each(DELIBERATE.map(({ row }) => row))("a case shows: %s", (row) => {
  expect([...met.values()].flat().some((one) => explains(one)?.row === row)).toBe(true);
});

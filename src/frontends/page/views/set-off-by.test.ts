import { expect, it } from "vitest";
import { setOffBy } from "./operator-words.ts";

const NOW = new Date(2026, 10, 17, 8, 0).getTime();
const run = { run_id: "01M7KKAQDS4CNPA5MAM0B56NS2" };

it.each([
  [{ scheduled_at: new Date(2026, 10, 17, 3, 0).toISOString() }, "its schedule, today 03:00"],
  [{ left_out: { count: 40 } }, "40 moments when no server was up"],
  [{ by: "hand", person: "kim" }, "kim, by hand"],
  [{ by: "hand", person: "kim", run }, "kim, by hand, for run B56NS2"],
  [{ run }, "the end of run B56NS2"],
  [{ fired_at: "2026-11-17T02:00:00.000Z" }, "a delivery"],
  [null, "a delivery"],
])("%j is said so", (cause, said) => {
  expect(setOffBy({ cause }, NOW)).toBe(said);
});

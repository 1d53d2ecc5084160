// What `segno triggers history` shows of a firing: which moment it was for, not only when that was written down.
import picocolors from "picocolors";
import { expect, it } from "vitest";
import { historyText } from "./commands.ts";

const firing = {
  trigger: "nightly",
  run_id: null,
  status: "skipped",
  fired_at: "2026-11-16T08:00:00.000Z",
  ended_at: null,
  reason: "no server was up (catch_up: none)",
} as const;

it("shows the moment that was skipped, and in full how many were left out", () => {
  const reason = "40 moments, from 2026-11-15T00:00:00.000Z to 2026-11-15T02:00:00.000Z, were missed: no server was up";
  const text = historyText(
    [
      { ...firing, cause: { scheduled_at: "2026-11-16T03:00:00.000Z" } },
      { ...firing, reason, cause: { left_out: { count: 40 } } },
    ],
    picocolors.createColors(false),
    120,
  );
  expect(text.split("\n")[1]).toContain("2026-11-16T08:00:00.000Z  2026-11-16T03:00:00.000Z  nightly  skipped");
  expect(text.split("\n")[2]).toContain("2026-11-16T08:00:00.000Z  40 moments");
  expect(text).toContain(`\n\n▲ nightly: ${reason}\n`);
});

it("shows what was fired by hand, and for which run", () => {
  const hand = { by: "hand", name: "nightly", fired_at: firing.fired_at };
  const text = historyText(
    [
      { ...firing, cause: hand },
      { ...firing, cause: { ...hand, run: { run_id: "01J8ZQ" } } },
      { ...firing, cause: { ...hand, person: "kim" } },
    ],
    picocolors.createColors(false),
    120,
  );
  expect(text.split("\n").slice(1, 4)).toEqual([
    expect.stringContaining("by hand  nightly"),
    expect.stringContaining("01J8ZQ   nightly"),
    expect.stringContaining("by kim   nightly"),
  ]);
});

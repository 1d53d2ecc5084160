import { expect, it } from "vitest";
import { evalText } from "./eval-text.ts";

const plain = new Proxy({}, { get: () => (text: string) => text }) as never;

function shown(more: object): string {
  const rate = { measured: 3, passed: 2, rate: 2 / 3, low: 0.094, high: 0.992 };
  const nothing = { not_measured: 0, cost_usd: 0, tokens: 0, duration_ms: null, errors: {}, tags: [] };
  const summary = [{ variant: "main", ...rate, ...nothing, ...more }];
  return evalText({ evals: [{ name: "triage", rows: [], summary, differences: [] }] } as never, plain, 120);
}

it("shows of each variant what it passed, what it cost, and nothing that there was none of", () => {
  expect(shown({})).toContain("2 of 3  66.7 % (9.4 % to 99.2 %)");
  expect(shown({})).not.toMatch(/tokens|\$|not measured/);
  expect(shown({ tokens: 1500, cost_usd: 0.25, not_measured: 1 })).toMatch(/1 not measured, \$0\.25, 1\.5k tokens/);
});

it("calls its measures by their names, and explains once those that it has", () => {
  const text = shown({ k: 3, pass_at_k: 1, pass_all_k: 0.5, duration_ms: { median: 1200, p95: 4000 } });
  expect(text).toContain("pass@3 100 %, pass^3 50 %, median 1.2s, p95 4.0s");
  expect(text.match(/at least one of a row's k runs passes; pass\^k: all k pass; p95: 95 of 100 runs/g)).toHaveLength(
    1,
  );
  expect(shown({})).not.toMatch(/pass@|p95/);
});

import { describe, expect, it } from "vitest";
import { shortCondition } from "./label.ts";

describe("a condition on an edge", () => {
  it.each([
    ["{{ poll_status.output.route == 'merged' }}", "route == 'merged'"],
    ["{{ output.ok }}", "output.ok"],
    ["a.output.ok and b.output.ok", "ok and ok"],
    ["x == 'step.output.name'", "x == 'step.output.name'"],
    ["workflow.input.deployment.environment == 'prod'", "environment == 'prod'"],
    ["the_name_of_a_thing_that_is_long_winded == 'merged'", "…at_is_long_winded == 'merged'"],
    ["first.ready == true and second.ready == true and third.ready == 1", "ready == true and …"],
    ["kind == 'a value that goes on and on and on for ever'", "kind == 'a value that goes on…"],
  ])("%s reads %s", (when, shown) => {
    const short = shortCondition(when, 30);
    expect(short.length).toBeLessThanOrEqual(30);
    expect(short).toBe(shown);
  });

  it("is also found for what no person would write", () => {
    expect(shortCondition(`${"a".repeat(200_000)} == 1`, 30).length).toBeLessThanOrEqual(30);
    expect(shortCondition("a.".repeat(100_000), 30).length).toBeLessThanOrEqual(30);
  });
});

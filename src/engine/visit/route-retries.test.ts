import { describe, expect, it } from "vitest";
import { routeRetryDelaySeconds } from "./route-retries.ts";

const retry = { max: 9, backoff: "exponential" as const, initial_seconds: 1, max_seconds: 60, jitter: 0 };
const waits = (more: object, count = 5) =>
  Array.from({ length: count }, (_, i) => routeRetryDelaySeconds({ ...retry, ...more }, i + 1, 0.5));

describe("the wait before a retry", () => {
  it.each([
    ["doubles", {}, [1, 2, 4, 8, 16]],
    ["grows by steps", { backoff: "linear", initial_seconds: 10, max_seconds: 25 }, [10, 20, 25, 25, 25]],
    ["stays", { backoff: "fixed", initial_seconds: 3 }, [3, 3, 3, 3, 3]],
    ["stays, by its other name", { backoff: "none", initial_seconds: 3 }, [3, 3, 3, 3, 3]],
    ["is capped", { initial_seconds: 50 }, [50, 60, 60, 60, 60]],
    ["spreads where it is capped, below the cap", { initial_seconds: 60, jitter: 0.2 }, [54, 54, 54, 54, 54]],
    ["is anything up to the wait, with full jitter", { jitter: "full" }, [0.5, 1, 2, 4, 8]],
  ])("%s", (_, more, expected) => {
    expect(waits(more)).toEqual(expected);
  });

  it("is lengthened by what the error asked for, up to the cap", () => {
    expect(routeRetryDelaySeconds(retry, 1, 0, 12)).toBe(12);
    expect(routeRetryDelaySeconds(retry, 1, 0, 600)).toBe(60);
    expect(routeRetryDelaySeconds(retry, 1, 0, "soon")).toBe(1);
  });
});

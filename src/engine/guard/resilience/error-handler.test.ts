import { expect, it } from "vitest";
import { raised } from "../../../base/errors/index.ts";
import { ErrorHandler } from "./error-handler.ts";
import { RetryPolicy } from "./retry-policy.ts";

const handler = new ErrorHandler(new RetryPolicy({ max_retries: 3, retryable: ["transient.*"] }, () => 0));

it.each([
  { kind: "transient.blip", attempt: 0, breaker: undefined, verdict: "RETRY" },
  { kind: "transient.blip", attempt: 2, breaker: "closed", verdict: "RETRY" },
  { kind: "transient.blip", attempt: 3, breaker: "closed", verdict: "DEAD_LETTER" },
  { kind: "transient.blip", attempt: 0, breaker: "half_open", verdict: "RETRY" },
  { kind: "transient.blip", attempt: 0, breaker: "open", verdict: "DEAD_LETTER" },
  { kind: "permanent.bad", attempt: 0, breaker: "closed", verdict: "ESCALATE" },
  { kind: "permanent.bad", attempt: 9, breaker: undefined, verdict: "ESCALATE" },
  { kind: "permanent.bad", attempt: 0, breaker: "open", verdict: "DEAD_LETTER" },
] as const)("$kind after $attempt retries, breaker $breaker: $verdict", ({ kind, attempt, breaker, verdict }) => {
  expect(handler.decide(raised(kind, "m"), { attempt, ...(breaker ? { breaker } : {}) })).toBe(verdict);
});

it("without retries never says RETRY", () => {
  const none = new ErrorHandler(new RetryPolicy({ max_retries: 0 }, () => 0));
  expect(none.decide(raised("http.unavailable", "m"), { attempt: 0 })).toBe("DEAD_LETTER");
});

import { describe, expect, it } from "vitest";
import { failureOfTurn } from "../features/coding-agents/codex/index.ts";
import { classify } from "./classify.ts";
import { asRaised } from "./failure.ts";

const NOW = Date.UTC(2026, 0, 1);
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();

/** What a step's error says of a refused call. */
const detailsOf = (headers: Record<string, string>, status = 429) =>
  asRaised(
    { provider: "p", model: "m" },
    1,
    classify({ statusCode: status, responseHeaders: headers, message: "no" }, NOW),
    NOW,
  ).details;

describe("when a limit resets", () => {
  it.each([
    [
      "Anthropic's requests",
      { "anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": at(40) },
      { limit: "requests", retry_after: 40, resets_at: at(40) },
    ],
    [
      "of several that are used up, the last to reset",
      {
        "Anthropic-Ratelimit-Requests-Remaining": "0",
        "Anthropic-Ratelimit-Requests-Reset": at(40),
        "anthropic-ratelimit-output-tokens-remaining": "0",
        "anthropic-ratelimit-output-tokens-reset": at(90),
        "anthropic-ratelimit-input-tokens-remaining": "7",
        "anthropic-ratelimit-input-tokens-reset": at(900),
      },
      { limit: "output_tokens", retry_after: 90, resets_at: at(90) },
    ],
    [
      "Claude's week",
      {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": String(NOW / 1000 + 7200),
        "anthropic-ratelimit-unified-representative-claim": "seven_day",
        "retry-after": "7100",
      },
      { limit: "weekly", retry_after: 7100, resets_at: at(7200) },
    ],
    [
      "OpenAI's tokens",
      { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0.5s" },
      { limit: "input_tokens", retry_after: 361, resets_at: at(360.5) },
    ],
    ["a bare retry-after", { "retry-after": "20" }, { limit: null, retry_after: 20, resets_at: at(20) }],
    ["nothing", { "x-ratelimit-reset-requests": "soon" }, { limit: null, retry_after: null, resets_at: null }],
  ])("is told from %s", (_, headers, details) => {
    expect(detailsOf(headers)).toMatchObject(details);
  });

  it("is not told from a failure that is no limit", () => {
    const headers = { "anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": at(40) };
    expect(detailsOf(headers, 500)).toMatchObject({ limit: null, retry_after: null, resets_at: null });
  });

  it.each([
    [
      { primary: { usedPercent: 100, windowDurationMins: 300, resetsAt: 1000 } },
      { limit: "session", resetsAt: 1_000_000 },
    ],
    [
      {
        primary: { usedPercent: 100, windowDurationMins: 300, resetsAt: 1000 },
        secondary: { usedPercent: 100, windowDurationMins: 10_080, resetsAt: 9000 },
      },
      { limit: "weekly", resetsAt: 9_000_000 },
    ],
    [undefined, { limit: "quota", resetsAt: null }],
  ])("is told from what Codex reported of its windows", (limits, failure) => {
    expect(failureOfTurn({ message: "no", codexErrorInfo: "usageLimitExceeded" }, limits)).toMatchObject(failure);
  });
});

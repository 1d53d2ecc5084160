import { expect, test } from "vitest";
import { retryAfterSeconds } from "./retry-after.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

test.each([
  [{ "retry-after": "12" }, 12],
  [{ "Retry-After": "0.5" }, 0.5],
  [{ "retry-after-ms": "1500" }, 1.5],
  [{ "retry-after-ms": "1500", "retry-after": "99" }, 1.5],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30],
  [{ "retry-after": "Wed, 31 Dec 2025 23:00:00 GMT" }, 0],
  [{ "retry-after": "-3" }, null],
  [{ "retry-after": "soon" }, null],
  [{}, null],
  [undefined, null],
])("reads %j as %s seconds", (headers, seconds) => {
  expect(retryAfterSeconds(headers as Record<string, string> | undefined, NOW)).toBe(seconds);
});

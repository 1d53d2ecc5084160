import { expect, it } from "vitest";
import { traitsOf } from "./kinds.ts";

it.each([
  ["internal.timeout", {}, { fixable: true, retryable: true }],
  ["gate.timeout", {}, { fixable: true, retryable: true }],
  ["policy.denied", { metadata: { answer: "true" } }, { fixable: true, retryable: false }],
  ["provider.denied", {}, { fixable: true, owner: "person" }],
  ["subworkflow.failed", {}, { fixable: true, retryable: false }],
  ["mcp.protocol_error", { code: "not_configured" }, { fixable: true, retryable: false, owner: "workflow" }],
  ["mcp.protocol_error", { code: -32000 }, { fixable: false, retryable: true, owner: "environment" }],
  ["http.network", { code: "ENOTFOUND" }, { fixable: true, retryable: true }],
  ["http.network", { code: "ECONNRESET" }, { fixable: false, retryable: true }],
  ["http.unavailable", {}, { fixable: false, retryable: true }],
  ["halt.intentional", {}, { fixable: false, retryable: false }],
])("%s with %j can be mended in the file or by trying again: %j", (kind, details, traits) => {
  expect(traitsOf(kind, details)).toMatchObject(traits);
});

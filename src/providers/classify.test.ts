import { APICallError } from "ai";
import { describe, expect, test } from "vitest";
import { classify } from "./classify.ts";

const api = (statusCode: number, responseBody = "", responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: "said the API",
    url: "http://x",
    requestBodyValues: {},
    statusCode,
    responseBody,
    responseHeaders,
  });

describe("what is worth another try", () => {
  test.each([
    [408, "transient"],
    [409, "transient"],
    [429, "transient"],
    [500, "transient"],
    [503, "transient"],
    [529, "transient"],
    [400, "rejected"],
    [401, "rejected"],
    [403, "rejected"],
    [404, "rejected"],
    [413, "rejected"],
    [422, "rejected"],
  ])("%d is %s", (status, reason) => {
    expect(classify(api(status), 0)).toMatchObject({ reason, status });
  });

  test.each([
    [
      "a broken connection",
      Object.assign(new TypeError("terminated"), { cause: { code: "UND_ERR_SOCKET", message: "other side closed" } }),
    ],
    ["a refused connection", Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } })],
    ["an answer that is no JSON", Object.assign(new Error("JSON parsing failed"), { name: "AI_JSONParseError" })],
    ["something that is no error at all", "boom"],
  ])("%s is transient", (_name, error) => {
    expect(classify(error, 0)).toMatchObject({ reason: "transient", status: null });
  });

  test.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "transient", 529],
    [{ type: "rate_limit_error", message: "Slow down" }, "transient", 429],
    [{ type: "invalid_request_error", message: "Too long" }, "rejected", 400],
    [{ type: "error", error: { type: "server_error", message: "Oops" } }, "transient", 500],
  ])("an error in the middle of a stream is known by its type: %j", (error, reason, status) => {
    expect(classify(error, 0)).toMatchObject({ reason, status });
  });

  test("a request that the SDK itself refuses is rejected", () => {
    expect(classify(Object.assign(new Error("bad prompt"), { name: "AI_InvalidPromptError" }), 0).reason).toBe(
      "rejected",
    );
  });

  test("a used-up quota is out of service, although it comes as 429", () => {
    const body = JSON.stringify({
      error: { type: "insufficient_quota", code: "insufficient_quota", message: "You are out of credit" },
    });
    expect(classify(api(429, body), 0)).toMatchObject({
      reason: "unavailable",
      status: 429,
      message: "You are out of credit",
    });
  });
});

test("names the code of a connection that could not be made", () => {
  const error = Object.assign(new Error("Cannot connect to API"), {
    cause: { message: "connect", code: "ECONNREFUSED" },
  });
  expect(classify(error, 0).message).toBe("Cannot connect to API: connect (ECONNREFUSED)");
});

test("keeps how long to wait", () => {
  expect(classify(api(429, "", { "retry-after": "9" }), 0).retryAfter).toBe(9);
});

// Whoever sends a body that cannot be used is told which field it is about, and what is wanted there.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Served } from "../../test/support/served.ts";

let served: Served;
beforeAll(async () => {
  served = await Served.start({});
});
afterAll(() => served.close());

it.each([
  [{}, "it needs ids, or filter and count"],
  [{ ids: "one" }, "ids: Invalid input: expected array, received string"],
  [{ ids: [] }, "ids: Too small: expected array to have >=1 items"],
  [{ ids: ["one", 2] }, "ids.1: Invalid input: expected string, received number"],
  [{ filter: { kind: "io.*" } }, "count: Invalid input: expected number, received undefined"],
  [{ filter: { kin: "io.*" }, count: 1 }, 'filter: Unrecognized key: "kin"'],
  [{ filter: {}, count: "1" }, "count: Invalid input: expected number, received string"],
  [[], "Invalid input: expected object, received array"],
])("a retry of %j", async (body, message) => {
  for (const path of ["/api/letters/retry", "/api/letters/plan", "/api/letters/drop"])
    expect(await served.post(path, body), path).toMatchObject({ status: 400, body: { code: "bad_request", message } });
});

it("any other body", async () => {
  const { status, body } = await served.post("/api/runs", { inputs: {} });
  expect([status, body.message]).toEqual([400, "file: Invalid input: expected string, received undefined"]);
});

// Whoever sends a body that cannot be used is told which field it is about, and what is wanted there.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";

let served: Served;
beforeAll(async () => {
  served = await Served.start({});
});
afterAll(() => served.close());

it.each([
  [{}, "it needs ids, or filter and count"],
  [{ ids: "one" }, "`ids` must be a list, but it is text"],
  [{ ids: [] }, "`ids` must not be empty"],
  [{ ids: ["one", 2] }, "`ids.1` must be text, but it is a number"],
  [{ filter: { kind: "io.*" } }, "`count` is missing"],
  [{ filter: { kin: "io.*" }, count: 1 }, "`filter` must not have `kin`: not known here"],
  [{ filter: {}, count: "1" }, "`count` must be a number, but it is text"],
  [[], "it must be an object, but it is a list"],
])("a retry of %j", async (body, message) => {
  for (const path of ["/api/letters/retry", "/api/letters/plan", "/api/letters/drop"])
    expect(await served.post(path, body), path).toMatchObject({ status: 400, body: { code: "bad_request", message } });
});

it("any other body", async () => {
  const { status, body } = await served.post("/api/runs", { inputs: {} });
  expect([status, body.message]).toEqual([400, "`file` is missing"]);
});

// An address that is asked with a method that it does not have names those that it has.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";

let served: Served;
beforeAll(async () => {
  served = await Served.start({});
});
afterAll(() => served.close());

it.each([
  ["DELETE", "/api/runs", "GET, HEAD, POST", "DELETE is not a method of /api/runs: it takes GET and POST"],
  ["GET", "/api/runs/01X/resume", "POST", "GET is not a method of /api/runs/01X/resume: it takes POST"],
  ["PUT", "/api/session", "GET, HEAD, POST", "PUT is not a method of /api/session: it takes GET and POST"],
  ["POST", "/api/stream", "GET, HEAD", "POST is not a method of /api/stream: it takes GET"],
  ["POST", "/api/workflows/a/b.yaml", "GET, HEAD", "POST is not a method of /api/workflows/a/b.yaml: it takes GET"],
  ["POST", "/healthz", "GET, HEAD", "POST is not a method of /healthz: it takes GET"],
  ["GET", "/hooks/build", "POST", "GET is not a method of /hooks/build: it takes POST"],
])("%s %s is a 405", async (method, path, allow, message) => {
  const { status, headers, body } = await served.ask(method, path, method === "GET" ? {} : { body: "{}" });
  expect({ status, allow: headers.get("allow"), body }).toEqual({
    status: 405,
    allow,
    body: { status: 405, code: "wrong_method", message },
  });
});

it.each(["/api/nothing", "/api/runs/01X/nothing"])("no method of %s is a 404", async (path) => {
  for (const method of ["GET", "POST", "DELETE"]) {
    const { status, headers } = await served.ask(method, path, method === "GET" ? {} : { body: "{}" });
    expect([status, headers.get("allow")], method).toEqual([404, null]);
  }
});

it("a request without a session is told how to send one", async () => {
  const { status, headers } = await served.get("/api/runs", { authorization: "Bearer of-somebody-else-entirely" });
  expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
});

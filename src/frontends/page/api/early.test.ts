// What is fetched before the script of a run's page is here.
import { afterEach, expect, it, vi } from "vitest";
import { beginEarly, takeEarly } from "./early.ts";

afterEach(() => vi.unstubAllGlobals());

/** Opens a page of the server at this address; gives what was asked for. */
async function opened(address: string, session: string | null): Promise<readonly unknown[]> {
  const { pathname, hash } = new URL(address, "http://127.0.0.1");
  const fetched = vi.fn(async () => new Response("{}"));
  vi.stubGlobal("location", { pathname, hash });
  vi.stubGlobal("fetch", fetched);
  beginEarly(session, async () => undefined);
  return fetched.mock.calls;
}

it("is the run that the address names, and its answer is taken once", async () => {
  expect(await opened("/runs/01A", "mine")).toEqual([["/api/runs/01A", { headers: { authorization: "Bearer mine" } }]]);
  expect(takeEarly("/api/runs/01B")).toBeNull();
  expect(await takeEarly("/api/runs/01A")).toBeInstanceOf(Response);
  expect(takeEarly("/api/runs/01A")).toBeNull();
});

it.each([
  ["the address names no run", "/runs", "mine"],
  ["the browser has no session", "/runs/01A", null],
  ["a token in the address gives another session in a moment", "/runs/01A#token=new", "old"],
  ["there is a token and no session yet", "/runs/01A#token=new", null],
])("is nothing when %s", async (_, address, session) => {
  expect(await opened(address, session)).toEqual([]);
});

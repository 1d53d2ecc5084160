// What one visitor can make the server hold or do: a bounded amount, and a sentence for who wants more.
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { Idempotency, type KeptAnswer } from "./http-server.ts";
import { listen } from "./listen.ts";

let served: Served;
beforeAll(async () => {
  served = await Served.start({
    "one.yaml": "workflow: { name: one, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n",
  });
});
afterAll(() => served.close());

describe("streams", () => {
  const stream = (query: string, leaving = new AbortController()) =>
    served.fetch(`/api/stream${query}`, { signal: leaving.signal });

  it("are 16 at most for one session, and one that was closed makes room", async () => {
    const leaving = Array.from({ length: 16 }, () => new AbortController());
    for (const one of leaving) expect((await stream("?runs=1", one)).status).toBe(200);
    expect(await served.get("/api/stream?runs=1")).toMatchObject({ status: 429, body: { code: "too_many" } });
    const [mine] = [served.bearer];
    served.bearer = (await served.open()).session;
    const other = new AbortController();
    expect((await stream("?runs=1", other)).status).toBe(200);
    other.abort();
    served.bearer = mine;
    leaving[0]?.abort();
    await expect
      .poll(async () => {
        const again = new AbortController();
        const { status } = await stream("?runs=1", again);
        again.abort();
        return status;
      })
      .toBe(200);
    for (const one of leaving) one.abort();
  });

  it("follow 100 runs at most, and the same run once", async () => {
    const runs = Array.from({ length: 101 }, (_, index) => `run=X${index}`).join("&");
    expect(await served.get(`/api/stream?${runs}`)).toMatchObject({ status: 429, body: { code: "too_many" } });
    const id = await served.run("one.yaml");
    const leaving = new AbortController();
    const same = [...Array(150).fill(`run=${id}:0`), `run=${id.slice(0, -1)}:0`, "runs=1"].join("&");
    const answer = await stream(`?${same}`, leaving);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("event: runs")) text += (await reader?.read())?.value ?? "";
    while (!text.includes("workflow_completed")) text += (await reader?.read())?.value ?? "";
    expect(text.match(/"from":0,/g)).toHaveLength(1);
    leaving.abort();
  });
});

describe("keys of writes", () => {
  it("are everybody's own", async () => {
    const keys = new Idempotency();
    const answered = (body: string) => async () => ({ status: 200, body });
    expect((await keys.once("ada", "k", "x", answered("for ada"))).body).toBe("for ada");
    expect((await keys.once("bob", "k", "x", answered("for bob"))).body).toBe("for bob");
    expect((await keys.once("ada", "k", "x", answered("again"))).body).toBe("for ada");
    expect((await keys.once("ada", "k", "y", answered("other"))).status).toBe(400);
  });

  it("have 200 characters at most", async () => {
    const keyed = (length: number) =>
      served.post("/api/runs", { file: "one.yaml" }, { "idempotency-key": "k".repeat(length) });
    expect(await keyed(5000)).toMatchObject({
      status: 400,
      body: { code: "bad_request", message: "the Idempotency-Key has 5000 characters; it may have 200" },
    });
    expect((await keyed(200)).status).toBe(200);
  });

  it("of another session give nothing of what the first was answered", async () => {
    const key = { "idempotency-key": "the-same" };
    const first = await served.post("/api/runs", { file: "one.yaml", inputs: {} }, key);
    const again = await served.post("/api/runs", { file: "one.yaml", inputs: {} }, key);
    expect(again.body.run_id).toBe(first.body.run_id);
    served.bearer = (await served.open()).session;
    const other = await served.post("/api/runs", { file: "one.yaml", inputs: {} }, key);
    expect(other.status).toBe(200);
    expect(other.body.run_id).not.toBe(first.body.run_id);
  });
});

describe("what is sent", () => {
  it("to open a session has 4 KiB at most, also where its length is not said: anybody may send it", async () => {
    const headers = { "content-type": "application/json", origin: served.url };
    const send = (body: string | ReadableStream) =>
      fetch(`${served.url}/api/session`, { method: "POST", headers, body, duplex: "half" } as RequestInit);
    const long = JSON.stringify({ token: "x".repeat(4096) });
    for (const body of [long, new Blob([long]).stream(), `{"token": "x", "a": [${"[],".repeat(3_000_000)}[]]}`])
      expect((await send(body)).status).toBe(413);
    expect((await send(JSON.stringify({ token: "x".repeat(400) }))).status).toBe(401);
  });

  it("is refused in a sentence when it is nested beyond use", async () => {
    const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
    for (const [path, body] of [
      ["/api/runs", `{"file":"one.yaml","inputs":${deep}}`],
      ["/api/plan/one.yaml", `{"inputs":${deep}}`],
    ] as const)
      expect(await served.ask("POST", path, { body })).toMatchObject({
        status: 400,
        body: { code: "bad_request", message: expect.stringContaining("nested") },
      });
  });

  it("as the example's name writes nothing outside the root", async () => {
    const outside = join(served.folder, "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(served.root, "segno-example"));
    const { status, body } = await served.post("/api/examples", { name: "release" });
    expect(status).toBe(400);
    expect(body.message).toContain("leads out of");
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(outside)).toBe(true);
  });
});

it("a token that is easy to guess is refused, also where only this machine can ask", async () => {
  const { session, root } = served;
  const options = { session, root, port: 0, host: "127.0.0.1", readOnly: true };
  await expect(listen({ ...options, token: "short", publicUrl: "https://x.example" })).rejects.toThrow("easy to guess");
  await expect(listen({ ...options, token: "short" })).rejects.toThrow("easy to guess");
});

it("tries a write again that failed by a defect, and does it once when it has worked", async () => {
  const idempotency = new Idempotency();
  let tries = 0;
  const act = async (): Promise<KeptAnswer> => {
    tries += 1;
    if (tries === 1) throw new Error("a defect");
    return { status: 200, body: tries };
  };
  const once = (asked = "POST /api/runs {}") => idempotency.once("alex", "key", asked, act);
  await expect(once()).rejects.toThrow("a defect");
  expect(await once()).toEqual({ status: 200, body: 2 });
  expect(await once()).toEqual({ status: 200, body: 2 });
  expect(await once("POST /api/runs {} again")).toMatchObject({ status: 400 });
});

// Who is let in, and who is not: every point of it is on by default.
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { ADDRESSES, type Address } from "./contract/addresses.ts";
import { listen } from "./listen.ts";

const FILE = `workflow: { name: one, entry_point: a, input: { token: { type: string, default: x, secret: true } } }
agents:
  - name: a
    type: script
    command: sh
    args: ["-c", "printf 'sk-live'; sleep 0.1; echo '-{{ workflow.input.token }}'"]
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "one.yaml": FILE });
});
afterAll(() => served.close());

/** As `fetch` would not let us: any Host, any path, as they are. */
function raw(
  path: string,
  headers: Record<string, string>,
  method = "GET",
  body = "",
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port: served.listening.port, path, method, headers, agent: false },
      (answer) => {
        let text = "";
        answer.on("data", (chunk) => {
          text += chunk;
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

const host = (): string => `127.0.0.1:${served.listening.port}`;
const everyAddress = [
  ...Object.values<Address>(ADDRESSES).filter(({ path, method }) => !(path === "/api/session" && method === "POST")),
  { method: "GET", path: "/api/stream" },
  { method: "GET", path: "/api/openapi.json" },
  { method: "GET", path: "/api/blobs/sha256:00" },
  { method: "GET", path: "/api/nothing" },
];

describe("without a session", () => {
  it.each(everyAddress.map(({ method, path }) => [method, path]))(
    "%s %s is answered with 401",
    async (method, path) => {
      const url = path.replace(/\{\w+\+?\}/g, "x");
      const headers = { host: host(), origin: served.url, "content-type": "application/json" };
      expect((await raw(url, headers, method, method === "POST" ? "{}" : "")).status).toBe(401);
      const wrong = { ...headers, authorization: `Bearer ${"x".repeat(43)}` };
      expect((await raw(url, wrong, method, method === "POST" ? "{}" : "")).status).toBe(401);
    },
  );

  it("the page's own files and the health are public, and hold no data", async () => {
    expect((await raw("/healthz", { host: "anything" })).status).toBe(200);
    expect((await raw("/", { host: host() })).status).toBe(200);
    expect((await raw("/runs/01ABC?view=graph", { host: host() })).status).toBe(200);
  });

  it("a program is told how to get one", async () => {
    const json = { host: host(), "content-type": "application/json" };
    expect((await raw("/api/session", json, "POST", "{}")).text).toContain("in a header Origin");
    expect((await raw("/api/openapi.json", { host: host() })).text).toContain("POST /api/session");
  });

  it("a wrong token gives none", async () => {
    expect(await served.post("/api/session", { token: "guess" })).toMatchObject({
      status: 401,
      body: { code: "wrong_token", hint: expect.stringContaining("a new one at each start") },
    });
  });

  it("a wrong token for a server with a fixed one is answered with where that stands", async () => {
    const { port, close } = await listen({
      session: served.session,
      root: served.root,
      port: 0,
      host: "127.0.0.1",
      token: "fixed-by-the-environment",
      readOnly: true,
    });
    try {
      const url = `http://127.0.0.1:${port}`;
      const headers = { origin: url, "content-type": "application/json" };
      const body = JSON.stringify({ token: "guess" });
      for (const answer of [
        await fetch(`${url}/api/session`, { method: "POST", headers, body }),
        await fetch(`${url}/api/runs`),
      ])
        expect(await answer.json()).toMatchObject({ status: 401, hint: expect.stringContaining("SEGNO_SERVE_TOKEN") });
    } finally {
      await close();
    }
  });
});

describe("with a session", () => {
  const session = (): Record<string, string> => ({ authorization: `Bearer ${served.bearer}` });

  it("a name that is not ours is refused, so that no page can point its own at us", async () => {
    for (const name of ["evil.example", `evil.example:${served.listening.port}`, "127.0.0.1"])
      expect((await raw("/api/runs", { ...session(), host: name })).status).toBe(403);
    expect((await raw("/", { host: "evil.example" })).status).toBe(403);
    expect((await raw("/api/runs", { ...session(), host: `localhost:${served.listening.port}` })).status).toBe(200);
  });

  it("another origin is refused, for reads and for writes", async () => {
    const foreign = { origin: "https://evil.example" };
    expect(await served.get("/api/runs", foreign)).toMatchObject({ status: 403, body: { code: "foreign_origin" } });
    expect((await served.post("/api/runs", { file: "one.yaml" }, foreign)).status).toBe(403);
    expect((await served.get("/api/runs", { origin: "null" })).status).toBe(403);
    expect((await raw("/api/runs", { ...session(), host: host(), "sec-fetch-site": "cross-site" })).status).toBe(403);
  });

  it("a form, a body that is no JSON and a write without origin or key are refused", async () => {
    const write = (headers: Record<string, string>, body: string) =>
      raw("/api/runs", { ...session(), host: host(), ...headers }, "POST", body);
    const form = { "content-type": "application/x-www-form-urlencoded", origin: served.url };
    expect((await write(form, "file=one.yaml")).status).toBe(415);
    expect((await write({ "content-type": "text/plain", origin: served.url }, "{}")).status).toBe(415);
    expect((await write({ "content-type": "application/json" }, "{}")).status).toBe(403);
    const right = { "content-type": "application/json", origin: served.url };
    expect((await write(right, '{"file":"one.yaml"}')).status).toBe(400);
    expect((await write({ ...right, "idempotency-key": "k" }, "{")).status).toBe(400);
    expect((await write({ ...right, "idempotency-key": "k" }, '{"file":"one.yaml","more":1}')).status).toBe(400);
    const infinite = await write({ ...right, "idempotency-key": "k" }, '{"file":"one.yaml","inputs":{"n":1e999}}');
    expect(infinite).toMatchObject({ status: 400, text: expect.stringContaining("the number 1e999") });
  });

  it.each([
    "/../../../../etc/passwd",
    "/assets/../../../package.json",
    "/assets/..%2f..%2fpackage.json",
    "/%2e%2e/%2e%2e/package.json",
    "/assets/%00",
    "/index.html/../../main.cjs",
  ])("%s leads nowhere", async (path) => {
    const { status, text } = await raw(path, { host: host() });
    expect(status).toBe(404);
    expect(text).not.toContain("dependencies");
  });

  it("a workflow outside the root can be neither looked at nor started, however it is named", async () => {
    for (const file of ["../outside.yaml", "/etc/passwd", "sub/../../outside.yaml"]) {
      expect(await served.post("/api/runs", { file })).toMatchObject({ status: 403, body: { code: "outside_root" } });
      const shown = await served.get(`/api/workflows/${encodeURIComponent(file)}`);
      expect(shown).toMatchObject({ status: 403, body: { code: "outside_root" } });
    }
  });

  it("runs of files outside the root are not shown, and none of their values", async () => {
    const run = await served.run("one.yaml");
    const other = await listen({
      session: served.session,
      root: `${served.root}/elsewhere`,
      port: 0,
      host: "127.0.0.1",
      readOnly: true,
    });
    try {
      const url = `http://127.0.0.1:${other.port}`;
      const opened = await fetch(`${url}/api/session`, {
        method: "POST",
        headers: { origin: url, "content-type": "application/json" },
        body: JSON.stringify({ token: other.url.split("#token=")[1] }),
      });
      const { session: theirs, read_only } = (await opened.json()) as { session: string; read_only: boolean };
      expect(read_only).toBe(true);
      const ask = (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${theirs}` } });
      expect(((await (await ask("/api/runs")).json()) as { total: number }).total).toBe(0);
      for (const path of ["", "/events", "/result", "/explain", "/steps/a", "/keyframes"])
        expect((await ask(`/api/runs/${run}${path}`)).status).toBe(404);
      const write = await fetch(`${url}/api/runs/${run}/cancel`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${theirs}`,
          origin: url,
          "content-type": "application/json",
          "idempotency-key": "k",
        },
        body: JSON.stringify({ seq: 1 }),
      });
      expect(await write.json()).toMatchObject({ status: 403, code: "read_only" });
    } finally {
      await other.close();
    }
  });

  it("secrets are hidden in everything, also when they are printed in two pieces", async () => {
    const run = await served.run("one.yaml", { token: "correct-horse-battery" });
    for (const path of ["", "/events", "/steps/a", "/result", "/explain", "/keyframes?at=99"]) {
      const { body } = await served.get(`/api/runs/${run}${path}`);
      expect(JSON.stringify(body)).not.toContain("correct-horse");
    }
  });
});

describe("every answer", () => {
  it("says that nothing is loaded from elsewhere, and that no other page may hold it", async () => {
    const replies = [await served.get("/"), await served.get("/api/runs"), await served.get("/api/runs/none")];
    for (const { headers } of replies) {
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify segno 'allow-duplicates'",
      );
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("set-cookie")).toBeNull();
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("is described in openapi.json, whose references lead somewhere", async () => {
    const { body } = await served.get("/api/openapi.json");
    for (const { path } of Object.values<Address>(ADDRESSES))
      expect(body.paths).toHaveProperty([path.replace("+}", "}")]);
    const names = [...JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, name = ""]) => name.split("/"));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(body).toHaveProperty(name);
  });
});

describe("listening elsewhere than on this machine", () => {
  const options = () => ({ session: served.session, root: served.root, port: 0, readOnly: false });

  it("needs a token from the environment, and one that is hard to guess", async () => {
    await expect(listen({ ...options(), host: "0.0.0.0" })).rejects.toThrow("SEGNO_SERVE_TOKEN");
    await expect(listen({ ...options(), host: "0.0.0.0", token: "short" })).rejects.toThrow("too easy to guess");
    const open = await listen({ ...options(), host: "0.0.0.0", token: "long enough to be hard to guess" });
    await open.close();
  });

  it("a port that is taken, and an address that is none, are said to be", async () => {
    const taken = { ...options(), host: "127.0.0.1", port: served.listening.port };
    await expect(listen(taken)).rejects.toThrow("is in use");
    await expect(listen({ ...options(), host: "127.0.0.1", publicUrl: "segno" })).rejects.toThrow("no address");
  });
});

// Requests to real servers on this machine, and the ways in which servers misbehave.
import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import {
  field,
  realClock,
  type TestAttemptOptions,
  testAttempt,
  testScope,
} from "../../../test/support/engine/attempt.ts";
import type { Caller } from "../caller.ts";
import { BadValue } from "../step-type.ts";
import type { HttpRequest, HttpResult } from "../world.ts";
import { fetchHttp } from "./client.ts";
import { http } from "./run.ts";
import type { HttpStep } from "./schema.ts";

const open: { server: Server; sockets: Set<Socket> }[] = [];

afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ server, sockets });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (answer: RequestListener): Promise<string> => listening(createHttp(answer));

/** A server that answers with these bytes, and then does as told with the connection. */
const serveRaw = (bytes: string, then: (socket: Socket) => void = () => {}): Promise<string> =>
  listening(
    createTcp((socket) => {
      socket.once("data", () => {
        socket.write(bytes);
        then(socket);
      });
    }),
  );

const step = (fields: Partial<HttpStep> & { url: string }): HttpStep => ({
  type: "http",
  name: "probe",
  input: [],
  routes: [],
  raise_when: [],
  method: "GET",
  headers: {},
  query: {},
  cache: false,
  ...fields,
});

function execute(
  fields: Partial<HttpStep> & { url: string },
  names: Record<string, unknown> = {},
  options: TestAttemptOptions = {},
) {
  const attempt = testAttempt(options);
  return { attempt, outcome: http.execute(http.prepare(step(fields), testScope(names)), attempt) };
}

const outcomeOf = (fields: Partial<HttpStep> & { url: string }, names?: Record<string, unknown>) =>
  execute(fields, names).outcome;

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
};

const echo: RequestListener = async (request, response) => {
  const { method, url, headers } = request;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.end(JSON.stringify({ method, url, headers, body: await textOf(request) }));
};

const network = (code: string, message = /./) => ({
  ok: false,
  error: {
    kind: "http.network",
    message: expect.stringMatching(message),
    details: { url: expect.stringContaining("http"), code, method: expect.any(String) },
  },
});

describe("a request", () => {
  it("carries what the step renders, with types kept", async () => {
    const url = await serve(echo);
    const outcome = await outcomeOf(
      {
        url: `${url}/issues/{{ id }}?a=1`,
        method: "POST",
        headers: { "X-Trace": "t-{{ id }}" },
        query: { q: "a b&c", tags: ["x", "{{ id }}"], none: null },
        body: { id: "{{ id }}", zip: "01234", nested: [{ on: "{{ on }}" }] },
      },
      { id: 7, on: true },
    );
    expect(outcome).toMatchObject({
      ok: true,
      output: {
        status: 200,
        headers: { "content-type": "application/json; charset=utf-8" },
        response_time: expect.any(Number),
        body: {
          method: "POST",
          url: "/issues/7?a=1&q=a+b%26c&tags=x&tags=7",
          headers: { "x-trace": "t-7", "content-type": "application/json" },
          body: '{"id":7,"zip":"01234","nested":[{"on":true}]}',
        },
      },
    });
  });

  it("sends text as it is, and the step's own content type", async () => {
    const url = await serve(echo);
    expect(
      await outcomeOf({ url, method: "PUT", body: "<a>ü</a>", headers: { "Content-Type": "text/xml" } }),
    ).toMatchObject({
      output: { body: { body: "<a>ü</a>", headers: { "content-type": "text/xml", "content-length": "9" } } },
    });
  });

  it.each(["", "not a url", "/relative", "ftp://example.com/x", "http://"])(
    "to %j is refused before it is sent",
    (url) => {
      expect(() => http.prepare(step({ url }), testScope())).toThrow(BadValue);
      expect(() => http.prepare(step({ url }), testScope())).toThrow(/^url is /);
    },
  );

  it.each<Record<string, string>>([{ "x y": "v" }, { "x-y": "a\r\nevil: 1" }])(
    "with the header %j is refused before it is sent",
    (headers) => {
      expect(() => http.prepare(step({ url: "http://x", headers }), testScope())).toThrow(/^headers\./);
    },
  );
});

describe("an answer", () => {
  it.each([
    ["application/json", '{"a": [1]}', { a: [1] }],
    ["application/problem+json", '{"a": 1}', { a: 1 }],
    ["application/json", "{broken", "{broken"],
    ["application/json", "", null],
    ["text/plain", '{"a": 1}', '{"a": 1}'],
    ["text/plain; charset=utf-8", "grüße", "grüße"],
  ])("of type %s with %j is %j", async (type, text, body) => {
    const url = await serve((_, response) => response.writeHead(200, { "content-type": type }).end(text));
    expect(await outcomeOf({ url })).toMatchObject({ ok: true, output: { body } });
  });

  it("in another character set, or compressed, is read", async () => {
    const latin = await serve((_, response) =>
      response.writeHead(200, { "content-type": "text/plain; charset=iso-8859-1" }).end(Buffer.from("ü", "latin1")),
    );
    expect(await outcomeOf({ url: latin })).toMatchObject({ output: { body: "ü" } });
    const packed = await serve((_, response) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(gzipSync('{"a":1}')),
    );
    expect(await outcomeOf({ url: packed })).toMatchObject({ output: { body: { a: 1 } } });
  });

  it("is text where JSON has a number too large to be kept", async () => {
    const body = '{"n":1e999}';
    const url = await serve((_, response) => response.writeHead(200, { "content-type": "application/json" }).end(body));
    expect(await outcomeOf({ url })).toMatchObject({ ok: true, output: { body } });
  });

  it("without a length may end with the connection", async () => {
    const url = await serveRaw("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nall", (socket) => socket.end());
    expect(await outcomeOf({ url })).toMatchObject({ ok: true, output: { body: "all" } });
  });

  it("is held against the schema", async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"n": "1"}'),
    );
    const output = { body: field({ type: "object" as const, properties: { n: field({ type: "number" as const }) } }) };
    expect(await outcomeOf({ url, output })).toMatchObject({
      error: { kind: "internal.schema_violation", details: { source: "http", failed_field: "body.n" } },
      output: { status: 200 },
    });
  });
});

describe("a status", () => {
  const answering = (status: number, headers: Record<string, string> = {}, body = '{"error": "Validation failed"}') =>
    serve((_, response) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(body));

  it("that is not accepted raises, with all that was answered", async () => {
    const url = `${await answering(400, { "x-id": "9" })}/issues?key=secret`;
    const { attempt, outcome } = execute({ url, method: "POST", body: {} });
    expect(await outcome).toMatchObject({
      ok: false,
      error: {
        kind: "http.status",
        message: expect.stringMatching(/^POST http:\S+\/issues answered 400: Validation failed$/),
        details: {
          status_code: 400,
          raw_response: { error: "Validation failed" },
          response_headers: { "x-id": "9" },
          response_time: expect.any(Number),
          url,
          retry_after: null,
        },
      },
      output: { status: 400, body: { error: "Validation failed" } },
    });
    expect(attempt.emitted("http_failed")).toMatchObject([{ status: 400 }]);
  });

  it.each([
    [429, { "retry-after": "2" }, 2],
    [503, { "retry-after": "Thu, 01 Jan 1970 00:01:30 GMT" }, 30],
    [500, {}, null],
    [502, { "retry-after": "soon" }, null],
  ])("%i with %j is unavailable, to be tried again after %s", async (status, headers, retry_after) => {
    const url = await answering(status, headers as Record<string, string>);
    const clock = { ...realClock, now: () => 60_000 };
    expect(await execute({ url }, {}, { clock }).outcome).toMatchObject({
      error: { kind: "http.unavailable", details: { status_code: status, retry_after } },
    });
  });

  it.each([
    [404, [200, 404], true],
    [201, ["200-299"], true],
    [301, ["2xx"], false],
    [204, ["2xx"], true],
    [500, ["2XX", "500 - 503"], true],
    [200, [201], false],
  ])("%i is accepted by %j: %s", async (status, accept_status, isAccepted) => {
    expect(await outcomeOf({ url: await answering(status), accept_status })).toMatchObject({ ok: isAccepted });
  });

  it("with a large body keeps the envelope small", async () => {
    const outcome = await outcomeOf({ url: await answering(400, {}, JSON.stringify({ text: "x".repeat(500_000) })) });
    expect(JSON.stringify(outcome.ok || outcome.error).length).toBeLessThan(80_000);
    expect(outcome).toMatchObject({ output: { body: { text: expect.stringMatching(/^x{500000}$/) } } });
  });
});

describe("a redirect", () => {
  const redirecting =
    (status: number, location: (request: IncomingMessage) => string): RequestListener =>
    (request, response: ServerResponse) =>
      request.url === "/end"
        ? void echo(request, response)
        : void response.writeHead(status, { location: location(request) }).end();

  it.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [302, "PUT", "PUT", '{"a":1}'],
    [307, "POST", "POST", '{"a":1}'],
    [308, "DELETE", "DELETE", '{"a":1}'],
  ] as const)("%i after %s goes on with %s", async (status, method, then, body) => {
    const url = await serve(redirecting(status, () => "/end"));
    const outcome = await outcomeOf({ url, method, body: { a: 1 }, headers: { authorization: "Bearer x" } });
    expect(outcome).toMatchObject({ output: { body: { method: then, body, headers: { authorization: "Bearer x" } } } });
    const { headers } = (outcome as { output: { body: { headers: Record<string, string> } } }).output.body;
    expect("content-type" in headers).toBe(body !== "");
  });

  it("to another host leaves secrets behind", async () => {
    const other = await serve(echo);
    const url = await serve(redirecting(307, () => `${other}/end`));
    const headers = {
      Authorization: "Bearer x",
      Cookie: "a=b",
      "X-API-Key": "k",
      "X-Auth-Token": "t",
      "X-AccessToken": "t",
      "X-Password": "p",
      "X-Bearer": "b",
      "X-Whatever": "w",
      Accept: "application/json",
    };
    const outcome = await outcomeOf({ url, headers });
    const seen = (outcome as { output: { body: { headers: Record<string, string> } } }).output.body.headers;
    expect(seen.accept).toBe("application/json");
    for (const name of Object.keys(headers)) if (name !== "Accept") expect(seen).not.toHaveProperty(name.toLowerCase());
  });

  it("to another host takes the headers along that the file names", async () => {
    const other = await serve(echo);
    const url = await serve(redirecting(307, () => `${other}/end`));
    const headers = { "X-Trace": "t", "X-Other": "o" };
    const outcome = await outcomeOf({ url, headers, redirects: { send_headers: ["x-trace"], send_body: false } });
    expect(outcome).toMatchObject({ output: { body: { headers: { "x-trace": "t" } } } });
    expect(JSON.stringify(outcome)).not.toContain("x-other");
  });

  it("to another host does not take the body along unless the file says so", async () => {
    let calls = 0;
    const other = await serve((request, response) => {
      calls += 1;
      echo(request, response);
    });
    const url = await serve(redirecting(307, () => `${other}/end`));
    const step = { url, method: "POST", body: { secret: 1 } } as const;
    expect(await outcomeOf(step)).toMatchObject(network("REDIRECTED_ELSEWHERE", /send_body/));
    expect(calls).toBe(0);
    const allowed = await outcomeOf({ ...step, redirects: { send_headers: [], send_body: true } });
    expect(allowed).toMatchObject({ output: { body: { body: '{"secret":1}' } } });
  });

  it("is followed ten times and no more", async () => {
    const hops = await serve(
      redirecting(302, ({ url = "" }) => (url === "/10" ? "/end" : `/${Number(url.slice(1)) + 1}`)),
    );
    expect(await outcomeOf({ url: `${hops}/1` })).toMatchObject({ ok: true });
    expect(await outcomeOf({ url: `${hops}/0` })).toMatchObject(network("TOO_MANY_REDIRECTS", /more than 10/));
    const ever = await serve(redirecting(302, () => "/again"));
    expect(await outcomeOf({ url: ever })).toMatchObject(network("TOO_MANY_REDIRECTS"));
  });

  it("that leads nowhere is the answer", async () => {
    const url = await serve((_, response) => response.writeHead(304).end());
    expect(await outcomeOf({ url })).toMatchObject({ ok: true, output: { status: 304 } });
    const file = await serve((_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end());
    expect(await outcomeOf({ url: file })).toMatchObject({ ok: true, output: { status: 302 } });
  });
});

describe("a server that misbehaves", () => {
  it("by not being there", async () => {
    expect(await outcomeOf({ url: "http://127.0.0.1:2/x" })).toMatchObject(network("ECONNREFUSED"));
    expect(await outcomeOf({ url: "http://no-such-host.invalid/" })).toMatchObject({
      error: { kind: "http.network", details: { code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) } },
    });
  });

  it.each([
    ["by hanging up without a word", "", "ECONNRESET"],
    ["by hanging up in the middle of the body", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", "BODY_CUT"],
    [
      "by hanging up in the middle of a chunk",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10\r\nhalf",
      "BODY_CUT",
    ],
    ["by sending more than it said", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nlonger", "HPE_INVALID_CONSTANT"],
    ["by talking nonsense", "SSH-2.0-OpenSSH_9.2\r\n", "HPE_INVALID_CONSTANT"],
  ])("%s", async (_, bytes, code) => {
    const url = await serveRaw(bytes, (socket) => socket.end());
    expect(await outcomeOf({ url })).toMatchObject(network(code));
  });

  it("by breaking off a compressed body", async () => {
    const packed = gzipSync("x".repeat(10_000));
    const url = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(packed.subarray(0, 20)),
    );
    expect(await outcomeOf({ url })).toMatchObject(network("Z_BUF_ERROR"));
  });

  it("by sending 100 MB, packed or not", async () => {
    const chunk = Buffer.alloc(1024 * 1024, "a");
    const endless = await serve((_, response) => {
      let sent = 0;
      const more = (): void => {
        while (sent++ < 100 && response.write(chunk));
        if (sent >= 100) response.end();
      };
      response.on("drain", more);
      more();
    });
    const before = process.memoryUsage().rss;
    expect(await outcomeOf({ url: endless })).toMatchObject(network("BODY_TOO_LARGE", /16 MiB/));
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    const packed = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    expect(await outcomeOf({ url: packed })).toMatchObject(network("BODY_TOO_LARGE"));
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });

  it.each([
    ["by not answering", () => serveRaw("")],
    ["by stopping in the middle of the body", () => serveRaw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nslow")],
    [
      "by dripping",
      () =>
        serveRaw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", (socket) => {
          const drip = setInterval(() => socket.write("1\r\na\r\n"), 10);
          socket.on("close", () => clearInterval(drip));
        }),
    ],
  ])("%s is left when the time is up", async (_, start) => {
    const url = await start();
    const outcome = await execute({ url }, {}, { signal: AbortSignal.timeout(150) }).outcome;
    expect(outcome).toMatchObject({ ok: false, error: { kind: "http.network" } });
  });
});

describe("a server that goes silent", () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";
  const silent = (bytes: string) => serveRaw(bytes);
  const after = (idle_seconds: number) => ({
    world: {
      fetch: (request: HttpRequest, caller: Caller) => {
        expect(request.idle_seconds).toBe(300);
        return fetchHttp({ ...request, idle_seconds }, caller);
      },
    },
  });

  it.each([
    ["before it answers", ""],
    ["in the middle of the headers", "HTTP/1.1 200 OK\r\n"],
    ["in the middle of the body", `${head}some of it`],
  ])("%s is given up after a while", async (_, bytes) => {
    const url = await silent(bytes);
    const { outcome } = execute({ url, method: "POST" }, {}, after(0.05));
    expect(await outcome).toMatchObject({
      error: {
        kind: "http.network",
        message: expect.stringMatching(/no byte came for 0\.05 s \(IDLE_TIMEOUT\)/),
        details: { code: "IDLE_TIMEOUT", method: "POST" },
      },
    });
  });

  it("is waited for as long as `timeout` says, when there is one", async () => {
    const asked: HttpRequest[] = [];
    const fetch = async (request: HttpRequest): Promise<HttpResult> => {
      asked.push(request);
      return { answered: true, status: 200, headers: {}, body: null, seconds: 1 };
    };
    await execute({ url: "http://x.example", timeout: 900 }, {}, { world: { fetch } }).outcome;
    await execute({ url: "http://x.example" }, {}, { world: { fetch } }).outcome;
    expect(asked.map(({ idle_seconds }) => idle_seconds)).toEqual([undefined, 300]);
  });

  it("changes nothing about what a recorded step is held against", () => {
    const hashOf = (fields: Partial<HttpStep>) =>
      http.hashed?.(http.prepare(step({ url: "http://x.example", ...fields }), testScope({})));
    const request = { url: "http://x.example/", method: "GET", headers: {} };
    expect(hashOf({})).toEqual({ request });
    expect(hashOf({ timeout: 5, raise_when: [{ when: "true", kind: "a.b", message: "m", details: {} }] })).toEqual({
      request,
    });
  });
});

describe("an answer of 200 that says no", () => {
  const answers = (status: number, body: unknown) => async (): Promise<HttpResult> => ({
    answered: true,
    status,
    headers: {},
    body,
    seconds: 1,
  });
  const rule = { when: "false", kind: "a.b", message: "m", details: {} };

  it.each<[string, number, Partial<HttpStep>, number]>([
    ["is a success with a warning", 200, {}, 1],
    ["is one, whatever the 2xx", 202, {}, 1],
    ["is no news to a step that classifies its answers", 200, { raise_when: [rule] }, 0],
    ["is not looked for in other answers", 302, {}, 0],
  ])("%s", async (_, status, fields, count) => {
    const { attempt, outcome } = execute(
      { url: "http://x.example", ...fields },
      {},
      { world: { fetch: answers(status, { ok: false, error: "channel_not_found" }) } },
    );
    expect((await outcome).ok).toBe(true);
    const warnings = attempt.emitted("warning");
    expect(warnings).toHaveLength(count);
    for (const { node, message } of warnings) {
      expect(node).toBe("probe");
      expect(message).toMatch(/channel_not_found.*raise_when: \[\{ when: /);
    }
  });
});

it("tells of its start and end without the query", async () => {
  const url = await serve(echo);
  const { attempt, outcome } = execute({ url: `${url}/a?token=1` });
  await outcome;
  expect(attempt.emitted("http_started")).toEqual([{ node: "probe", method: "GET", target: `${url}/a` }]);
  expect(attempt.emitted("http_completed")).toMatchObject([{ target: `${url}/a`, status: 200 }]);
});

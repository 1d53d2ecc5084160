import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outline, Story } from "../../../../test/support/engine/test-events.ts";
import { VisitFold } from "../../../base/events/visits/visit-fold.ts";
import { resumeRun } from "../../../services/runs/resume.ts";
import { runWorkflow } from "../../../services/runs/run.ts";
import { traceRun } from "./index.ts";
import { exportTarget, type otlpBody } from "./otlp.ts";
import { traceOf } from "./spans-of.ts";

let cwd: string;
let runId: string;
let server: Server;
const received: {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly body: ReturnType<typeof otlpBody>;
}[] = [];

const session = (env: Record<string, string> = {}) => ({
  cwd,
  env: { PATH: process.env.PATH, HOME: "/nonexistent", ...env },
  home: join(cwd, "home"),
});

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "segno-trace-"));
  writeFileSync(
    join(cwd, "child.yaml"),
    "workflow: { name: child, entry_point: inner }\nagents:\n  - { name: inner, type: set, value: 1 }\n",
  );
  writeFileSync(
    join(cwd, "w.yaml"),
    `workflow: { name: w, entry_point: both }
agents:
  - { name: l, type: set, value: 1 }
  - { name: r, type: set, value: 2 }
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: bad }] }
  - { name: bad, type: script, command: "false", raises: [a.b], routes: [{ to: $end }, { on_error: true, retry: { max: 1, initial_seconds: 0 } }] }
parallel:
  - { name: both, agents: [l, r], routes: [{ to: call }] }
`,
  );
  runId = (await runWorkflow(session(), { file: "w.yaml", inputs: {} })).run_id ?? "";
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      if (request.url === "/refuses/v1/traces") response.writeHead(403).end("no");
      else {
        received.push({ headers: request.headers, url: request.url ?? "", body: JSON.parse(text) });
        response.writeHead(200).end("{}");
      }
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
});
afterAll(() => {
  server.close();
  rmSync(cwd, { recursive: true, force: true });
});
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

describe("the trace of a run", () => {
  it("has a span for the run, below it the steps where they belong, below those their attempts", async () => {
    const { spans, trace_id, sent } = await traceRun(session(), { run: runId });
    expect(trace_id).toMatch(/^[0-9a-f]{32}$/);
    expect(sent).toBeNull();
    const [root] = spans;
    expect(root).toMatchObject({
      name: "workflow w",
      status: "error",
      attributes: { "error.type": "internal.script_error" },
    });
    const names = (name: string) =>
      root?.children.find((span) => span.name === name)?.children.map((span) => span.name);
    expect(root?.children.map(({ name }) => name)).toEqual(["both", "call", "bad"]);
    expect(names("both")).toEqual(["l", "r"]);
    expect(names("call")).toEqual(["inner"]);
    expect(names("bad")).toEqual(["bad attempt 1", "bad attempt 2"]);
    const bad = root?.children.find(({ name }) => name === "bad");
    expect(bad?.events.map(({ name }) => name)).toEqual(["error_routed", "retry_scheduled"]);
    expect(bad?.children.map(({ events }) => events.map(({ name }) => name))).toEqual([["exception"], ["exception"]]);
  });

  it("has a span for each drive, linked to the one before and to what it reused", async () => {
    writeFileSync(
      join(cwd, "twice.yaml"),
      `workflow: { name: twice, entry_point: first }
agents:
  - { name: first, type: set, value: 1, routes: [{ to: flaky }] }
  - { name: flaky, type: script, command: test, args: [-e, mended], raises: [a.b], routes: [{ to: $end }] }
`,
    );
    const run = (await runWorkflow(session(), { file: "twice.yaml", inputs: {} })).run_id ?? "";
    writeFileSync(join(cwd, "mended"), "");
    await resumeRun(session(), { target: run, inputs: {} });
    const { spans, trace_id } = await traceRun(session(), { run });
    const [one, two] = spans;
    expect(spans.map(({ status, attributes }) => [attributes["segno.drive"], status])).toEqual([
      [1, "error"],
      [2, "ok"],
    ]);
    expect(one?.children.map(({ name, status }) => [name, status])).toEqual([
      ["first", "ok"],
      ["flaky", "error"],
    ]);
    expect(two?.children.map(({ name, status }) => [name, status])).toEqual([["flaky", "ok"]]);
    expect(two?.links).toEqual([
      { trace_id, span_id: one?.id, attributes: { "segno.link": "resumed", "segno.after": "failed" } },
      { trace_id, span_id: one?.children[0]?.id, attributes: { "segno.link": "reused", "segno.node": "first" } },
    ]);
    const attempts = spans.flatMap(({ children }) => children.flatMap((child) => child.children));
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(3);
  });

  it("shows as the step's error what its routes raised after its work went well", async () => {
    writeFileSync(
      join(cwd, "routes.yaml"),
      `workflow: { name: routes, entry_point: a }
agents:
  - { name: a, type: script, command: "true", routes: [{ to: b, when: "{{ a.output.nope.deep }}" }, { to: b, on_error: true }] }
  - { name: b, type: set, value: 1, routes: [{ to: $end, when: "{{ b.output.nope.deep }}" }] }
`,
    );
    const run = (await runWorkflow(session(), { file: "routes.yaml", inputs: {} })).run_id ?? "";
    const [root] = (await traceRun(session(), { run })).spans;
    for (const name of ["a", "b"]) {
      const step = root?.children.find((span) => span.name === name);
      expect(step).toMatchObject({
        status: "error",
        message: expect.stringContaining("nope"),
        attributes: { "error.type": "internal.template_error" },
      });
      expect(step?.events[0]).toMatchObject({
        name: "exception",
        attributes: { "exception.type": "internal.template_error" },
      });
      expect(step?.children).toMatchObject([{ status: "ok", events: [] }]);
    }
  });

  it("is sent as OTLP when the environment says where to, the same each time", async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${address()}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b",
      OTEL_SERVICE_NAME: "night",
    };
    const first = await traceRun(session(env), { run: runId });
    await traceRun(session(env), { run: runId });
    expect(first.sent).toMatchObject({ url: `${address()}/v1/traces` });
    const [one, two] = received;
    expect(one?.url).toBe("/v1/traces");
    expect(one?.headers).toMatchObject({ "x-key": "a b", "content-type": "application/json" });
    expect(two?.body).toEqual(one?.body);
    const [resource] = one?.body.resourceSpans ?? [];
    expect(resource?.resource.attributes[0]).toEqual({ key: "service.name", value: { stringValue: "night" } });
    const spans = resource?.scopeSpans[0]?.spans ?? [];
    expect(spans).toHaveLength(first.sent?.count ?? -1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    for (const { startTimeUnixNano, endTimeUnixNano } of spans)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  });

  it("says why it could not be sent", async () => {
    const refused = await traceRun(session({ OTEL_EXPORTER_OTLP_ENDPOINT: `${address()}/refuses` }), { run: runId });
    expect(refused).toMatchObject({
      success: false,
      exit_code: 1,
      error: expect.stringContaining("it answered 403: no"),
    });
    const nobody = await traceRun(session({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }), { run: runId });
    expect(nobody.error).toMatch(/could not be sent/);
  });

  it("refuses a run that is not there", async () => {
    expect(await traceRun(session(), { run: "nope" })).toMatchObject({ exit_code: 2, spans: [] });
  });

  it("takes the more specific variable as it is", () => {
    expect(
      exportTarget({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://x/t", OTEL_EXPORTER_OTLP_ENDPOINT: "http://y" })?.url,
    ).toBe("http://x/t");
    expect(exportTarget({})).toBeUndefined();
    expect(exportTarget({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://me:a%20b@x/in/?key=1" })).toEqual({
      url: "http://x/in/v1/traces?key=1",
      headers: { authorization: `Basic ${Buffer.from("me:a b").toString("base64")}` },
    });
  });
});

describe("spans of a drive that was cut off", () => {
  const TIMES = { a: [1, 2], g: [3, 74], x: [4, 5], y: [6, 74] } as const;
  const cutOff = new Story()
    .started(outline("a", "g"))
    .ran("a")
    .begin("g", { type: "parallel" })
    .ran("x", { key: "g#1.x", more: { group: "g" } })
    .begin("y", { key: "g#1.y", more: { group: "g" } })
    .wait(67)
    .add("script_output", { node: "y", key: "g#1.y", stream: "stdout", text: "." });

  it("end with it, and a group with the last of what is in it", () => {
    const fold = new VisitFold({ history: true });
    for (const event of cutOff.events) fold.add(event);
    const began = Date.parse(cutOff.events[0]?.ts ?? "");
    const seconds = (at: string): number => (Date.parse(at) - began) / 1000;
    const { spans } = traceOf("01RUN", fold);
    expect(
      Object.fromEntries(spans.map(({ name, start, end }) => [name, [seconds(start), seconds(end)]])),
    ).toMatchObject(TIMES);
  });
});

// Telemetry as it happens, against a collector that refuses what the protocol does not have.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { otlpProblems } from "../../../test/schemas/otlp.ts";
import { until } from "../../../test/support/until.ts";
import type { Provider } from "../../providers/provider.ts";
import { resumeRun } from "../../services/runs/resume.ts";
import { runWorkflow } from "../../services/runs/run.ts";
import { metricsOfProcess, prometheusText } from "./metrics.ts";
import { otlpMetrics } from "./otlp-metrics.ts";
import { traceRun } from "./trace/index.ts";

interface WireSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links: readonly { readonly spanId: string }[];
  readonly status: { readonly code: number };
  readonly attributes: WireAttributes;
  readonly events: readonly { readonly name: string; readonly attributes: WireAttributes }[];
}

type WireAttributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
const named = (attributes: WireAttributes = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

let cwd: string;
let collector: Server;
let spans: WireSpan[] = [];
let metricNames: string[] = [];
let problems: string[] = [];
let traceparents: (string | undefined)[] = [];

const address = (): string => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const session = (env: Record<string, string> = {}) => ({
  cwd,
  env: { PATH: process.env.PATH, HOME: "/nonexistent", ...env },
  home: join(cwd, "home"),
});
const on = () => session({ SEGNO_OTLP: address() });

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "segno-telemetry-"));
  writeFileSync(
    join(cwd, "child.yaml"),
    "workflow: { name: child, entry_point: inner }\nagents:\n  - { name: inner, type: set, value: 1 }\n",
  );
  collector = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      traceparents.push(request.headers.traceparent as string | undefined);
      if (request.method === "GET") return response.writeHead(200, { "content-type": "application/json" }).end("{}");
      const body = JSON.parse(text);
      const message = request.url === "/v1/traces" ? "ExportTraceServiceRequest" : "ExportMetricsServiceRequest";
      const found = otlpProblems(message, body);
      problems.push(...found);
      for (const { scopeSpans } of body.resourceSpans ?? []) for (const scope of scopeSpans) spans.push(...scope.spans);
      for (const { scopeMetrics } of body.resourceMetrics ?? [])
        for (const scope of scopeMetrics) metricNames.push(...scope.metrics.map(({ name }: { name: string }) => name));
      response.writeHead(found.length === 0 ? 200 : 400).end("{}");
    });
  });
  await new Promise<void>((ready) => collector.listen(0, "127.0.0.1", ready));
  writeFileSync(
    join(cwd, "w.yaml"),
    `workflow: { name: w, entry_point: both }
agents:
  - { name: l, type: set, value: 1 }
  - { name: r, type: set, value: 2 }
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: ask }] }
  - { name: ask, type: http, url: "${address()}/", routes: [{ to: flaky }] }
  - { name: flaky, type: script, command: sh, args: [-c, 'echo "$TRACEPARENT" >> parents; test -e mended'], routes: [{ to: $end }, { on_error: true, retry: { max: 1, initial_seconds: 0 } }] }
parallel:
  - { name: both, agents: [l, r], routes: [{ to: call }] }
`,
  );
  // What is loaded when a first drive ends is not to use up the half second that its collector has.
  await runWorkflow(on(), { file: "child.yaml", inputs: {} });
  // On a busy machine they come when the run has ended, and are not to be taken for those of the next.
  await until(() => spans.length >= 3);
});
afterAll(() => {
  collector.close();
  rmSync(cwd, { recursive: true, force: true });
});
beforeEach(() => {
  spans = [];
  metricNames = [];
  problems = [];
  traceparents = [];
});

describe("a run with a retry, a sub-workflow and a resume", () => {
  it("sends each span once, those that `segno trace` gives afterwards, with links between drives", async () => {
    const first = await runWorkflow(on(), { file: "w.yaml", inputs: {} });
    expect(first).toMatchObject({ status: "failed", warnings: [] });
    writeFileSync(join(cwd, "mended"), "");
    const second = await resumeRun(on(), { target: first.run_id ?? "", inputs: {} });
    expect(second).toMatchObject({ status: "completed", warnings: [] });
    expect(problems).toEqual([]);

    const afterwards = await traceRun(session(), { run: first.run_id ?? "" });
    const ids = (tree: typeof afterwards.spans): string[] => tree.flatMap(({ id, children }) => [id, ...ids(children)]);
    expect(spans.map(({ spanId }) => spanId).sort()).toEqual(ids(afterwards.spans).sort());
    const [one, two] = spans.filter(({ name }) => name === "workflow w");
    expect(two?.links.map(({ spanId }) => spanId)).toContain(one?.spanId);
    expect(spans.filter(({ name }) => name.startsWith("flaky attempt"))).toHaveLength(3);
    const inner = spans.find(({ name }) => name === "inner");
    expect(spans.find(({ spanId }) => spanId === inner?.parentSpanId)?.name).toBe("call");

    // Scripts and servers were told the span of their own attempt.
    const attempts = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    const told = readFileSync(join(cwd, "parents"), "utf8").trim().split("\n");
    const named = [...told, ...traceparents.flatMap((one) => one ?? [])].map((text) =>
      attempts.get(text.split("-")[2] ?? ""),
    );
    expect(named).toEqual(["flaky attempt 1", "flaky attempt 2", "flaky attempt 1", "ask attempt 1"]);
    expect(told[0]).toBe(`00-${afterwards.trace_id}-${told[0]?.split("-")[2]}-01`);
    expect(metricNames).toEqual(
      expect.arrayContaining([
        "segno.runs",
        "segno.steps",
        "segno.retries",
        "segno.step.duration",
        "segno.letters",
        "segno.breakers.open",
      ]),
    );
  });

  it("is counted for Prometheus", () => {
    const text = prometheusText(metricsOfProcess, [{ labels: {}, gauges: { letters: 2 } }]);
    expect(text).toContain('segno_retries_total{workflow="w",kind="internal.script_error"} 1');
    expect(text).toContain('segno_runs_total{workflow="w",status="completed"} 1');
    expect(text).toMatch(/segno_step_duration_seconds_bucket\{workflow="w",type="script",le="\+Inf"\} 3\n/);
    expect(text).toContain("# TYPE segno_letters gauge\nsegno_letters 2\n");
  });
});

it("sends a step as an error whose routes raised after its work went well, and each span as it is afterwards", async () => {
  writeFileSync(
    join(cwd, "routes.yaml"),
    `workflow: { name: routes, entry_point: both }
agents:
  - { name: l, type: set, value: 1 }
  - { name: r, type: set, value: 2 }
  - { name: call, type: workflow, workflow: raising.yaml, routes: [{ to: $end }, { on_error: true, to: $end }] }
parallel:
  - { name: both, agents: [l, r], routes: [{ to: call }] }
`,
  );
  writeFileSync(
    join(cwd, "raising.yaml"),
    `workflow: { name: raising, entry_point: a }
agents:
  - { name: a, type: set, value: 1, routes: [{ to: $end, when: "{{ a.output.nope.deep }}" }] }
`,
  );
  const { run_id, status } = await runWorkflow(on(), { file: "routes.yaml", inputs: {} });
  expect(status).toBe("completed");
  expect(problems).toEqual([]);
  const ERROR = 2;
  expect(spans.find(({ name }) => name === "a")?.status).toMatchObject({ code: ERROR });
  expect(named(spans.find(({ name }) => name === "a")?.attributes)).toMatchObject({
    "error.type": "internal.template_error",
  });
  const live = [...spans];
  spans = [];
  await traceRun(on(), { run: run_id ?? "" });
  const byId = (all: readonly WireSpan[]) => all.toSorted((a, b) => a.spanId.localeCompare(b.spanId));
  expect(byId(live)).toEqual(byId(spans));
});

it("counts a kind that no file names as undeclared: a script may make one of a value", async () => {
  writeFileSync(join(cwd, "raise.sh"), `printf '{"kind":"%s","message":"x"}' "$1" > "$CONDUCTOR_ERROR_OUT"; exit 1\n`);
  writeFileSync(
    join(cwd, "kinds.yaml"),
    `workflow: { name: kinds, entry_point: a, input: { who: { type: string } } }
agents:
  - name: a
    type: script
    command: sh
    args: [./raise.sh, "user.{{ workflow.input.who }}"]
    routes: [{ on_error: "user.*", to: b }, { to: b }]
  - name: b
    type: script
    command: sh
    args: [./raise.sh, user.known]
    routes: [{ on_error: user.known, to: $end }, { to: $end }]
`,
  );
  await runWorkflow(on(), { file: "kinds.yaml", inputs: { who: { value: "alice42" } } });
  const text = prometheusText(metricsOfProcess, []);
  expect(text).toContain('workflow="kinds",type="script",outcome="failed",kind="undeclared"} 1');
  expect(text).toContain('workflow="kinds",type="script",outcome="failed",kind="user.known"} 1');
  expect(text).not.toContain("alice42");
});

it("tells of a model and of an error by the names that others know", async () => {
  writeFileSync(
    join(cwd, "asks.yaml"),
    `workflow: { name: asks, entry_point: writer, runtime: { provider: stand_in } }
agents:
  - { name: writer, prompt: Write., routes: [{ to: breaks }] }
  - { name: breaks, type: script, command: sh, args: [-c, exit 3], raises: [shop.closed], routes: [{ to: $end }, { on_error: true, to: $end }] }
`,
  );
  const standIn: Provider = {
    name: "stand_in",
    defaultModel: "claude-sonnet-4-5",
    call: async ({ model }) => ({
      text: "written",
      calls: [],
      goesOn: false,
      model: `${model}-20250929`,
      cutAtMaxTokens: false,
      wrapped: false,
      tokens: { input: 120, output: 30, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    }),
  };
  const result = await runWorkflow(
    { ...on(), extensions: { providers: { stand_in: standIn } } },
    { file: "asks.yaml", inputs: {} },
  );
  expect(result.status).toBe("completed");
  expect(problems).toEqual([]);
  const attributesOf = (name: string) => named(spans.find((span) => span.name === name)?.attributes);
  expect(attributesOf("writer")).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "writer",
  });
  const { "segno.cost_usd": cost, ...usage } = attributesOf("writer attempt 1");
  expect(usage).toMatchObject({
    "gen_ai.provider.name": "stand_in",
    "gen_ai.request.model": "claude-sonnet-4-5",
    "gen_ai.response.model": "claude-sonnet-4-5-20250929",
    "gen_ai.usage.input_tokens": "120",
    "gen_ai.usage.output_tokens": "30",
  });
  expect(cost).toBeGreaterThan(0);
  const above = Object.keys(attributesOf("writer")).filter((key) => /usage|cost/.test(key));
  expect(above, "so that a sum over spans counts it once").toEqual([]);
  const eventsOf = (name: string) => spans.find((span) => span.name === name)?.events ?? [];
  expect(eventsOf("breaks").map(({ name }) => name)).toEqual(["error_routed"]);
  const [thrown] = eventsOf("breaks attempt 1");
  expect(thrown?.name).toBe("exception");
  expect(named(thrown?.attributes)).toMatchObject({
    "exception.type": "internal.script_error",
    "exception.message": expect.stringContaining("3"),
  });
  expect(metricNames).toEqual(expect.arrayContaining(["segno.tokens", "segno.cost"]));
  const text = prometheusText(metricsOfProcess, []);
  expect(text).toMatch(/segno_tokens_total\{workflow="asks",model="claude-sonnet-4-5",direction="input"\} 120\n/);
  expect(text).toMatch(/segno_cost_\w*total\{workflow="asks",model="claude-sonnet-4-5"\} 0\.\d+\n/);
});

it("warns once when the collector is down, and the run is none the worse", async () => {
  const result = await runWorkflow(session({ SEGNO_OTLP: "http://127.0.0.1:1" }), { file: "w.yaml", inputs: {} });
  expect(result.status).toBe("completed");
  expect(result.warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^telemetry could not be sent to http:\/\/127\.0\.0\.1:1\/v1\/traces: /),
  ]);
});

describe("what a run sends as it goes and `segno trace` go by the same settings", () => {
  const nowhere = "http://127.0.0.1:1";
  it.each<[string, () => Record<string, string>, (() => string) | undefined, boolean]>([
    ["nothing", () => ({}), undefined, false],
    ["SEGNO_OTLP", () => ({ SEGNO_OTLP: address(), OTEL_EXPORTER_OTLP_ENDPOINT: nowhere }), () => nowhere, true],
    ["the project", () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: nowhere }), address, true],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: address() }), undefined, true],
    [
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      () => ({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${address()}/v1/traces` }),
      undefined,
      true,
    ],
    ["SEGNO_OTLP=off", () => ({ SEGNO_OTLP: "off", OTEL_EXPORTER_OTLP_ENDPOINT: address() }), address, false],
    [
      "OTEL_SDK_DISABLED",
      () => ({ OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: address() }),
      undefined,
      false,
    ],
  ])("%s", async (_, env, project, isSent) => {
    const asked = { ...session(env()), ...(project ? { project: { otlp: project() } } : {}) };
    spans = [];
    const result = await runWorkflow(asked, { file: "child.yaml", inputs: {} });
    expect(result.warnings).toEqual([]);
    expect(spans.length > 0).toBe(isSent);
    const { sent, success } = await traceRun(asked, { run: result.run_id ?? "" });
    expect([success, sent?.url]).toEqual([true, isSent ? `${address()}/v1/traces` : undefined]);
  });
});

it.each([
  ["where nobody is", "http://user:pa55word9@127.0.0.1:1/?api_key=abcdef123456", "http://127.0.0.1:1/v1/traces: "],
  ["that is none", "user:pa55word9@127.0.0.1:1", "that is no address that begins with http:// or https://"],
])("does not show the password in the address of a collector %s", async (_, otlp, said) => {
  const asked = session({ SEGNO_OTLP: otlp });
  const result = await runWorkflow(asked, { file: "child.yaml", inputs: {} });
  const traced = await traceRun(asked, { run: result.run_id ?? "" });
  for (const { message } of [result.warnings[0], traced.errors[0]].map((one) => one ?? { message: "" })) {
    expect(message).toContain(said);
    expect(message).not.toMatch(/pa55word9|abcdef123456/);
  }
});

describe("a collector that repeats what it was sent", () => {
  const password = "hunter2pw";
  const basic = Buffer.from(`bob:${password}`).toString("base64");
  let repeating: Server;
  let port: number;
  beforeAll(async () => {
    repeating = createServer((request, response) => {
      request.resume();
      const { authorization, "x-team": team } = request.headers;
      // At the edge of what is shown as well: a half of a key is one.
      const told = `error for ${authorization} ${team} http://bob:${password}@x/ bob:${password}`;
      const filled = `${told} ${"-".repeat(Math.max(0, 290 - told.length))} ${authorization}`;
      response.writeHead(request.url?.startsWith("/denied") ? 401 : 500).end(filled);
    }).listen(0, "127.0.0.1");
    await new Promise((ready) => repeating.once("listening", ready));
    port = (repeating.address() as AddressInfo).port;
  });
  afterAll(() => repeating.close());

  /** On a busy machine the end of a run does not wait for it; `segno trace` does. */
  const saidOrLate = (status: string): RegExp =>
    new RegExp(`it answered ${status}: error for <redacted>|it did not answer within 500 ms`);

  it.each<[string, () => Record<string, string>, string]>([
    ["a password in the address", () => ({ SEGNO_OTLP: `http://bob:${password}@127.0.0.1:${port}` }), "500"],
    ["the same where it is denied", () => ({ SEGNO_OTLP: `http://bob:${password}@127.0.0.1:${port}/denied` }), "401"],
    ["a short password", () => ({ SEGNO_OTLP: `http://bob:pw1!@127.0.0.1:${port}` }), "500"],
    [
      "a header",
      () => ({
        SEGNO_OTLP: `http://127.0.0.1:${port}`,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc-1234567,x-team=plainword",
      }),
      "500",
    ],
  ])("is quoted without it: %s", async (_, env, status) => {
    const asked = session(env());
    const { run_id, warnings } = await runWorkflow(asked, { file: "child.yaml", inputs: {} });
    const { errors } = await traceRun(asked, { run: run_id ?? "" });
    // Whatever the collector adds of its own is its own: of what it repeats nothing is left.
    const sent = env().OTEL_EXPORTER_OTLP_HEADERS ? /abc-1|plainword/ : /pw1!|Ym9iO/;
    for (const { message } of [warnings[0], errors[0]].map((one) => one ?? { message: "" })) {
      expect(message).toMatch(saidOrLate(status));
      expect(message).not.toMatch(sent);
      if (env().SEGNO_OTLP?.includes(password)) expect(message).not.toMatch(new RegExp(`${password}|${basic}`));
    }
  });

  it("is quoted without a password that the project's file has", async () => {
    const asked = { ...session(), project: { otlp: `http://bob:${password}@127.0.0.1:${port}` } };
    const { run_id, warnings } = await runWorkflow(asked, { file: "child.yaml", inputs: {} });
    const { errors } = await traceRun(asked, { run: run_id ?? "" });
    expect(warnings[0]?.message).toMatch(saidOrLate("500"));
    expect(JSON.stringify([warnings, errors])).not.toMatch(/hunter2|Ym9iO/);
  });
});

describe("what is for Segno's collector alone", () => {
  const handed = async (env: Record<string, string>) => {
    writeFileSync(
      join(cwd, "prints.yaml"),
      "workflow: { name: prints, entry_point: a }\nagents:\n  - { name: a, type: script, command: sh, args: [-c, 'env > handed'] }\n",
    );
    await runWorkflow(session(env), { file: "prints.yaml", inputs: {} });
    return readFileSync(join(cwd, "handed"), "utf8");
  };

  it("does not reach a script", async () => {
    const env = await handed({ SEGNO_OTLP: address(), OTEL_EXPORTER_OTLP_HEADERS: "x=1", OTEL_SERVICE_NAME: "mine" });
    expect(env).not.toMatch(/SEGNO_OTLP|OTLP_HEADERS/);
    expect(env).toContain("OTEL_SERVICE_NAME=mine");
    await until(() => spans.length > 0);
  });

  it("reaches it where the environment names a collector for other programs", async () => {
    const env = await handed({ OTEL_EXPORTER_OTLP_ENDPOINT: address(), OTEL_EXPORTER_OTLP_HEADERS: "x=1" });
    expect(env).toContain("OTEL_EXPORTER_OTLP_HEADERS=x=1");
  });
});

it("follows no redirect of a collector: what is sent is for the address that was named", async () => {
  spans = [];
  const elsewhere = createServer((_, response) =>
    response.writeHead(307, { location: `${address()}/v1/traces` }).end(),
  ).listen(0, "127.0.0.1");
  await new Promise((resolve) => elsewhere.once("listening", resolve));
  const port = (elsewhere.address() as AddressInfo).port;
  const redirected = session({ SEGNO_OTLP: `http://127.0.0.1:${port}` });
  const result = await runWorkflow(redirected, { file: "child.yaml", inputs: {} });
  elsewhere.close();
  expect(result.warnings.map(({ message }) => message).join()).toContain("it answered 307 and leads elsewhere");
  expect(spans).toEqual([]);
});

it("does not wait for a collector that never answers, and warns", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((ready) => silent.listen(0, "127.0.0.1", ready));
  const { port } = silent.address() as AddressInfo;
  const env = { SEGNO_OTLP: `http://127.0.0.1:${port}` };
  const result = await runWorkflow(session(env), { file: "child.yaml", inputs: {} });
  silent.closeAllConnections();
  silent.close();
  expect(result.status).toBe("completed");
  expect(result.warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining("did not answer within 500 ms"),
  ]);
});

it("`segno trace` sends to where a run would", async () => {
  const { run_id } = await runWorkflow(session(), { file: "child.yaml", inputs: {} });
  const SEGNO_OTLP = address();
  for (const where of [on(), { ...session(), project: { otlp: SEGNO_OTLP } }]) {
    const { sent } = await traceRun(where, { run: run_id ?? "" });
    expect(sent).toMatchObject({ url: `${SEGNO_OTLP}/v1/traces` });
  }
});

it("measures name the process that they are of", () => {
  const sent = JSON.stringify(
    otlpMetrics({ metrics: metricsOfProcess, gauged: [{ labels: {}, gauges: { letters: 1 } }], now: 1 }, "segno", "1"),
  );
  expect(sent).toMatch(/"service.instance.id","value":\{"stringValue":"[0-9a-f-]{36}"/);
});

it("says nothing to anybody when it is off", async () => {
  rmSync(join(cwd, "parents"));
  await runWorkflow(session(), { file: "w.yaml", inputs: {} });
  expect(readFileSync(join(cwd, "parents"), "utf8")).toBe("\n");
  expect(spans).toEqual([]);
});

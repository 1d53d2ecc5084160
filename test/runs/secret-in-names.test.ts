// A file may put `${NAME}` anywhere. What is said about it, before and after it runs, shows no secret of the environment.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { metricsOfProcess, prometheusText } from "../../src/features/telemetry/metrics.ts";
import { traceRun } from "../../src/features/telemetry/trace/index.ts";
import { listLetters } from "../../src/services/dead-letters/letters.ts";
import { explainRun } from "../../src/services/explain/index.ts";
import { listBreakers } from "../../src/services/resilience/breakers.ts";
import { listRuns, runEvents, showRun } from "../../src/services/runs/runs.ts";
import { describeWorkflow, listErrors } from "../../src/services/workflows/describe.ts";
import { drawGraph } from "../../src/services/workflows/graph.ts";
import { validateFiles } from "../../src/services/workflows/validate.ts";
import { Playground } from "../support/play.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

const TOKEN = "tok-abcdef123456";
const here = () => ({ ...ground.session, env: { ...ground.session.env, MY_API_TOKEN: TOKEN } });

it("findings do not quote a secret that the file refers to", async () => {
  ground.write({
    "main.yaml": 'workflow: { name: w, entry_point: "${MY_API_TOKEN}" }\nagents: [{ name: a, type: set, value: 1 }]\n',
  });
  const answers = [
    validateFiles(here(), { files: ["main.yaml"] }),
    (await ground.run("main.yaml", here())).result,
    describeWorkflow(here(), { file: "main.yaml" }),
    listErrors(here(), { file: "main.yaml" }),
    await drawGraph(here(), { file: "main.yaml", format: "mermaid" }),
  ];
  for (const answer of answers) {
    expect(answer.success).toBe(false);
    expect(JSON.stringify(answer)).toContain("<redacted>");
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  }
});

it("a name with a secret in it is shown without, by every command, and is not in the index of runs", async () => {
  ground.write({
    "main.yaml": `workflow: { name: "n-\${MY_API_TOKEN}", entry_point: "s-\${MY_API_TOKEN}" }
agents: [{ name: "s-\${MY_API_TOKEN}", type: set, value: 1 }]
`,
  });
  const file = { ...here(), file: "main.yaml" };
  const { result } = await ground.run("main.yaml", here());
  expect(result).toMatchObject({ status: "completed", workflow: "n-<redacted>" });
  // Whoever looks later does not have it.
  const named = { ...ground.session, run: result.run_id ?? "" };
  const told = [];
  for await (const event of runEvents(named, named)) told.push(event);
  const shown = JSON.stringify([
    result,
    validateFiles(here(), { files: ["main.yaml"] }),
    listErrors(file, file),
    await Promise.all((["mermaid", "svg", "dot"] as const).map((format) => drawGraph(file, { ...file, format }))),
    await listRuns(ground.session, {}),
    await showRun(named, named),
    await explainRun(named, named),
    told,
  ]);
  expect(shown).not.toContain(TOKEN);
  const index = ["index.db", "state.db"].map((name) => {
    try {
      return readFileSync(join(ground.session.home, name), "latin1");
    } catch {
      return "";
    }
  });
  expect(index.join("")).toContain("n-<redacted>");
  expect(index.join("")).not.toContain(TOKEN);
});

it("what is counted, guarded, traced and kept by names and keys has no secret in it, in any drive", async () => {
  const sent: string[] = [];
  const collector = createServer((request, response) => {
    request.on("data", (piece) => void sent.push(String(piece)));
    request.on("end", () => response.end("{}"));
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const traced = { ...here().env, SEGNO_OTLP: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` };
  const KIND = "k1nd_of_token_77";
  ground.write({
    "main.yaml": `workflow:
  name: "n-\${MY_API_TOKEN}"
  entry_point: "s-\${MY_API_TOKEN}"
  input: { pin: { type: string, secret: true } }
  resilience: { circuit_breaker: { failure_threshold: 1, scope: step, counts: ["*"] }, dead_letter: true }
agents:
  - { name: "s-\${MY_API_TOKEN}", type: set, value: 1, routes: [{ to: each }] }
for_each:
  - name: each
    type: for_each
    source: "{{ [{'id': workflow.input.pin}] }}"
    as: x
    key_by: id
    agent:
      name: "i-\${MY_API_TOKEN}"
      type: script
      command: sh
      args: [-c, 'echo "{\\"kind\\": \\"x.$KIND_TOKEN\\", \\"message\\": \\"no\\"}" > $CONDUCTOR_ERROR_OUT; exit 1']
    routes: [{ to: $end }]
`,
  });
  try {
    const secrets = { ...traced, KIND_TOKEN: KIND };
    const began = await ground.run("main.yaml", { ...here(), env: secrets, inputs: { pin: { value: "pin-48216" } } });
    expect(began.result.status).toBe("failed");
    const run = began.result.run_id ?? "";
    const again = await ground.resume(run, { env: secrets });
    const breakers = await listBreakers(ground.session);
    const { letters } = await listLetters(ground.session, {});
    expect(breakers.breakers).toMatchObject([{ name: "step:n-<redacted>/i-<redacted>" }]);
    expect(letters).toMatchObject([{ workflow: "n-<redacted>", node_id: "i-<redacted>", kind: "x.<redacted>" }]);
    const metrics = prometheusText(metricsOfProcess, []);
    expect(metrics).toContain('workflow="n-<redacted>"');
    expect(sent.join("")).toContain("workflow n-<redacted>");
    const named = { ...ground.session, run };
    const shown = {
      began,
      again,
      breakers,
      letters,
      metrics,
      sent: sent.join(""),
      show: await showRun(named, named),
      explain: await explainRun(named, named),
      trace: await traceRun(named, named),
      graph: await drawGraph(here(), { file: "main.yaml", run, format: "svg" }),
    };
    for (const [view, told] of Object.entries(shown))
      for (const secret of [TOKEN, KIND, "pin-48216"])
        expect(JSON.stringify(told).includes(secret), `${secret} in ${view}`).toBe(false);
  } finally {
    collector.close();
  }
});

it("a line of a file is quoted without the token of an address that has a template in it", async () => {
  const server = createServer((_, response) => {
    response.statusCode = 503;
    response.end("down");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    ground.write({
      "main.yaml": `workflow: { name: w, entry_point: a, input: { q: { type: string, default: x } } }
agents:
  - { name: a, type: http, url: "http://127.0.0.1:${port}/x?q={{ workflow.input.q }}&access_token=tok1en2value3x" }
`,
    });
    const { result } = await ground.run("main.yaml");
    expect(result.status).toBe("failed");
    const told = JSON.stringify(await explainRun(ground.session, { run: result.run_id ?? "" }));
    expect(told).toContain("&access_token=<redacted>");
    expect(told).not.toContain("tok1en2value3x");
  } finally {
    server.close();
  }
});

// What a server does without a person: it takes webhooks, fires triggers, tells metrics, knows people, and drives on runs
// whose gates timed out.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { until } from "../../../test/support/until.ts";
import { answerGate } from "../../services/gates/gates.ts";
import { readProject } from "../../services/project/read-project.ts";
import { showRun } from "../../services/runs/runs.ts";
import { problemJson } from "./contract/values.ts";
import { webhookJson } from "./openapi.ts";

const FLOW = `workflow: { name: flow, entry_point: note, input: { what: { type: string, default: nothing } } }
agents: [{ name: note, type: set, value: "{{ workflow.input.what }}" }]
output: { what: "{{ note.output }}" }
`;
const GATE = `workflow: { name: gated, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: go?, timeout: 1, on_timeout: no, options: [{ label: Yes, value: yes, route: done }, { label: No, value: no, route: done }] }
  - { name: done, type: set, value: "{{ ask.output.selected }}" }
output: { answer: "{{ done.output }}" }
`
  .replaceAll("yes,", '"yes",')
  .replaceAll("value: no,", 'value: "no",')
  .replace("on_timeout: no", 'on_timeout: "no"');
const REMINDED = `workflow: { name: reminded, entry_point: call }
agents: [{ name: call, type: workflow, workflow: asks.yaml }]
`;
const ASKS = `workflow: { name: asks, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: go?
    remind: 1
    notify: { command: sh, args: [-c, "cat >> told"] }
    options: [{ label: Go, value: go, route: $end }]
`;
const PROJECT = `triggers:
  - { name: pushed, workflow: flow.yaml, webhook: { path: /hooks/push, secret: s3cret, verify: github }, inputs: { what: "{{ trigger.body.ref }}" } }
people:
  alex: { token: alex-has-a-long-token-here }
groups: { release: [alex] }
`;

let served: Served;
afterEach(() => served.close());

/** A server in a trusted project. */
async function start(): Promise<Served> {
  served = await Served.start(
    { "flow.yaml": FLOW, "gated.yaml": GATE, "reminded.yaml": REMINDED, "asks.yaml": ASKS, "segno.yaml": PROJECT },
    {},
    (root) => {
      const { project } = readProject(join(root, "segno.yaml"), {});
      if (!project) throw new Error("the project is not valid");
      const { people, groups } = project.settings;
      return { project: { people: { people, groups } }, drives: project };
    },
  );
  return served;
}

const signature = (text: string): string => `sha256=${createHmac("sha256", "s3cret").update(text).digest("hex")}`;

describe("a webhook", () => {
  it("is answered with a run that is then driven, and needs no session but its signature", async () => {
    const server = await start();
    const text = '{"ref": "main"}';
    const send = (headers: Record<string, string>) =>
      fetch(`${server.url}/hooks/push`, {
        method: "POST",
        body: text,
        // None that is kept: the run takes a while, and a server closes what is idle.
        headers: { connection: "close", "x-github-delivery": "1", ...headers },
      });
    expect((await send({})).status).toBe(401);
    const answer = await send({ "x-hub-signature-256": signature(text) });
    expect(answer.status).toBe(202);
    const { run_id } = webhookJson.strict().parse(await answer.json());
    if (run_id === null) throw new Error("it was skipped");
    await until(async () => (await showRun(server.session, { run: run_id })).status === "completed");
    expect((await showRun(server.session, { run: run_id })).output).toEqual({ what: "main" });
    const big = await fetch(`${server.url}/hooks/push`, { method: "POST", body: "x".repeat(1024 * 1024 + 1) });
    expect(big.status).toBe(413);
  });

  it("is refused in the form that every refusal has, as the description of the API says", async () => {
    const server = await start();
    const send = async (text: string, { path = "/hooks/push", proof = signature(text) } = {}) => {
      const headers = { "x-hub-signature-256": proof };
      return (await fetch(`${server.url}${path}`, { method: "POST", body: text, headers })).json();
    };
    const refused = [
      await send("{}", { proof: "none" }),
      await send("{}", { path: "/hooks/none" }),
      await send("{"),
      await send("{}"),
      await send("x".repeat(1024 * 1024 + 1)),
    ].map((body) => problemJson.strict().parse(body));
    expect(refused.map(({ status, code }) => [status, code])).toEqual([
      [401, "wrong_token"],
      [404, "not_found"],
      [400, "bad_request"],
      [422, "refused"],
      [413, "too_large"],
    ]);
    expect(refused[3]?.message).toBe("the delivery does not fit `inputs.what`");
    const { body } = await server.get("/api/openapi.json");
    expect(body.paths["/hooks/{path}"].post.responses.default.content["application/json"].schema).toEqual({
      $ref: "#/components/schemas/Problem",
    });
  });

  it("without a body, or with one whose length is not said, is answered like any other", async () => {
    const server = await start();
    // What `curl -X POST` sends: neither a length nor a body. fetch always says a length.
    const bare = (path: string, ...parts: readonly string[]) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = parts.length > 0 ? { "x-hub-signature-256": signature(parts.join("")) } : {};
        const sent = request(`${server.url}${path}`, { method: "POST", headers }, (reply) => {
          reply.resume();
          resolve(reply.statusCode);
        }).on("error", reject);
        if (parts.length === 0) sent.removeHeader("transfer-encoding");
        for (const part of parts) sent.write(part);
        sent.end();
      });
    expect(await bare("/hooks/push")).toBe(401);
    expect(await bare("/hooks/none")).toBe(404);
    expect(await bare("/hooks/push", '{"ref":', '"main"}')).toBe(202);
    expect(await bare("/hooks/push", ...Array<string>(17).fill("x".repeat(64 * 1024)))).toBe(413);
    expect(server.defects).toEqual([]);
  });
});

it("shows its triggers, with what they fired last", async () => {
  const server = await start();
  const { body } = await server.get("/api/triggers");
  expect(body.triggers).toMatchObject([
    { name: "pushed", workflow: "flow.yaml", paused: false, next_at: null, last: null },
  ]);
});

describe("metrics", () => {
  it("are told to whoever has the server's token, and count what this server drove", async () => {
    const server = await start();
    const { body } = await server.post("/api/runs", { file: "flow.yaml", inputs: {} });
    await until(async () => (await server.get(`/api/runs/${body.run_id}`)).body.status === "completed");
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
    const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.token}` } });
    const text = await answer.text();
    expect(text).toMatch(/segno_runs_total\{workflow="flow",status="completed"\} \d+/);
    expect(text).toContain("segno_gates 0");
  });
});

describe("people", () => {
  it("act in their own name with the token that the project gave them", async () => {
    const server = await start();
    const opened = await server.post("/api/session", { token: "alex-has-a-long-token-here" });
    expect(opened.body.person).toBe("alex");
    server.bearer = opened.body.session;
    const { body } = await server.post("/api/runs", { file: "flow.yaml", inputs: {} });
    const events = await server.get(`/api/runs/${body.run_id}/events`);
    expect(JSON.stringify(events.body)).toContain('"started_by":"alex"');
  });
});

it("a run whose gate timed out while nobody drove it goes on", async () => {
  const server = await start();
  const runId = await server.run("gated.yaml");
  await until(async () => (await showRun(server.session, { run: runId })).status === "completed");
  expect((await showRun(server.session, { run: runId })).output).toEqual({ answer: "no" });
});

it("people are reminded of a gate that waits while nobody drives its run, as often as its step says, until it is answered", async () => {
  const server = await start();
  const runId = await server.run("reminded.yaml");
  const told = () =>
    readFileSync(join(server.root, "told"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { run_id: string; workflow: string; key: string; reminder: number });
  await until(() => told().length > 2);
  expect(told().slice(0, 3)).toMatchObject(
    [0, 1, 2].map((reminder) => ({ run_id: runId, workflow: "asks", reminder })),
  );
  // Where it can be answered, as this server is reached.
  expect(told()[1]).toMatchObject({ link: `${server.url}/runs/${runId}` });
  const { body } = await server.get(`/api/runs/${runId}/events`);
  const notified = (body.events as { type: string; path: string[]; data: object }[]).filter(
    ({ type }) => type === "gate_notified",
  );
  expect(notified.slice(0, 2)).toMatchObject([
    { path: ["call"], data: { reminder: 0, ok: true } },
    { path: ["call"], data: { reminder: 1, ok: true } },
  ]);
  await answerGate(server.session, { run: runId, value: "go", inputs: {} });
  await until(async () => (await showRun(server.session, { run: runId })).status === "completed");
});

// What a program is told to do is something that it can do over HTTP: no refusal names a command or an option.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { HTTP_CLIENT } from "./reader.ts";

const ADDS = `
workflow: { name: adds, entry_point: add, input: { a: { type: number, default: 1 }, b: { type: array } } }
agents:
  - { name: add, type: set, value: "{{ workflow.input.a }}" }
`;
const ASKS = `
workflow: { name: asks, entry_point: may_we }
agents:
  - name: may_we
    type: human_gate
    prompt: Ship it?
    options: [{ label: Yes, value: ship, route: $end, prompt_for: why }]
`;
const FAILS = `
workflow: { name: fails, entry_point: a }
agents:
  - { name: a, type: set, value: "{{ 1 / 0 }}" }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "adds.yaml": ADDS, "asks.yaml": ASKS, "fails.yaml": FAILS });
});
afterAll(() => served.close());

/** A command, or an option of one. */
const COMMAND = /\bsegno [a-z-]+|(?<![\w-])--[a-z][a-z-]+|(?<![\w-])-i \w/;

describe("a refusal", () => {
  it("of a start says which field of the body is needed", async () => {
    const { status, body } = await served.post("/api/runs", { file: "adds.yaml" });
    expect(status).toBe(400);
    expect(body.hint).toContain('"inputs": {"b": ');
    const other = await served.post("/api/runs", { file: "adds.yaml", inputs: { b: [] }, provider: "nobody" });
    expect(other.body.hint).toContain('Choose one of them with "provider" in the body');
  });

  it("names no command", async () => {
    const run = await served.run("fails.yaml");
    const asked = await served.run("asks.yaml");
    const { seq } = (await served.get(`/api/runs/${run}`)).body;
    const { gates } = (await served.get("/api/gates")).body;
    const gate = encodeURIComponent(gates[0].id);
    const refused = [
      await served.get("/api/runs/01NOBODY"),
      await served.get("/api/letters/01NOBODY"),
      await served.post("/api/runs", { file: "adds.yaml" }),
      await served.post("/api/runs", { file: "adds.yaml", inputs: { b: [] }, provider: "nobody" }),
      await served.post(`/api/runs/${run}/resume`, { seq, from: "nowhere" }),
      await served.post(`/api/runs/${run}/resume`, { seq, from: "a", force: true }),
      await served.post(`/api/gates/${gate}`, { seq: gates[0].seq, value: "ship" }),
      await served.post(`/api/gates/${gate}`, { seq: gates[0].seq, value: "sink" }),
      await served.post("/api/letters/retry", { ids: ["01NOBODY"] }),
      await served.post(`/api/runs/${asked}/cancel`, { seq: 1_000_000 }),
    ];
    for (const { status, body } of refused) {
      expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(body)).not.toMatch(COMMAND);
    }
  });

  it("of a body says what the field is, and where it comes from", async () => {
    const run = await served.run("fails.yaml");
    for (const act of ["resume", "cancel"]) {
      const { body } = await served.post(`/api/runs/${run}/${act}`, {});
      expect(body.message).toBe("`seq` is missing");
      expect(body.hint).toContain("from GET /api/runs/{run}");
    }
    const hintOf = async (path: string, given: unknown): Promise<string> => (await served.post(path, given)).body.hint;
    expect(await hintOf("/api/runs", {})).toContain("from GET /api/workflows");
    expect(await hintOf("/api/letters/retry", { ids: [1] })).toContain("from GET /api/letters");
    expect(await hintOf("/api/breakers/x/reset", {})).toContain("from GET /api/breakers");
    expect(await hintOf("/api/letters/retry", {})).toBe("GET /api/openapi.json describes what each address takes.");
  });
});

it("a view of a run still has commands, which people copy from the page", async () => {
  const run = await served.run("fails.yaml");
  expect((await served.get(`/api/runs/${run}`)).body.banner.next[0].command).toContain(`segno resume ${run}`);
  expect((await served.get(`/api/runs/${run}/result`)).body.checkpoint.resume).toBe(`segno resume ${run}`);
  expect(JSON.stringify((await served.get(`/api/runs/${run}/explain`)).body.next)).toContain("segno resume");
});

it("addresses are encoded", () => {
  expect(HTTP_CLIENT.ask({ to: "reset", breaker: "a/b c" })).toBe("POST /api/breakers/a%2Fb%20c/reset");
  expect(HTTP_CLIENT.ask({ to: "validate", file: "a b/c.yaml" })).toBe("GET /api/workflows/a%20b/c.yaml");
});

// Steps whose work is the engine's or a server's: what they hand over.
import { describe, expect, it } from "vitest";
import { field, testAttempt, testScope } from "../../test/support/engine/attempt.ts";
import { raised } from "../base/errors/index.ts";
import type { McpStep, TerminateStep, WorkflowStep } from "../language/schema/index.ts";
import { mcp } from "./mcp/run.ts";
import { terminate, terminateOutput, terminationOutput } from "./terminate/prepare.ts";
import { loadExecutors, STEP_TYPE_NAMES } from "./types.ts";
import { workflow } from "./workflow/prepare.ts";
import type { McpRequest, McpResult } from "./world.ts";

const common = { name: "probe", input: [], routes: [], raise_when: [] };

describe("a sub-workflow", () => {
  const step = (fields: Partial<WorkflowStep>): WorkflowStep => ({
    ...common,
    type: "workflow",
    workflow: "./c.yaml",
    cache: false,
    ...fields,
  });

  it("gets inputs with their types, or none of its own", () => {
    const input_mapping = { n: "{{ n }}", list: "{{ [n] | tojson }}", fixed: "42", version: "{{ v }}" };
    expect(workflow.prepare(step({ input_mapping, max_depth: 2 }), testScope({ n: 1, v: "1.10" }))).toEqual({
      workflow: "./c.yaml",
      inputs: { n: 1, list: [1], fixed: 42, version: "1.10" },
      max_depth: 2,
    });
    expect(workflow.prepare(step({}), testScope())).toEqual({ workflow: "./c.yaml" });
  });
});

describe("an ending", () => {
  const step = (fields: Partial<TerminateStep>): TerminateStep => ({
    name: "stop",
    input: [],
    type: "terminate",
    status: "failed",
    reason: "{{ n }} left",
    ...fields,
  });

  it("has a reason, and an output of its own when it is given one", () => {
    const prepared = terminate.prepare(step({}), testScope({ n: 3 }));
    expect(prepared).toEqual({ status: "failed", reason: "3 left" });
    expect(terminateOutput(prepared, "stop")).toEqual({ status: "failed", reason: "3 left", terminated_by: "stop" });
    const template = { aborted: "true", n: "{{ n }}", list: "[1, 2]", stage: "pre{{ 'check' }}" };
    const output = { aborted: true, n: 3, list: [1, 2], stage: "precheck" };
    expect(terminationOutput(template, testScope({ n: 3 }).names)).toEqual(output);
  });

  it.each([
    ["{{ '  ' }}", /came out empty.*Put words around \{\{ ' {2}' \}\}/],
    ["{{ nobody.said }}", /could not be rendered.*'nobody' is not defined/],
  ])("is named after its step when the reason cannot be had: %s", (reason, why) => {
    const prepared = terminate.prepare(step({ reason }), testScope());
    expect(prepared).toMatchObject({ status: "failed", reason: "probe", withoutReason: expect.stringMatching(why) });
  });

  it("makes text of what JSON cannot hold", () => {
    const loop: Record<string, unknown> = { big: 10n, inf: Number.POSITIVE_INFINITY };
    loop.self = loop;
    const output = terminationOutput({ loop: "{{ loop }}" }, testScope({ loop }).names);
    expect(() => JSON.stringify(output)).not.toThrow();
    expect(output).toMatchObject({ loop: { big: "10", inf: "Infinity" } });
  });
});

describe("a tool", () => {
  const step: McpStep = {
    ...common,
    type: "mcp",
    server: "github",
    tool: "create_issue",
    arguments: { n: "{{ n }}", zip: "01234" },
    output: { number: field({ type: "number" as const }) },
    cache: false,
  };

  async function call(result: McpResult) {
    const asked: McpRequest[] = [];
    const callTool = async (request: McpRequest) => {
      asked.push(request);
      return result;
    };
    const attempt = testAttempt({ world: { callTool } });
    return { outcome: await mcp.execute(mcp.prepare(step, testScope({ n: 1 })), attempt), asked, attempt };
  }

  it("gets typed arguments and gives its structured content", async () => {
    const { outcome, asked, attempt } = await call({ ok: true, structured: { number: 7 }, content: [] });
    expect(outcome).toEqual({ ok: true, output: { number: 7 } });
    expect(asked).toEqual([{ server: "github", tool: "create_issue", arguments: { n: 1, zip: "01234" } }]);
    expect(attempt.emitted("mcp_completed")).toMatchObject([{ target: "github/create_issue" }]);
  });

  it("without structure gives its content, held against the schema", async () => {
    const { outcome } = await call({ ok: true, content: "text" });
    expect(outcome).toMatchObject({
      error: { kind: "internal.schema_violation", details: { source: "mcp", failed_field: "number" } },
      output: { content: "text" },
    });
  });

  it("that fails raises what the server said", async () => {
    const error = raised("mcp.tool_error", "no", { server: "github" });
    const { outcome, attempt } = await call({ ok: false, error });
    expect(outcome).toEqual({ ok: false, error });
    expect(attempt.emitted("mcp_failed")).toHaveLength(1);
  });
});

describe("the registry", () => {
  it("has every executor under its type's name, and leaves asking, calling and ending to the engine", async () => {
    const executorOf = await loadExecutors([...STEP_TYPE_NAMES, "toString"]);
    const without = ["human_gate", "questions", "workflow", "terminate"];
    for (const type of STEP_TYPE_NAMES.filter((name) => !without.includes(name)))
      expect(executorOf(type)).toMatchObject({ type, version: expect.any(Number) });
    for (const type of [...without, "toString"]) expect(() => executorOf(type)).toThrow("nothing carries out");
  });
});

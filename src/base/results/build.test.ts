// The object that an agent reads after a run, for every way a run can stand.
import { describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../test/support/engine/test-events.ts";
import { crossing, type Envelope } from "../errors/index.ts";
import { apply, initialState } from "../events/state/fold.ts";
import type { RunState } from "../events/state/state.ts";
import { createRedactor } from "../redact/index.ts";
import { type ErrorPlace, type ResultContext, resultOf } from "./index.ts";
import { resultSchema } from "./schema.ts";

const fold = ({ events }: Story): RunState => events.reduce(apply, initialState("01RUN"));
const artifacts = { events_jsonl: "/r/events.jsonl", errors_jsonl: "/r/errors.jsonl", run_dir: "/r" };
const context: ResultContext = {
  redactor: createRedactor({ secrets: ["hunter2-secret"] }),
  file: "demo.yaml",
  artifacts,
};

/** Every result made here is also held against the schema. */
function result(story: Story, over: Partial<ResultContext> = {}) {
  const made = resultOf(fold(story), { ...context, ...over });
  expect(resultSchema.parse(JSON.parse(JSON.stringify(made)))).toEqual(JSON.parse(JSON.stringify(made)));
  return made;
}

const plan = outline("fetch", "process", "notify");
const story = (): Story => new Story().started(plan).ran("fetch");
/** An error of `fetch` that a route hands on to `process`. */
const handedOn = (raised: Envelope): Story =>
  new Story().started(plan).begin("fetch").fail("fetch", raised).routed("fetch", raised.kind, "to", "process");
const failing = (raised: Envelope, options = {}): Story =>
  story().begin("process").fail("process", raised, options).unhandled("process", raised);

describe("a run that somebody drives", () => {
  const begun = (): Story => story().begin("process");
  const lastAt = Date.parse(begun().events.at(-1)?.ts ?? "");
  const durations = (made: ReturnType<typeof result>) => [
    made.execution?.duration_ms,
    ...(made.execution?.steps.map(({ duration_ms }) => duration_ms) ?? []),
  ];

  it("has lasted until now, and so has the step that runs", () => {
    const before = durations(result(begun()));
    const [whole = 0, fetched] = before;
    expect(durations(result(begun(), { now: lastAt + 6000 }))).toEqual([(whole ?? 0) + 6000, fetched, 6000, null]);
  });

  it("has lasted until its last word where nobody does any more", () => {
    const [whole, fetched, processed] = durations(result(begun(), { now: lastAt + 6000, interrupted: true }));
    expect([whole, fetched, processed]).toEqual(durations(result(begun(), { interrupted: true })).slice(0, 3));
  });
});

describe("a run that completed", () => {
  it("has its output, its steps and nothing wrong", () => {
    expect(result(story().ran("process").ran("notify").ended({ said: 5 }))).toMatchObject({
      schema: "segno.result/1",
      success: true,
      status: "completed",
      exit_code: 0,
      run_id: "01RUN",
      workflow: "demo",
      file: "demo.yaml",
      output: { said: 5 },
      error: null,
      errors: [],
      warnings: [],
      checkpoint: {
        completed_nodes: ["fetch", "process", "notify"],
        failed_node: null,
        resumable: false,
        resume: null,
      },
      execution: { nodes_executed: 3, nodes_total: 3, duration_ms: 7000 },
      metrics: { total_cost_usd: 0, tokens: { input: 0, output: 0 }, by_model: {}, unpriced_models: [] },
      termination: null,
      gate: null,
      artifacts,
    });
  });

  it("after a recovery has no errors, and tells it as a warning", () => {
    const raised = error("fetch");
    const told = handedOn(raised).ran("process").ended();
    const made = result(told);
    expect(made).toMatchObject({ success: true, status: "completed", errors: [] });
    expect(made.warnings).toMatchObject([
      { kind: raised.kind, node_id: "fetch", recovered_by: "process", hint: expect.stringContaining("process") },
    ]);
    expect(made.execution?.steps[0]).toMatchObject({ status: "recovered", kind: raised.kind });
    expect(made.checkpoint?.node_actions).toEqual({ fetch: "error", process: "default" });
  });
});

describe("a run that failed unhandled", () => {
  it("blames a provider that was never called on the environment, and says what is missing", () => {
    const details = { provider: "p", attempts: 0, last_error: "no key: set P_KEY" };
    const [entry] = result(failing(error("process", "provider.rejected", details))).errors;
    expect(entry).toMatchObject({
      owner: "environment",
      fixable: false,
      hint: expect.stringContaining("give p what it lacks"),
    });
  });

  it("does not say of a handler that failed itself that it handled anything", () => {
    const raised = error("fetch");
    const own = error("process");
    const told = handedOn(raised).begin("process").fail("process", own).unhandled("process", own);
    const [warning] = result(told).warnings;
    expect(warning).toMatchObject({ node_id: "fetch", hint: expect.stringContaining("process, which also failed") });
    expect(warning).not.toHaveProperty("recovered_by");
  });

  it("does not call a terminate step failed that ended it on purpose", () => {
    const raised = error("fetch");
    const end = {
      is_explicit: true,
      status: "failed",
      termination_reason: "because",
      terminated_by: "process",
    } as const;
    const told = handedOn(raised)
      .begin("process")
      .add("agent_failed", {
        agent_name: "process",
        agent_type: "terminate",
        key: "process#1",
        attempt: 1,
        elapsed: 0,
        error_type: "WorkflowTerminated",
        message: "because",
        kind: null,
        ...end,
      })
      .stopped("WorkflowTerminated", "because", "process", { resumable: false, ...end });
    const [warning] = result(told).warnings;
    expect(warning).toMatchObject({
      node_id: "fetch",
      recovered_by: "process",
      hint: "A route led to process, which ended the workflow on purpose.",
    });
  });

  it("says what, where, who may change it, and how to go on", () => {
    const made = result(failing(error("process", "external.git.drift", { branch: "main" }, "SHA mismatch")), {
      locate: ({ node }) => (node === "process" ? { file: "demo.yaml", line: 5, column: 3 } : undefined),
    });
    expect(made).toMatchObject({
      success: false,
      status: "failed",
      exit_code: 3,
      output: null,
      error: "process: SHA mismatch",
    });
    expect(made.errors).toMatchObject([
      {
        source: "runtime",
        category: "execution_failure",
        kind: "external.git.drift",
        message: "SHA mismatch",
        node_id: "process",
        action: "error",
        fixable: true,
        retryable: false,
        owner: "workflow",
        details: { branch: "main" },
        raised_at: { workflow: "demo", node: "process" },
        propagated: [],
        attempts: 1,
        cause: null,
        location: { file: "demo.yaml", line: 5, column: 3 },
        hint: expect.stringMatching(/external\.git\.drift.*segno resume 01RUN/),
      },
    ]);
    expect(made.errors[0]).not.toHaveProperty("error_type");
    expect(made.checkpoint).toEqual({
      completed_nodes: ["fetch"],
      node_actions: { fetch: "default" },
      node_hashes: { fetch: "sha256:fetch" },
      failed_node: "process",
      resumable: true,
      resume: "segno resume 01RUN",
    });
    expect(made.execution?.steps).toEqual([
      {
        node_id: "fetch",
        type: "script",
        status: "completed",
        duration_ms: 500,
        cached: false,
        repaired: false,
        attempts: 1,
      },
      {
        node_id: "process",
        type: "script",
        status: "failed",
        duration_ms: 250,
        cached: false,
        repaired: false,
        attempts: 1,
        kind: "external.git.drift",
      },
      {
        node_id: "notify",
        type: "script",
        status: "not_executed",
        duration_ms: null,
        cached: false,
        repaired: false,
        attempts: 0,
      },
    ]);
  });

  it("has no status and no exit code that is not a whole number: authors write envelopes too", () => {
    const [http] = result(failing(error("process", "http.status", { status_code: 1e21 }))).errors;
    const [script] = result(failing(error("process", "internal.script_error", { exit_code: 0.5 }))).errors;
    expect([http?.status_code, script?.shell_exit_code]).toEqual([undefined, undefined]);
  });

  it.each<[string, Envelope, object]>([
    [
      "of an HTTP step",
      error("process", "http.status", {
        status_code: 400,
        raw_response: { error: "no", token: "t" },
        response_headers: { "x-api-key": "k", a: "b" },
        response_time: 0.2,
      }),
      {
        status_code: 400,
        raw_response: { error: "no", token: "<redacted>" },
        response_headers: { "x-api-key": "<redacted>", a: "b" },
        response_time: 0.2,
        category: "api_validation",
        fixable: true,
      },
    ],
    [
      "of an HTTP step that may not",
      error("process", "http.status", { status_code: 403 }),
      { category: "execution_failure", fixable: false, hint: expect.stringContaining("credentials") },
    ],
    [
      "of an MCP step",
      error("process", "mcp.tool_error", { server: "github", tool: "create", code: -32000 }, "no such repository"),
      {
        mcp_error_details: { server: "github", tool: "create" },
        mcp_error: { code: -32000, message: "no such repository" },
      },
    ],
    ["with its cause", { ...error("process"), cause: error("fetch", "a.first") }, { cause: { kind: "a.first" } }],
  ])("has the context %s", (_, raised, expected) => expect(result(failing(raised)).errors[0]).toMatchObject(expected));

  it("has what a script said", () => {
    const raised = error("process", "internal.script_error", {
      exit_code: 7,
      stderr_tail: "the cause",
      command: "make all",
    });
    const made = result(failing(raised, { output: { stdout: "so far", stderr: "first\nthe cause", exit_code: 7 } }));
    expect(made.errors[0]).toMatchObject({
      shell_command: "make all",
      shell_exit_code: 7,
      shell_stdout: "so far",
      shell_stderr: "the cause",
    });
    const own = story()
      .begin("process")
      .add("script_started", { agent_name: "process", command: "sh", args: ["x.sh"], working_dir: "/" });
    own
      .fail("process", error("process", "my.kind"), { output: { stdout: "o", stderr: "e", exit_code: 0 } })
      .unhandled("process", error("process", "my.kind"));
    expect(result(own).errors[0]).toMatchObject({
      kind: "my.kind",
      shell_command: "sh x.sh",
      shell_exit_code: 0,
      shell_stdout: "o",
      shell_stderr: "e",
    });
  });

  it("is asked about where the error was raised, however deep", () => {
    const places: ErrorPlace[] = [];
    const deep = error("probe");
    const child = {
      agent_name: "call",
      key: "call#1",
      slot: "call",
      workflow: "leaf",
      file: "/leaf.yaml",
      inputs: {},
      outline: { ...outline("probe"), name: "leaf" },
    };
    const crossed = crossing(deep, { workflow: "demo", node: "call" });
    const told = new Story()
      .started(outline({ name: "call", type: "workflow" }))
      .begin("call", { type: "workflow" })
      .add("subworkflow_started", child);
    told.within(["call"], (inner) =>
      inner
        .begin("probe", { key: "call#1/probe#1" })
        .fail("probe", deep, { key: "call#1/probe#1", output: { exit_code: 4, stderr: "deep" } }),
    );
    told.fail("call", crossed, { type: "workflow" }).unhandled("call", crossed);
    const made = result(told, { locate: (place) => void places.push(place) });
    expect(places).toMatchObject([{ node: "probe", path: ["call"] }]);
    expect(made.errors[0]).toMatchObject({
      node_id: "call",
      raised_at: { node: "probe" },
      propagated: [{ node: "call" }],
      shell_stderr: "deep",
      hint: expect.stringContaining("probe"),
    });
    expect(made.execution?.steps[0]).toMatchObject({
      node_id: "call",
      status: "failed",
      steps: [{ node_id: "probe", status: "failed" }],
    });
    expect(made.checkpoint?.failed_node).toBe("call");
  });

  it("because the workflow's own output does not render, has no node", () => {
    const raised = error(
      "",
      "internal.template_error",
      { expression: "x.y", missing: "y", available_fields: [], suggestions: [] },
      "no y",
    );
    expect(result(story().unhandled(null, raised))).toMatchObject({
      error: "no y",
      errors: [{ node_id: null }],
      checkpoint: { failed_node: null, resumable: true },
    });
  });
});

describe("a template error", () => {
  const fields = (count: number): string[] => Array.from({ length: count }, (_, index) => `f${index}`);
  const missing = (available: string[], more = {}): Envelope =>
    error("process", "internal.template_error", {
      expression: "fetch.output.resutl",
      missing: "resutl",
      available_fields: available,
      suggestions: [],
      ...more,
    });

  it("names what exists and what was probably meant", () => {
    const made = result(failing(missing(["result", "status", "data"])));
    expect(made.errors[0]).toMatchObject({
      category: "template_error",
      expression: "fetch.output.resutl",
      missing: "resutl",
      available_fields: ["result", "status", "data"],
      available_fields_total: 3,
      available_fields_truncated: false,
      suggestions: ["result"],
    });
  });

  it("shows 20 fields at most, and says where the rest is", () => {
    const entry = result(failing(missing(fields(47)))).errors[0];
    expect(entry).toMatchObject({
      available_fields: fields(20),
      available_fields_total: 47,
      available_fields_truncated: true,
      trace_file_hint: expect.stringContaining("/r/events.jsonl"),
    });
    expect(entry?.details?.available_fields).toHaveLength(20);
  });

  it("brings along what the script it refers to wrote to stderr", () => {
    const told = new Story()
      .started(plan)
      .ran("fetch", { output: { stdout: "", stderr: "warning: no data", exit_code: 0 } });
    const raised = missing(["stdout"]);
    expect(result(told.begin("process").fail("process", raised).unhandled("process", raised)).errors[0]).toMatchObject({
      shell_stderr: "warning: no data",
    });
  });

  it("says whose output reads it, where that is a sub-workflow's", () => {
    const raised = { ...missing([]), raised_at: { workflow: "child", node: "output", attempt: 1 } };
    const crossed = crossing(raised, { workflow: "demo", node: "process" });
    expect(result(failing(crossed, { type: "workflow" })).errors[0]?.hint).toMatch(
      /^The output of the sub-workflow child reads fetch\.output\.resutl, which does not exist/,
    );
  });

  it("says that there was text where fields were expected, only when it is so", () => {
    expect(result(failing(missing([], { parent: "fetch.output", parent_type: "string" }))).errors[0]?.hint).toContain(
      "is text",
    );
    expect(result(failing(missing(["result"]))).errors[0]?.hint).not.toContain("is text");
  });
});

describe("a group that failed", () => {
  const groups = outline(
    {
      name: "pair",
      type: "parallel",
      members: [
        { name: "x", type: "script" },
        { name: "y", type: "script" },
      ],
    },
    "after",
  );
  const told = (): Story => {
    const both = new Story()
      .started(groups)
      .begin("pair", { type: "parallel" })
      .add("parallel_started", { group_name: "pair", key: "pair#1", agents: ["x", "y"], max_concurrent: 2 });
    for (const name of ["y", "x"]) {
      const at = { key: `pair#1.${name}`, group: "pair" };
      both
        .begin(name, at)
        .fail(name, error(name, `${name}.bad`), at)
        .add("parallel_agent_failed", {
          group_name: "pair",
          agent_name: name,
          elapsed: 1,
          error: error(name, `${name}.bad`),
        });
    }
    return both;
  };
  const ended = { group_name: "pair", key: "pair#1", success_count: 0, failure_count: 2, elapsed: 1 };

  it("has an entry for each member, in order of time, and none of its own", () => {
    const raised = { ...error("y", "y.bad"), details: { group: { name: "pair", failed: 2, succeeded: 0 } } };
    const made = result(
      told()
        .add("parallel_completed", { ...ended, failed: true })
        .fail("pair", raised, { type: "parallel" })
        .unhandled("pair", raised),
    );
    expect(made.errors.map(({ node_id, kind, group }) => [node_id, kind, group])).toEqual([
      ["y", "y.bad", "pair"],
      ["x", "x.bad", "pair"],
    ]);
    expect(made.error).toBe("y: y.bad happened (and 1 more)");
    expect(made.checkpoint?.failed_node).toBe("pair");
    expect(made.execution).toMatchObject({
      nodes_total: 2,
      steps: [
        { node_id: "pair", status: "failed", steps: [{ node_id: "x", status: "failed" }, { node_id: "y" }] },
        { node_id: "after" },
      ],
    });
  });

  it("and went on makes the run degraded, with the members as warnings", () => {
    const made = result(
      told()
        .add("parallel_completed", { ...ended, failed: false })
        .done("pair", { type: "parallel" })
        .ended({}, { degraded: true }),
    );
    expect(made).toMatchObject({ status: "degraded", success: true, exit_code: 0, errors: [] });
    expect(made.warnings).toMatchObject([
      { node_id: "y", group: "pair", kind: "y.bad", hint: expect.stringContaining("went on") },
      { node_id: "x" },
    ]);
  });

  it("lists members of a group that never ran", () => {
    const made = result(
      new Story()
        .started(outline("after", groups.nodes[0] ?? ""))
        .ran("after")
        .ended(),
    );
    expect(made.execution?.steps[1]).toMatchObject({
      status: "not_executed",
      steps: [{ node_id: "x", status: "not_executed" }, { node_id: "y" }],
    });
  });
});

describe("other ends", () => {
  const terminated = (status: "success" | "failed") => ({
    is_explicit: true,
    status,
    termination_reason: "because",
    terminated_by: "process",
  });
  it.each<[string, Story, object]>([
    [
      "a terminate that succeeded",
      story()
        .ran("process", { more: terminated("success") })
        .ended({ a: 1 }, terminated("success")),
      {
        success: true,
        status: "terminated",
        exit_code: 0,
        errors: [],
        output: { a: 1 },
        termination: { status: "success", reason: "because", terminated_by: "process" },
        checkpoint: { resumable: false, node_actions: { process: "terminate" } },
      },
    ],
    [
      "a terminate that failed",
      story().stopped("WorkflowTerminated", "because", "process", {
        resumable: false,
        output: { a: 1 },
        ...terminated("failed"),
      }),
      {
        success: false,
        status: "terminated",
        exit_code: 1,
        output: { a: 1 },
        errors: [
          {
            error_type: "WorkflowTerminated",
            kind: null,
            category: "execution_failure",
            action: "terminate",
            node_id: "process",
          },
        ],
        checkpoint: { resumable: false, resume: null },
      },
    ],
    [
      "a halt",
      story()
        .begin("process")
        .fail("process", error("process"))
        .routed("process", "x", "halt")
        .stopped("HaltedWorkflow", "stop", "process", {
          resumable: false,
          error: { ...error("process", "halt.intentional", {}, "stop"), cause: error("process") },
        }),
      {
        status: "failed",
        exit_code: 1,
        errors: [{ kind: "halt.intentional", action: "halt", message: "stop", cause: { kind: "external.git.drift" } }],
        checkpoint: { resumable: false, node_actions: { process: "halt" } },
      },
    ],
    [
      "the iteration limit",
      story().stopped("MaxIterationsError", "the workflow used up max_iterations", "process"),
      {
        status: "failed",
        exit_code: 1,
        errors: [
          {
            category: "policy",
            kind: null,
            error_type: "MaxIterationsError",
            hint: expect.stringContaining("--max-iterations"),
          },
        ],
        checkpoint: { resumable: true },
      },
    ],
    ["the timeout", story().stopped("TimeoutError", "too long"), { exit_code: 1, errors: [{ category: "policy" }] }],
    [
      "a schema violation nobody opted in to",
      story()
        .begin("process")
        .fail("process", error("process", "internal.schema_violation"))
        .unhandled("process", error("process", "internal.schema_violation"), { error_type: "ValidationError" }),
      {
        exit_code: 1,
        errors: [{ kind: "internal.schema_violation", error_type: "ValidationError", node_id: "process" }],
        checkpoint: { resumable: true },
      },
    ],
    [
      "Ctrl-C",
      story().begin("process").add("run_cancelled", { reason: "interrupted", agent_name: "process" }),
      {
        status: "cancelled",
        exit_code: 130,
        errors: [{ error_type: "Cancelled", category: "execution_failure" }],
        checkpoint: { resumable: true },
        execution: { steps: [{}, { status: "cancelled" }, {}] },
      },
    ],
    [
      "a run that goes on",
      story().begin("process"),
      { status: "running", success: false, exit_code: null, errors: [], checkpoint: { resumable: false } },
    ],
  ])("%s", (_, told, expected) => expect(result(told)).toMatchObject(expected));

  it("a crash, which recorded no end", () => {
    expect(result(story().begin("process"), { interrupted: true })).toMatchObject({
      status: "failed",
      exit_code: 1,
      errors: [{ error_type: "Interrupted", node_id: "process" }],
      checkpoint: { resumable: true, failed_node: "process" },
      execution: { steps: [{}, { status: "cancelled" }, {}] },
    });
  });

  it("a gate with nobody to ask", () => {
    const ask = {
      agent_name: "process",
      key: "process#1",
      prompt: "Ship **it**? hunter2-secret",
      options: [{ label: "No", value: "no", prompt_for: "why" }],
    };
    const made = result(
      story()
        .begin("process", { type: "human_gate" })
        .add("gate_presented", ask)
        .add("run_paused", { reason: "nobody", gate: {} }),
    );
    expect(made).toMatchObject({
      success: false,
      status: "paused",
      exit_code: 4,
      errors: [],
      error: expect.stringContaining("process"),
      gate: {
        node_id: "process",
        prompt: "Ship **it**? <redacted>",
        options: [{ value: "no", prompt_for: "why" }],
        answer: "segno gate answer 01RUN VALUE",
      },
      checkpoint: { resumable: true },
    });
  });

  it("has what an earlier drive completed when a resume stops before it comes there", () => {
    const timedOut = { error_type: "TimeoutError", message: "too long", agent_name: null, resumable: true, elapsed: 0 };
    const made = result(story().add("workflow_failed", timedOut).resumed(plan).add("workflow_failed", timedOut));
    expect(made.checkpoint).toMatchObject({ completed_nodes: ["fetch"], node_hashes: { fetch: expect.any(String) } });
    expect(made.execution).toMatchObject({ nodes_executed: 1, nodes_total: 3 });
    expect(made.execution?.steps).toMatchObject([
      { node_id: "fetch", status: "completed", cached: true, attempts: 1 },
      { node_id: "process", status: "not_executed" },
      { node_id: "notify", status: "not_executed" },
    ]);
  });

  it("says which of several gates to answer, in words that a shell leaves alone", () => {
    const ask = (key: string) => ({ agent_name: "ask", key, prompt: "Go on?", options: [] });
    const made = result(
      story()
        .add("gate_presented", ask("all#1[0].ask"))
        .add("gate_presented", ask("all#1[1].ask"))
        .add("run_paused", { reason: "nobody", gate: {} }),
    );
    expect(made.error).toBe("all[0] and 1 more wait for an answer");
    expect(made.gates?.map(({ name }) => name)).toEqual(["all[0]", "all[1]"]);
    expect(made.gate?.answer).toBe("segno gate answer 01RUN VALUE --gate 'all[0]'");
  });
});

describe("money and time", () => {
  it("is null, with the models named, when a price is not known", () => {
    const call = { agent_name: "process", purpose: "answer", input_tokens: 7, output_tokens: 3 };
    const told = story()
      .begin("process")
      .add("agent_usage", { ...call, model: "known", cost_usd: 0.1 })
      .add("agent_usage", { ...call, model: "odd", cost_usd: null })
      .done("process")
      .ended();
    expect(result(told).metrics).toMatchObject({
      total_cost_usd: null,
      tokens: { input: 14, output: 6 },
      by_model: { known: { cost_usd: 0.1 }, odd: { cost_usd: null } },
      unpriced_models: ["odd"],
    });
    expect(result(told).execution?.steps[1]).toMatchObject({ tokens: { input: 14, output: 6 }, cost_usd: null });
  });

  it("is null when nothing ran", () => expect(result(new Story()).execution?.duration_ms).toBeNull());
});

describe("secrets", () => {
  it("are gone from the names of files that an agent changed", () => {
    const files = [{ path: "hunter2-secret/a.txt", change: "added", added: 1, removed: 0 }];
    const told = story().ran("process", { type: "agent", more: { changes: { files, added: 1, removed: 0 } } });
    const made = result(told.ended());
    expect(made.execution?.steps.find(({ changes }) => changes)?.changes?.files).toMatchObject([
      { path: expect.not.stringContaining("hunter2") },
    ]);
  });

  it("are gone from errors, warnings and output; the author's own keys are not touched", () => {
    const raised = error(
      "process",
      "auth.denied",
      { nested: [[{ x: "pre-hunter2-secret-post" }]], author: "ann", tokens_used: 5, "Set-Cookie": "sid=1" },
      "bad hunter2-secret",
    );
    expect(result(failing(raised)).errors[0]).toMatchObject({
      message: "bad <redacted>",
      details: { nested: [[{ x: "pre-<redacted>-post" }]], author: "ann", tokens_used: 5, "Set-Cookie": "<redacted>" },
    });
    expect(result(story().ended({ token: "mine", line: "key hunter2-secret" })).output).toEqual({
      token: "mine",
      line: "key <redacted>",
    });
  });

  it("in names of steps do not hide what became of them", () => {
    const made = result(new Story().started(outline("auth", "token")).ran("auth").ran("token").ended());
    expect(made.checkpoint?.node_hashes).toEqual({ auth: "sha256:auth", token: "sha256:token" });
    expect(made.checkpoint?.node_actions).toEqual({ auth: "default", token: "default" });
  });

  it("that are words of our own do not break the result's shape", () => {
    const odd = createRedactor({ secrets: ["failed", "default", "completed", "runtime", "execution_failure"] });
    expect(result(failing(error("process")), { redactor: odd })).toMatchObject({
      status: "failed",
      errors: [{ source: "runtime", category: "execution_failure" }],
    });
  });
});

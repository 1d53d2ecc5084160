// Typed errors from end to end: raised by real scripts, routed, retried, halted, propagated, or left unhandled.
import { describe, expect, it } from "vitest";
import { Playground, play } from "../support/play.ts";

const DRIFT = `{"kind": "external.git.drift", "message": "SHA mismatch", "details": {"branch": "main", "n": 3}}`;

/** A workflow whose first step raises what `envelope` says; `rest` are its routes and further steps. */
const raising = (envelope: string, rest: string): string => `
workflow: { name: case, entry_point: probe, limits: { max_iterations: 50 } }
agents:
  - name: probe
    type: script
    command: sh
    args: [-c, "echo partial; cat > \\"$CONDUCTOR_ERROR_OUT\\""]
    stdin: '${envelope}'
${rest}
`;

describe("an error that a script raised", () => {
  it("leads to the handler, which reads it as the step's error and as `error`", async () => {
    const { result } = await play(
      raising(
        DRIFT,
        `    routes: [{ to: happy }, { on_error: external.git.drift, to: handler }]
  - { name: happy, type: set, value: happy }
  - name: handler
    type: set
    values: { kind: "{{ probe.error.kind }}", n: "{{ error.details.n }}", partial: "{{ probe.output.stdout | trim }}" }
output: { got: "{{ handler.output }}" }`,
      ),
    );
    expect(result).toMatchObject({
      status: "completed",
      errors: [],
      output: { got: { kind: "external.git.drift", n: 3, partial: "partial" } },
      execution: {
        steps: [{ node_id: "probe", status: "recovered" }, { status: "not_executed" }, { status: "completed" }],
      },
    });
  });

  it("stops the run with exit code 3 when nobody takes it, and one line in errors.jsonl", async () => {
    const { result, errorLines } = await play(raising(DRIFT, "    routes: [{ to: $end }]"));
    expect(result).toMatchObject({
      status: "failed",
      exit_code: 3,
      errors: [
        { kind: "external.git.drift", node_id: "probe", raised_at: { workflow: "case", node: "probe" }, attempts: 1 },
      ],
      checkpoint: { failed_node: "probe", resumable: true },
    });
    expect(errorLines).toMatchObject([{ kind: "external.git.drift", workflow: "case" }]);
  });

  it("is undeclared when the step lists other kinds, and keeps what it was", async () => {
    const { result } = await play(raising(DRIFT, "    raises: [external.npm.gone]"));
    expect(result.errors[0]).toMatchObject({
      kind: "internal.undeclared_kind",
      details: { original_kind: "external.git.drift", declared: ["external.npm.gone"] },
      cause: { kind: "external.git.drift" },
    });
  });

  it("cannot pretend to be the engine's", async () => {
    const { result } = await play(raising(`{"kind": "http.status", "message": "m"}`, ""));
    expect(result.errors[0]).toMatchObject({
      kind: "internal.undeclared_kind",
      details: { original_kind: "http.status" },
    });
  });

  it.each([
    ["not JSON", "oops"],
    ["a list", "[1]"],
    ["without a message", `{"kind": "a.b"}`],
    ["without a dot in its kind", `{"kind": "ab", "message": "m"}`],
    ["marked as no error", `{"conductor_error": false, "kind": "a.b", "message": "m"}`],
  ])("is a violation of the channel when it is %s", async (_, text) => {
    const { result } = await play(raising(text, ""));
    expect(result.errors[0]).toMatchObject({ kind: "internal.schema_violation", details: { source: "error_channel" } });
  });
});

describe("a retry", () => {
  const flaky = (routes: string): string => `
workflow: { name: case, entry_point: probe, limits: { max_iterations: 20 } }
agents:
  - name: probe
    type: script
    command: sh
    args: [-c, "echo x >> n; test $(wc -l < n) -ge 3 || echo '{\\"kind\\":\\"a.busy\\",\\"message\\":\\"m\\"}' > \\"$CONDUCTOR_ERROR_OUT\\""]
    routes: ${routes}
`;
  it("runs the step again until it succeeds", async () => {
    const { result, events } = await play(
      flaky("[{ to: $end }, { on_error: a.busy, retry: { max: 5, initial_seconds: 0.01 } }]"),
    );
    expect(result.execution?.steps).toMatchObject([{ status: "completed", attempts: 3 }]);
    expect(events.filter(({ type }) => type === "retry_scheduled")).toHaveLength(2);
  });

  it("gives up after its budget with the original error", async () => {
    const { result } = await play(flaky("[{ to: $end }, { on_error: a.busy, retry: { max: 1, initial_seconds: 0 } }]"));
    expect(result.errors).toMatchObject([{ kind: "a.busy", attempts: 2 }]);
  });

  it("may go by way of another step, as often as its budget lasts for the run", async () => {
    const { result } =
      await play(`${flaky("[{ to: $end }, { on_error: a.busy, retry: { max: 5, initial_seconds: 0 }, to: mend }]")}
  - { name: mend, type: set, value: "{{ error.kind }}", routes: [{ to: probe }] }
`);
    expect(result).toMatchObject({ status: "completed" });
    expect(result.execution?.steps.find(({ node_id }) => node_id === "mend")).toMatchObject({ status: "completed" });
  });
});

describe("opting in", () => {
  const exits = (more: string): string =>
    `workflow: { name: case, entry_point: a }\nagents:\n  - { name: a, type: script, command: sh, args: [-c, "exit 7"]${more} }\noutput: { code: "{{ a.output.exit_code }}" }\n`;

  it("leaves a non-zero exit an ordinary output for those who did not", async () => {
    expect((await play(exits(""))).result).toMatchObject({ status: "completed", output: { code: 7 } });
  });

  it("makes it an error for those who did", async () => {
    expect((await play(exits(", raises: [a.a]"))).result).toMatchObject({
      exit_code: 3,
      errors: [{ kind: "internal.script_error", details: { exit_code: 7 } }],
    });
  });

  it("lets the author say what an exit code means", async () => {
    const rule = `, raise_when: [{ when: "exit_code == 7", kind: tool.busy, message: "seven" }]`;
    expect((await play(exits(rule))).result.errors).toMatchObject([{ kind: "tool.busy", message: "seven" }]);
  });
});

describe("halt and propagate", () => {
  it("ends the whole run from a child, and no parent is asked", async () => {
    const { result } = await play(
      `workflow: { name: top, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end }, { on_error: true, to: handler }] }
  - { name: handler, type: set, value: caught }
`,
      {
        files: {
          "child.yaml": raising(
            DRIFT,
            `    routes: [{ to: $end }, { on_error: true, halt: { message: "stop: {{ error.message }}" } }]`,
          ),
        },
      },
    );
    expect(result).toMatchObject({
      exit_code: 1,
      errors: [
        {
          kind: "halt.intentional",
          message: "stop: SHA mismatch",
          node_id: "probe",
          location: { file: "child.yaml", line: 4 },
          cause: { kind: "external.git.drift" },
        },
      ],
      checkpoint: { resumable: false },
    });
  });

  it("stops the run until a person has looked, and a resume runs the step again that raised, wherever it stands", async () => {
    const playground = new Playground();
    playground.write({
      "main.yaml": `workflow: { name: top, entry_point: before }
steps:
  - { name: before, type: script, command: sh, args: [-c, echo before >> log], routes: [{ to: each }] }
for_each:
  - name: each
    type: for_each
    source: "{{ ['x', 'y'] }}"
    as: item
    max_concurrent: 1
    agent: { name: call, type: workflow, workflow: child.yaml, input_mapping: { item: "{{ item }}" } }
output: { items: "{{ each.count }}" }
`,
      "child.yaml": `workflow: { name: child, entry_point: check, input: { item: { type: string } } }
steps:
  - name: check
    type: script
    command: sh
    args: ["-c", 'echo {{ workflow.input.item }} >> log; [ -e fixed ] || [ {{ workflow.input.item }} = x ] || echo ''${DRIFT}'' > "$SEGNO_ERROR_OUT"']
    routes:
      - to: $end
      - { on_error: true, halt: { message: "look at it: {{ error.message }}", resumable: true } }
`,
    });
    const { result } = await playground.run("main.yaml");
    expect(result).toMatchObject({
      status: "failed",
      exit_code: 3,
      errors: [
        {
          kind: "halt.intentional",
          message: "look at it: SHA mismatch",
          node_id: "check",
          hint: expect.stringMatching(/^The workflow stopped here on purpose.* segno resume /),
          cause: { kind: "external.git.drift" },
        },
      ],
      checkpoint: { resumable: true },
    });
    playground.write({ fixed: "" });
    const resumed = await playground.resume("main.yaml");
    expect(resumed.result).toMatchObject({ success: true, output: { items: 2 } });
    expect(playground.read("log").trim().split("\n")).toEqual(["before", "x", "y", "y"]);
    playground.close();
  });

  it("leaves what the root propagates unhandled and resumable, as if no route were there", async () => {
    const { result, errorLines } = await play(
      raising(DRIFT, "    routes: [{ to: $end }, { on_error: true, propagate: true }]"),
    );
    expect(result).toMatchObject({
      exit_code: 3,
      status: "failed",
      errors: [{ kind: "external.git.drift", propagated: [] }],
      checkpoint: { failed_node: "probe", resumable: true },
    });
    expect(errorLines).toMatchObject([{ kind: "external.git.drift" }]);
  });

  it("retries, then goes to the next route of the same kind, before a catch-all that propagates", async () => {
    const { result } = await play(
      raising(
        DRIFT,
        `    routes:
      - to: $end
      - { on_error: external.git.drift, retry: { max: 2, backoff: fixed, initial_seconds: 0 } }
      - { on_error: external.git.drift, to: recovery }
      - { on_error: internal.timeout, halt: { message: "too slow: {{ error.message }}" } }
      - { on_error: "*", propagate: true }
    timeout: 60
  - { name: recovery, type: set, value: "{{ error.kind }} after {{ error.attempts }}" }
output: { got: "{{ recovery.output }}" }`,
      ),
    );
    expect(result).toMatchObject({ exit_code: 0, output: { got: "external.git.drift after 3" } });
  });

  it("reads a route with an empty on_error when the step succeeded", async () => {
    const { result } = await play(
      `workflow: { name: case, entry_point: a }
agents:
  - { name: a, type: set, value: "1", routes: [{ on_error: , to: b }] }
  - { name: b, type: set, value: "2" }
output: { got: "{{ b.output }}" }
`,
    );
    expect(result).toMatchObject({ exit_code: 0, output: { got: 2 } });
  });

  it("adds a frame for every boundary, innermost first", async () => {
    const call = (name: string, file: string): string =>
      `workflow: { name: ${name}, entry_point: go }\nagents: [{ name: go, type: workflow, workflow: ${file} }]\n`;
    const { result } = await play(call("top", "middle.yaml"), {
      files: {
        "middle.yaml": call("middle", "leaf.yaml"),
        "leaf.yaml": raising(DRIFT, "").replace("name: case", "name: leaf"),
      },
    });
    expect(result.errors[0]).toMatchObject({
      raised_at: { workflow: "leaf", node: "probe" },
      propagated: [
        { workflow: "middle", node: "go" },
        { workflow: "top", node: "go" },
      ],
    });
  });
});

describe("workflow-wide error routes", () => {
  it("take what a step's own routes leave", async () => {
    const { result } = await play(`
workflow: { name: case, entry_point: one, error_routes: [{ on_error: true, to: rescue }] }
agents:
  - { name: one, type: script, command: sh, args: [-c, "exit 4"] }
  - { name: rescue, type: set, value: "{{ error.kind }} {{ one.error.details.exit_code }}" }
output: { got: "{{ rescue.output }}" }
`);
    expect(result.output).toEqual({ got: "internal.script_error 4" });
  });

  it("do not make a handler the handler of its own failure", async () => {
    const { result } = await play(`
workflow: { name: case, entry_point: one, error_routes: [{ on_error: true, to: rescue }] }
agents:
  - { name: one, type: script, command: sh, args: [-c, "exit 4"] }
  - { name: rescue, type: script, command: sh, args: [-c, "exit 5"] }
`);
    expect(result.errors[0]).toMatchObject({ node_id: "rescue", cause: { details: { exit_code: 4 } } });
  });
});

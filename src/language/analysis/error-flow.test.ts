import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { flow } from "../../../test/support/rule-cases.ts";
import { loadWorkflow } from "../load.ts";
import { type ErrorFlow, errorFlow, type KindFlow } from "./error-flow.ts";

function flowOf(files: string | Readonly<Record<string, string>>): ErrorFlow {
  const { workflow, findings } = loadWorkflow(
    "/w/main.yaml",
    memoryWorld(typeof files === "string" ? { "main.yaml": files } : files),
  );
  if (!workflow) throw new Error(findings[0]?.message);
  return errorFlow(workflow);
}

const kinds = (result: ErrorFlow, node: string): readonly string[] =>
  result.steps.find(({ node_id }) => node_id === node)?.raises.map(({ kind }) => kind) ?? [];
const kindOf = (result: ErrorFlow, node: string, kind: string): KindFlow | undefined =>
  result.steps.find(({ node_id }) => node_id === node)?.raises.find((entry) => entry.kind === kind);
const unhandled = (result: ErrorFlow, node: string): readonly string[] =>
  result.unhandled.filter(({ node_id }) => node_id === node).map(({ kind }) => kind);

const EVERY = ["internal.step_error"];
const TEMPLATE = ["internal.template_error", "internal.bad_value"];

describe("what each type of step may raise", () => {
  it.each([
    ["a constant set, nothing of its own", "type: set, value: '1'", EVERY],
    ["a set with a template", "type: set, value: '{{ 1 }}'", [...EVERY, ...TEMPLATE]],
    ["a terminate whose reason is a template", "type: terminate, status: success, reason: '{{ 1 }}'", EVERY],
    [
      "a terminate that ends well with an output of its own",
      "type: terminate, status: success, reason: x, output_template: { a: '{{ 1 }}' }",
      [...EVERY, ...TEMPLATE],
    ],
    [
      "a terminate that ends badly, whatever its output",
      "type: terminate, status: failed, reason: x, output_template: { a: '{{ 1 }}' }",
      EVERY,
    ],
    [
      "a script that has not opted in, no script error",
      "type: script, command: x",
      [
        "*",
        ...EVERY,
        "internal.command_not_found",
        "internal.resource_exhausted",
        "internal.schema_violation",
        "internal.undeclared_kind",
      ],
    ],
    [
      "a script with raises, its kinds and not just any",
      "type: script, command: x, raises: [a.b]",
      [
        "a.b",
        ...EVERY,
        "internal.command_not_found",
        "internal.resource_exhausted",
        "internal.schema_violation",
        "internal.undeclared_kind",
        "internal.script_error",
      ],
    ],
    [
      "a script with a timeout",
      "type: script, command: x, raises: [], timeout: 3",
      [
        ...EVERY,
        "internal.timeout",
        "internal.command_not_found",
        "internal.resource_exhausted",
        "internal.schema_violation",
        "internal.undeclared_kind",
        "internal.script_error",
      ],
    ],
    [
      "an http step",
      "type: http, url: 'http://x'",
      [...EVERY, "internal.timeout", "http.unavailable", "http.status", "http.network", "circuit.open"],
    ],
    [
      "an http step with a schema it has not opted in to",
      "type: http, url: 'http://x', output: { a: { type: string } }",
      [...EVERY, "internal.timeout", "http.unavailable", "http.status", "http.network", "circuit.open"],
    ],
    [
      "a script whose routes all have conditions",
      "type: script, command: x, raises: [], routes: [{ to: $end, when: exit_code == 0 }]",
      [
        ...EVERY,
        ...TEMPLATE,
        "internal.no_route",
        "internal.command_not_found",
        "internal.resource_exhausted",
        "internal.schema_violation",
        "internal.undeclared_kind",
        "internal.script_error",
      ],
    ],
    [
      "a script with raise_when",
      "type: script, command: x, raise_when: [{ when: exit_code == 1, kind: a.b, message: m }]",
      [
        "a.b",
        "*",
        ...EVERY,
        ...TEMPLATE,
        "internal.command_not_found",
        "internal.resource_exhausted",
        "internal.schema_violation",
        "internal.undeclared_kind",
        "internal.script_error",
      ],
    ],
  ])("%s", (_name, fields, expected) => {
    expect(kinds(flowOf(flow(`  - { name: a, ${fields} }`)), "a")).toEqual(expected);
  });

  it("an agent, mcp kinds only with tools", () => {
    const plain = kinds(flowOf(flow("  - { name: a, prompt: p }")), "a");
    expect(plain).toEqual([
      "*",
      ...EVERY,
      "internal.timeout",
      "internal.schema_violation",
      "internal.undeclared_kind",
      "provider.exhausted",
      "provider.rejected",
      "circuit.open",
    ]);
    const servers = { section: "runtime: { mcp_servers: { web: { command: x } } }" };
    expect(kinds(flowOf(flow("  - { name: a, prompt: p }", servers)), "a")).toContain("mcp.tool_error");
    expect(kinds(flowOf(flow("  - { name: a, prompt: p, tools: [] }", servers)), "a")).not.toContain("mcp.tool_error");
  });

  it("any step under a breaker of scope step, and opted in by resilience", () => {
    const result = flowOf(
      flow("  - { name: a, type: script, command: x }", {
        section: "resilience: { circuit_breaker: { scope: step } }",
      }),
    );
    expect(kinds(result, "a")).toEqual(expect.arrayContaining(["circuit.open", "internal.script_error"]));
  });
});

describe("a denial by a policy", () => {
  const policies = { section: "policies: [{ budget: { usd: 5 } }]" };
  const script = "  - { name: a, type: script, command: x }";
  const caller = (more: { section?: string } = {}) => flow("  - { name: a, type: workflow, workflow: c.yaml }", more);

  it("is listed where the file has a policy, and nowhere else", () => {
    expect(kinds(flowOf(flow(script)), "a")).not.toContain("policy.denied");
    expect(kinds(flowOf(flow(script, policies)), "a")).toContain("policy.denied");
  });

  it.each([
    ["a timeout that is allowed", "task_timeout: { max_seconds: 100 }", "timeout: 20", false],
    ["no timeout", "task_timeout: { max_seconds: 100 }", "", false],
    ["a longer timeout", "task_timeout: { max_seconds: 100 }", "timeout: 101", true],
    ["a slot to wait for", "max_concurrent_tasks: 5", "", false],
    ["no phase", "phase_gate: {}", "", false],
    ["a phase", "phase_gate: {}", "phase: ship", true],
  ])("is listed only where the policy can deny the step: with %s", (_, policy, field, listed) => {
    const step = `  - { name: a, type: script, command: x${field && `, ${field}`} }`;
    const section = `policies: [{ ${policy} }], phases: [build, ship]`;
    expect(kinds(flowOf(flow(step, { section })), "a").includes("policy.denied")).toBe(listed);
    const child = { "main.yaml": caller({ section }), "c.yaml": flow(step) };
    expect(kinds(flowOf(child), "a").includes("policy.denied")).toBe(listed);
  });

  it("is a group's own as well", () => {
    const group =
      "for_each: [{ name: g, type: for_each, source: '{{ [1] }}', as: x, agent: { name: m, type: set, value: '1' }, routes: [{ to: a }] }]";
    const of = (more: object) => kindOf(flowOf(`${flow(script, more)}${group}\n`), "g", "policy.denied");
    expect(of({})).toBeUndefined();
    expect(of(policies)).toMatchObject({ source: "engine" });
    expect(of(policies)).not.toHaveProperty("of_members");
  });

  it("comes out of a child that its caller's policies, or its own, hold", () => {
    const from = (main: string, child: string) =>
      kindOf(flowOf({ "main.yaml": main, "c.yaml": child }), "a", "policy.denied")?.source;
    expect(from(caller(), flow(script))).toBeUndefined();
    expect(from(caller(), flow(script, policies))).toBe("child");
    const handled = flow(
      "  - { name: a, type: set, value: '1', routes: [{ to: $end }, { on_error: policy.denied, to: $end }] }",
    );
    expect(unhandled(flowOf({ "main.yaml": caller(policies), "c.yaml": handled }), "a")).toContain("policy.denied");
  });

  it("is listed where a route names it: a caller may have policies", () => {
    const file = flow(
      "  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: policy.denied, to: $end }] }",
    );
    expect(kindOf(flowOf(file), "a", "policy.denied")).toMatchObject({ source: "route", handled_by: { to: "$end" } });
  });
});

describe("kinds that only routes name", () => {
  const free = (routes: string, section = ""): ErrorFlow =>
    flowOf(flow(`  - { name: a, type: script, command: x, routes: [{ to: $end }, ${routes}] }`, { section }));

  it("are listed with who takes them", () => {
    const result = free("{ on_error: net.down, retry: 2 }, { on_error: [net.down, net.slow], to: $end }");
    expect(kindOf(result, "a", "net.down")).toMatchObject({
      source: "route",
      first: [{ action: "retry" }],
      handled_by: { action: "to", to: "$end" },
    });
    expect(kindOf(result, "a", "net.slow")).toMatchObject({ source: "route", handled_by: { to: "$end" } });
  });

  it("leave the file when they are only retried, or taken on a condition", () => {
    const result = free("{ on_error: net.down, retry: 2 }, { on_error: net.slow, when: attempts > 1, to: $end }");
    expect(unhandled(result, "a")).toEqual(expect.arrayContaining(["net.down", "net.slow"]));
    expect(kindOf(result, "a", "net.slow")?.first).toMatchObject([{ when: "attempts > 1" }]);
  });

  it("may be named by error_routes, or by a prefix", () => {
    const result = free("{ on_error: net.*, to: $end }", "error_routes: [{ on_error: disk.full, halt: m }]");
    expect(kindOf(result, "a", "net.*")?.handled_by).toMatchObject({ table: "step" });
    expect(kindOf(result, "a", "disk.full")?.handled_by).toMatchObject({ table: "workflow", action: "halt" });
  });

  it("are nothing new on a step that declares what it raises", () => {
    const result = flowOf(
      flow("  - { name: a, type: script, command: x, raises: [a.b] }", {
        section: "error_routes: [{ on_error: disk.full, halt: m }]",
      }),
    );
    expect(kinds(result, "a")).not.toContain("disk.full");
  });
});

describe("what resilience does", () => {
  const result = (section: string, more = ""): ErrorFlow =>
    flowOf(flow(`  - { name: a, type: http, url: "http://x"${more} }`, { section: `resilience: { ${section} }` }));

  it("says how often a kind is tried again, and whether a letter is kept", () => {
    const flowed = result("retry: { max_retries: 2 }, dead_letter: true, escalate: { command: x }");
    expect(kindOf(flowed, "a", "http.unavailable")?.resilience).toEqual({ retries: 2, dead_letter: true });
    expect(kindOf(flowed, "a", "http.status")?.resilience).toEqual({ escalate: true });
    expect(unhandled(flowed, "a")).toEqual(expect.arrayContaining(["http.unavailable", "http.status"]));
  });

  it("obeys the file's own list of kinds", () => {
    const flowed = result("retry: { retryable: [http.status] }");
    expect(kindOf(flowed, "a", "http.status")?.resilience).toEqual({ retries: 3 });
    expect(kindOf(flowed, "a", "http.unavailable")?.resilience).toBeUndefined();
  });

  it("says nothing of a kind that a route takes", () => {
    const flowed = result("retry: {}", ", routes: [{ to: $end }, { on_error: http.unavailable, to: $end }]");
    expect(kindOf(flowed, "a", "http.unavailable")?.resilience).toBeUndefined();
  });

  it("knows that a caller's breaker holds in a child without resilience of its own", () => {
    const main = flow("  - { name: a, type: workflow, workflow: c.yaml }", {
      section: "resilience: { circuit_breaker: { scope: step } }",
    });
    const child = flow("  - { name: b, type: script, command: x }", { entry: "b" });
    expect(kindOf(flowOf({ "main.yaml": main, "c.yaml": child }), "a", "circuit.open")).toBeDefined();
  });
});

describe("where a kind ends up", () => {
  const script = (routes: string, section = ""): string =>
    flow(`  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: $end }, ${routes}] }`, { section });

  it("names the route, its line, and the table", () => {
    expect(kindOf(flowOf(script("{ on_error: a.b, to: $end }")), "a", "a.b")?.handled_by).toEqual({
      line: 3,
      action: "to",
      to: "$end",
      table: "step",
    });
  });

  it("looks below a retry, and shows that it comes first", () => {
    const result = flowOf(script("{ on_error: a.b, retry: 2 }, { on_error: true, halt: m }"));
    expect(kindOf(result, "a", "a.b")).toMatchObject({ handled_by: { action: "halt" }, first: [{ action: "retry" }] });
    expect(unhandled(result, "a")).toEqual([]);
  });

  it("does not rely on a retry or on a condition alone", () => {
    expect(unhandled(flowOf(script("{ on_error: a.b, retry: 2, to: a }")), "a")).toContain("a.b");
    expect(unhandled(flowOf(script("{ on_error: a.b, when: attempts > 2, to: $end }")), "a")).toContain("a.b");
  });

  it("reads error_routes after the step's own, but never one that leads to the step itself", () => {
    const file = flow(
      `
  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: b }] }
  - { name: b, type: script, command: x, raises: [b.b] }`,
      { section: "error_routes: [{ on_error: true, to: b }]" },
    );
    const result = flowOf(file);
    expect(kindOf(result, "a", "a.b")?.handled_by).toMatchObject({ to: "b", table: "workflow", line: 1 });
    expect(unhandled(result, "b")).toContain("b.b");
  });

  it("names the route that raises it to the caller", () => {
    const propagated = flowOf(script("{ on_error: true, propagate: true }"));
    expect(kindOf(propagated, "a", "a.b")).toMatchObject({ propagated_by: { line: 3, action: "propagate" } });
  });

  it("lets propagate leave the file", () => {
    expect(
      unhandled(
        flowOf(script("{ on_error: true, propagate: true }", "error_routes: [{ on_error: true, halt: m }]")),
        "a",
      ),
    ).toContain("a.b");
  });

  it("says that error routes may fail themselves where they read what may be missing", () => {
    expect(unhandled(flowOf(script("{ on_error: true, halt: '{{ output.x }}' }")), "a")).toEqual([
      "internal.template_error",
    ]);
    expect(unhandled(flowOf(script("{ on_error: true, halt: '{{ error.kind }} {{ error.details }}' }")), "a")).toEqual(
      [],
    );
  });

  it("leaves out steps that never run", () => {
    expect(
      unhandled(flowOf(flow("  - { name: a, type: set, value: '1' }\n  - { name: b, type: script, command: x }")), "b"),
    ).toEqual([]);
  });
});

describe("groups", () => {
  const pair = (routesOfA: string, routes: string): string =>
    flow(
      `
  - { name: a, type: script, command: x, raises: [a.a], routes: [${routesOfA}] }
  - { name: b, type: script, command: x, raises: [b.b] }
  - { name: h, type: script, command: x, raises: [h.h] }`,
      { entry: "g", more: `parallel: [{ name: g, agents: [a, b], routes: [{ to: $end }, ${routes}] }]\n` },
    );

  it("raise what their members do, unless a member's own route took it", () => {
    const result = flowOf(pair("{ on_error: a.a, to: h }", "{ on_error: b.b, to: $end }"));
    expect(kinds(result, "g")).toEqual(expect.arrayContaining(["b.b", "h.h", "internal.script_error"]));
    expect(kinds(result, "g")).not.toContain("a.a");
  });

  it("handle what their members leave", () => {
    const result = flowOf(pair("", "{ on_error: [a.a, b.b], to: $end }"));
    expect(kindOf(result, "a", "a.a")?.handled_by).toMatchObject({ table: "group", action: "to" });
    expect(result.steps.find(({ node_id }) => node_id === "a")?.group).toBe("g");
    expect(unhandled(result, "g")).toEqual([]);
  });

  it("of a for_each raise a bad value of their own", () => {
    const each = flow("  - { name: a, type: set, value: '1' }", {
      entry: "each",
      more: "for_each: [{ name: each, type: for_each, source: workflow.input.xs, as: x, agent: { name: w, type: set, value: '1' } }]\n",
    });
    expect(unhandled(flowOf(each), "each")).toEqual(["internal.template_error", "internal.bad_value"]);
  });
});

describe("sub-workflows", () => {
  const call = (file: string, more = ""): string => flow(`  - { name: a, type: workflow, workflow: ${file}${more} }`);
  const leaf = flow(
    "  - { name: a, type: script, command: x, raises: [leaf.one, leaf.two], routes: [{ to: $end }, { on_error: leaf.one, to: $end }] }",
  );

  it("let through what they do not handle, at any depth", () => {
    const result = flowOf({ "main.yaml": call("m.yaml"), "m.yaml": call("l.yaml"), "l.yaml": leaf });
    expect(kindOf(result, "a", "leaf.two")?.source).toBe("child");
    expect(kinds(result, "a")).not.toContain("leaf.one");
    expect(kinds(result, "a")).toEqual(
      expect.arrayContaining(["subworkflow.terminated", "subworkflow.failed", "internal.script_error"]),
    );
  });

  it("have author's kinds turned into undeclared ones by the caller's raises", () => {
    const result = flowOf({ "main.yaml": call("l.yaml", ", raises: [other.kind]"), "l.yaml": leaf });
    expect(kinds(result, "a")).not.toContain("leaf.two");
    expect(kinds(result, "a")).toContain("internal.undeclared_kind");
  });

  it("may call one another in circles", () => {
    const one = flow(`
  - { name: a, type: workflow, workflow: two.yaml, max_depth: 3, routes: [{ to: b }] }
  - { name: b, type: script, command: x, raises: [one.kind] }`);
    const two = flow(`
  - { name: a, type: workflow, workflow: main.yaml, routes: [{ to: b }] }
  - { name: b, type: script, command: x, raises: [two.kind] }`);
    const result = flowOf({ "main.yaml": one, "two.yaml": two });
    expect(kinds(result, "a")).toEqual(expect.arrayContaining(["one.kind", "two.kind"]));
  });
});

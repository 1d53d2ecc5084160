// Where Conductor runs steps, and with which secrets: the keys are read, and what has no effect is a warning.
import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "./load.ts";

const load = (section: string, step: string, env: Record<string, string> = {}) =>
  loadWorkflow(
    "/w/main.yaml",
    memoryWorld(
      { "main.yaml": `workflow:\n  name: t\n  entry_point: a\n${section}agents:\n  - name: a\n${step}` },
      env,
    ),
  );
const told = (section: string, step: string, env: Record<string, string> = {}) =>
  load(section, step, env).findings.map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`);

const SCRIPT = "    type: script\n    command: env\n";

describe("keys about where steps run", () => {
  it.each([
    ["  defaults: { execution: { profile: shell }, restart: { mode: fail } }\n", "", ["profile", "restart"]],
    ["  bundle: { assets: ['data/*'], additional_roots: [lib] }\n", "", ["bundle"]],
    ["  workspace: { mode: isolated, persistence: on-failure }\n", "", ["workspace"]],
    ["", "    execution: { profile: shell }\n    restart: { mode: reuse }\n", ["profile", "restart"]],
    ["", "    type: mcp\n    server: s\n    tool: t\n    execution: { profile: shell }\n", ["profile"]],
    [
      "  runtime: { idle_timeout_seconds: 5, max_idle_recovery_attempts: 0 }\n",
      "",
      ["idle_timeout_seconds", "max_idle_recovery_attempts"],
    ],
  ])("%j and %j are warnings", (section, step, keys) => {
    const findings = told(section, step);
    expect(findings.filter((one) => !one.startsWith("warning unsupported-option"))).toEqual([]);
    expect(findings.map((one) => /`(\w+)` has no effect/.exec(one)?.[1])).toEqual(keys);
  });

  it.each([
    ["  defaults: { executions: {} }\n", "", "`executions` is not a field"],
    ["  defaults: { execution: { secrets: [] } }\n", "", "`secrets` is not a field"],
    ["", "    execution: { profile: a b }\n", "must be a name of letters"],
    ["", "    type: set\n    value: x\n    execution: { profile: a }\n", "`execution` is not a field of a set step"],
    ["  mcp: { exposed: true }\n", "", "Did you mean `expose`"],
    ["  mcp: { mode: both }\n", "", "must be one of async, sync, auto"],
  ])("%j with %j is refused in a sentence", (section, step, said) => {
    expect(told(section, step).join("\n")).toContain(said);
  });
});

it("workflow.mcp takes Conductor's fields", () => {
  const { workflow, findings } = load(
    "  mcp: { expose: true, mode: sync, read_only: true, destructive: false, estimated_minutes: 5 }\n",
    "",
  );
  expect(findings).toEqual([]);
  expect(workflow?.definition.workflow.mcp).toMatchObject({ expose: true, mode: "sync", read_only: true });
});

describe("named secrets", () => {
  const given = `${SCRIPT}    execution: { secrets: [{ ref: MY_KEY, scope: script, delivery: { env: TOKEN } }] }\n`;

  it("of a script are no finding where the variable is set", () =>
    expect(told("", given, { MY_KEY: "x" })).toEqual([]));

  it("of a script are an error where it is not", () =>
    expect(load("", given).findings).toMatchObject([
      { rule: "unset-variable", severity: "error", node: "a", message: expect.stringContaining("`MY_KEY`") },
    ]));

  it.each([
    ["    execution: { secrets: [{ ref: K, delivery: { env: T } }] }\n", "a step of type agent"],
    [`${SCRIPT}    execution: { secrets: [{ ref: K, delivery: { header: T } }] }\n`, "a step of type script like this"],
  ])("that cannot be given are an error: %j", (step, said) => {
    const [finding] = load("", step, { K: "x" }).findings;
    expect(finding).toMatchObject({ rule: "unsupported-option", severity: "error" });
    expect(finding?.message).toContain(said);
  });

  it.each([
    ["{ command: s, secrets: [{ ref: K, delivery: { env: T } }] }", 0],
    ["{ command: s, secrets: [{ ref: K, delivery: { header: T } }] }", 1],
    ["{ type: http, url: 'http://x.example', secrets: [{ ref: K, delivery: { header: T } }] }", 0],
    ["{ type: http, url: 'http://x.example', secrets: [{ ref: K, delivery: { env: T } }] }", 1],
  ])("of an MCP server %s", (server, count) => {
    expect(told(`  runtime: { mcp_servers: { s: ${server} } }\n`, "", { K: "x" })).toHaveLength(count);
  });
});

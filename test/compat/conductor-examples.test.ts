// Conductor's own examples, unchanged, from their first step to their last.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONDUCTOR_FOLDER, conductorFiles } from "./conductor-files.ts";
import { type Bench, type Given, neededInputs, openBench, type Vendor } from "./harness.ts";

/** Examples that run to their end. */
const RUN: readonly string[] = [
  "aca-coding-agent.yaml",
  "claude-agent-sdk-mcp.yaml",
  "claude-agent-sdk-repo-qa.yaml",
  "claude-agent-sdk-session-key.yaml",
  "claude-custom-endpoint.yaml",
  "context-tier.yaml",
  "copilot-existing-runtime.yaml",
  "copilot-local-llm.yaml",
  "dialog-mode.yaml",
  "dialog-test.yaml",
  "experimental-claude-agent-sdk.yaml",
  "for-each-simple.yaml",
  "hermes-features.yaml",
  "hermes-simple.yaml",
  "hermes-toolsets.yaml",
  "multi-provider-research.yaml",
  "openai-compatible.yaml",
  "output-constraints.yaml",
  "parallel-research.yaml",
  "parallel-validation.yaml",
  "periodic-checkpoints.yaml",
  "questions.yaml",
  "reasoning-effort.yaml",
  "research-assistant.yaml",
  "script-stdin.yaml",
  "set-step.yaml",
  "simple-qa.yaml",
  "skills-self-improving-workflow.yaml",
  "subworkflow-foreach-inline.yaml",
  "subworkflow-inline.yaml",
  "terminate.yaml",
  "test-claude-agent-sdk.yaml",
  "test.yaml",
  "tool-output-limits.yaml",
  "validator.yaml",
  "wait-smoke.yaml",
  "wait-step.yaml",
  "working-dir.yaml",
];

/** What some of them need beside inputs that they declare: undeclared inputs, patience, an answer that leads on. */
const GIVEN: Readonly<Record<string, Given>> = {
  "claude-agent-sdk-mcp.yaml": { inputs: { question: "why?" } },
  "output-constraints.yaml": { says: { ticket_ref: "TICK-1234" } },
  "parallel-validation.yaml": { says: { approval: "approved" } },
  "script-stdin.yaml": { inputs: { topic: "bridges" } },
  "skills-self-improving-workflow.yaml": { says: { verdict: "needs_revision" } },
  "wait-step.yaml": { inputs: { poll_interval_seconds: 0.01 } },
};

/** Examples whose templates name what is not there: Jinja2 refuses them as well, so Conductor cannot finish them either. */
const NAMES_WHAT_IS_MISSING: Readonly<Record<string, string>> = {
  "plugins.yaml": "changes",
  "plugin-sources.yaml": "changes",
  "skills-discovery.yaml": "task",
  "script-step.yaml": "handle_error",
  "script-typed-output.yaml": "implementer",
};

/** Examples that need what no test has. */
const NEEDS_THE_NETWORK: readonly string[] = ["design.yaml", "implement.yaml", "plan.yaml"];

it("every example is accounted for", () => {
  const known = [...RUN, ...Object.keys(NAMES_WHAT_IS_MISSING), ...NEEDS_THE_NETWORK];
  expect(conductorFiles().map(({ name }) => name)).toEqual(known.sort());
});

describe.each<Vendor>(["anthropic", "openai"])("with %s", (vendor) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(vendor);
  });
  afterAll(() => bench.close());

  const runExample = (name: string) => {
    const file = join(CONDUCTOR_FOLDER, name);
    const { inputs, ...given } = GIVEN[name] ?? {};
    return bench.run(file, { ...given, inputs: { ...neededInputs(file), ...inputs } });
  };

  it.each(RUN)("%s runs to its end", async (name) => {
    const { result } = await runExample(name);
    expect([result.status, result.error]).toEqual(["completed", null]);
  });

  it.each(Object.entries(NAMES_WHAT_IS_MISSING))("%s ends where it names %s", async (name, missing) => {
    const { result } = await runExample(name);
    expect(result).toMatchObject({
      status: "failed",
      errors: [{ kind: "internal.template_error", details: { missing } }],
    });
  });
});

import { expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { flow, ruleCases } from "../../../test/support/rule-cases.ts";
import { validateWorkflow } from "../validate.ts";

const file = flow(`
  - name: a
    type: script
    command: x
    routes:
      - to: $end
      - { on_error: true, propagate: true }`);

ruleCases("propagate-at-root", [
  {
    name: "says that propagate in the root leaves the error unhandled",
    files: file,
    lines: [8],
    message: /exit code 3.*resumed/,
  },
  { name: "allows it in a file that is only called", files: file, lines: [], asChild: true },
  {
    name: "allows it in a child of the file that is validated",
    files: { "main.yaml": flow("  - { name: a, type: workflow, workflow: child.yaml }"), "child.yaml": file },
    lines: [],
  },
  {
    name: "allows it on a member, whose group is its parent",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ on_error: true, propagate: true }] }
  - { name: b, type: script, command: x }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [a, b] }]\n" },
    ),
    lines: [],
  },
]);

it("does not refuse the file", () => {
  const { findings } = validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": file }));
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
});

it("loads a root that retries, asks a person, halts, and propagates the rest", () => {
  const text = flow(
    `
  - name: push
    prompt: push it
    raises: [external.git.drift]
    routes:
      - to: $end
      - on_error: external.git.drift
        retry: { max: 5, backoff: exponential, initial_seconds: 2 }
      - on_error: external.git.drift
        to: drift_recovery_gate
      - on_error: provider.exhausted
        halt: { message: "model down: {{ error.message }}" }
      - on_error: "*"
        propagate: true
  - { name: drift_recovery_gate, type: human_gate, prompt: Go on?, options: [{ label: Yes, value: y, route: push }] }`,
    { entry: "push" },
  );
  const { findings } = validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }));
  expect(findings.map(({ rule }) => rule)).toEqual(["propagate-at-root"]);
});

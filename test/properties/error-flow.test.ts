// `segno errors` is sound: whatever a real run raises is in the list, and whatever leaves a run unhandled was foretold.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { runScenario } from "../../src/features/scenarios/run-scenario.ts";
import type { LoadedWorkflow } from "../../src/language/loaded.ts";
import { listErrors } from "../../src/services/workflows/describe.ts";
import { runs } from "../support/property-runs.ts";

const KINDS = ["external.git.drift", "external.git.gone", "data.bad"];
const kind = fc.constantFrom(...KINDS);
const selector = fc.oneof(
  kind,
  fc.constantFrom<unknown>(true, "*", "external.git.*", "external.*", "internal.script_error", "internal.timeout"),
);

/** How a scripted command behaves. */
const behaviour = fc.oneof(
  fc.constant({ stdout: { v: 1 } }),
  fc.constant({ exit_code: 3, stderr: "no" }),
  kind.map((one) => ({ error: { kind: one, message: "made up" } })),
  fc.constant({ error: { kind: "internal.timeout", message: "an engine kind, raised by a script" } }),
);

interface Plan {
  readonly raises?: readonly string[];
  readonly routes: readonly unknown[];
  readonly behaviour: Record<string, unknown>;
  readonly shape: "script" | "parallel" | "for_each" | "child" | "template";
}

const plan: fc.Arbitrary<Plan> = fc.record(
  {
    raises: fc.uniqueArray(kind, { minLength: 1, maxLength: 3 }),
    routes: fc.array(fc.record({ on_error: selector, action: fc.constantFrom("handler", "retry", "halt", "$end") }), {
      maxLength: 3,
    }),
    behaviour,
    shape: fc.constantFrom<Plan["shape"]>("script", "script", "parallel", "for_each", "child", "template"),
  },
  { requiredKeys: ["routes", "behaviour", "shape"] },
);

const errorRoute = ({ on_error, action }: { on_error: unknown; action: string }): Record<string, unknown> =>
  action === "retry"
    ? { on_error, retry: { max: 1, initial_seconds: 1 } }
    : action === "halt"
      ? { on_error, halt: { message: "stop" } }
      : { on_error, to: action };

/** A file of steps in a row, each of a random shape, each behaving in a random way. */
function fileOf(name: string, plans: readonly Plan[], defaults: readonly unknown[], child: string | undefined) {
  const agents: unknown[] = [{ name: "handler", type: "set", value: "done" }];
  const parallel: unknown[] = [];
  const for_each: unknown[] = [];
  const cli: unknown[] = [];
  plans.forEach((one, index) => {
    const node = `${name}${index}`;
    const next = index + 1 < plans.length ? `${name}${index + 1}` : "$end";
    const routes = [{ to: next }, ...(one.routes as { on_error: unknown; action: string }[]).map(errorRoute)];
    const declared = one.raises ? { raises: one.raises } : {};
    const script = (step: string) => ({ name: step, type: "script", command: "tool", timeout: 5, ...declared });
    if (one.shape === "child" && child) agents.push({ name: node, type: "workflow", workflow: child, routes });
    else if (one.shape === "parallel") {
      agents.push(script(`${node}a`), { name: `${node}b`, type: "set", value: "1" });
      parallel.push({ name: node, agents: [`${node}a`, `${node}b`], failure_mode: "all_or_nothing", routes });
      cli.push({ step: `${node}a`, ...one.behaviour });
    } else if (one.shape === "for_each") {
      for_each.push({
        name: node,
        type: "for_each",
        source: "workflow.input.xs",
        as: "x",
        agent: script(`${node}w`),
        routes,
      });
      cli.push({ step: `${node}w`, ...one.behaviour });
    } else if (one.shape === "template")
      agents.push({ name: node, type: "set", value: "{{ workflow.input.xs[9].y }}", routes });
    else {
      agents.push({ ...script(node), routes });
      cli.push({ step: node, ...one.behaviour });
    }
  });
  const error_routes = (defaults as { on_error: unknown; action: string }[])
    .map(errorRoute)
    .filter((route) => "to" in route);
  return {
    file: {
      workflow: { name, entry_point: `${name}0`, error_routes, limits: { max_iterations: 60 } },
      agents,
      parallel,
      for_each,
    },
    cli,
  };
}

const plans = fc.array(plan, { minLength: 1, maxLength: 4 });
const defaults = fc.array(fc.record({ on_error: selector, action: fc.constant("handler") }), { maxLength: 1 });

it("foretells whatever random workflows raise and leave unhandled", async () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-flow-"));
  const session = { cwd: folder, env: {} };
  const tried = runs(250);
  let ran = 0;
  try {
    await fc.assert(
      fc.asyncProperty(plans, defaults, plans, defaults, async (top, topDefaults, inner, innerDefaults) => {
        const childFile = fileOf(
          "c",
          inner.map((one) => (one.shape === "child" ? { ...one, shape: "script" as const } : one)),
          innerDefaults,
          undefined,
        );
        const topFile = fileOf("t", top, topDefaults, "child.yaml");
        writeFileSync(join(folder, "child.yaml"), stringify(childFile.file));
        writeFileSync(join(folder, "top.yaml"), stringify(topFile.file));
        const scenario = {
          workflow: "top.yaml",
          strict: true,
          inputs: { xs: [1] },
          cli_scripts: [...topFile.cli, ...(top.some(({ shape }) => shape === "child") ? childFile.cli : [])],
        };
        writeFileSync(join(folder, "one.scenario.yaml"), stringify(scenario));
        const flow = listErrors(session, { file: "top.yaml" });
        // A random file may be refused (a route that can never be taken): then there is nothing to hold it to.
        if (flow.workflow === null) return;
        ran++;
        const { events, report } = await runScenario(join(folder, "one.scenario.yaml"), session, {
          checked: new Map<string, LoadedWorkflow>(),
        });
        expect(report.problems).toEqual([]);
        const isForetold = (node: string, raisedKind: string): boolean =>
          flow.steps.some(
            (step) => step.node_id === node && step.raises.some((one) => one.kind === raisedKind || one.kind === "*"),
          );
        for (const event of events) {
          if (event.type === "error_raised" && event.path.length === 0)
            expect([
              event.data.node,
              event.data.error.kind,
              isForetold(event.data.node, event.data.error.kind),
            ]).toEqual([event.data.node, event.data.error.kind, true]);
          if (event.type === "workflow_failed" && event.data.error_type === "UnhandledWorkflowError") {
            const left = event.data.error?.kind ?? "";
            expect(
              flow.unhandled.some((one) => one.kind === left || one.kind === "*") ? left : `${left} was not foretold`,
            ).toBe(left);
          }
        }
      }),
      { numRuns: tried },
    );
    expect(ran).toBeGreaterThan(tried / 25);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

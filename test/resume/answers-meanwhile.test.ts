// Gates that are answered while a process drives their run: that process goes on with the answer, wherever the gate stands.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Result } from "../../src/base/results/index.ts";
import { answerGate, listGates } from "../../src/services/gates/gates.ts";
import { showRun } from "../../src/services/runs/runs.ts";
import { isWhole } from "../support/property-runs.ts";
import { until } from "../support/until.ts";
import { script, Workshop } from "./workshop.ts";

const ASK = `
workflow: { name: ask, entry_point: route, input: { n: { type: number } } }
steps:
  - { name: route, type: set, value: "{{ workflow.input.n }}", routes: [{ to: ask, when: "{{ workflow.input.n == 1 }}" }, { to: slow }] }
  - { name: ask, type: human_gate, prompt: "Ship?", options: [{ value: yes, route: after }] }
  - ${script("after", "routes: [{ to: $end }]")}
  - { name: slow, type: script, command: sh, args: [-c, "echo slow >> marks; until test -e go; do sleep 0.05; done"], routes: [{ to: $end }] }
`;

const each = (concurrency: number): string => `
workflow: { name: main, entry_point: each }
steps: []
for_each:
  - name: each
    type: for_each
    source: "{{ [1, 2] }}"
    as: n
    max_concurrent: ${concurrency}
    agent: { name: w, type: workflow, workflow: ask.yaml, input_mapping: { n: "{{ n }}" } }
    routes: [{ to: $end }]
output: { done: "{{ each.outputs | length }}" }
`;

/** The gates that wait, by name. */
async function waiting(shop: Workshop): Promise<readonly { readonly run_id: string; readonly name: string }[]> {
  return (await listGates(shop.session)).gates;
}

const answered = (
  shop: Workshop,
  { run_id: run, name: gate }: { readonly run_id: string; readonly name: string },
  detach = false,
) => answerGate(shop.session, { run, gate, value: "yes", inputs: {} }, { detach });

test.each([1, 2])("an item whose gate is answered goes on while another runs (%i at a time)", async (concurrency) => {
  const shop = new Workshop({ "main.yaml": each(concurrency), "ask.yaml": ASK });
  const running = shop.run("main.yaml");
  const gate = await until(async () => (await waiting(shop))[0]);
  const seen: string[] = [];
  const sees = (mark: string) => until(() => seen.push(...shop.marks()) && seen.includes(mark));
  // With one item at a time the second has the place of the first, which waits.
  await sees("slow");
  const { status, exit_code } = await answered(shop, gate, true);
  expect([status, exit_code]).toEqual(["running", 0]);
  if (concurrency === 2) await sees("after");
  shop.write({ go: "" });
  const { result } = await running;
  expect([result.status, result.output]).toEqual(["completed", { done: 2 }]);
  seen.push(...shop.marks());
  expect(seen).toEqual(["slow", "after"]);
  expect(shop.events(gate.run_id)).not.toContain("run_paused");
});

test("a run that waits at gates alone pauses, and lists all of them", async () => {
  const shop = new Workshop({ "main.yaml": each(2), "ask.yaml": ASK.replaceAll("n == 1", "n > 0") });
  const { result } = await shop.run("main.yaml");
  expect([result.status, result.gates?.map(({ node_id }) => node_id)]).toEqual(["paused", ["ask", "ask"]]);
  const gates = await waiting(shop);
  // Two people answer at once: one of them drives the run on, with both answers.
  await Promise.all(gates.map((gate) => answered(shop, gate)));
  const run = gates[0]!.run_id;
  await until(async () => (await showRun(shop.session, { run })).status === "completed");
});

// Random workflows of gates in groups and children, answered at random moments.

type Part =
  | { readonly type: "gate" | "work" }
  | { readonly type: "each"; readonly items: number; readonly atOnce: number; readonly inner: readonly Part[] }
  | { readonly type: "child"; readonly inner: readonly Part[] }
  | { readonly type: "pair"; readonly atOnce: number; readonly inner: readonly [Part, Part] };

const { parts } = fc.letrec<{ parts: readonly Part[]; part: Part }>((tie) => ({
  parts: fc.array(tie("part"), { minLength: 1, maxLength: 3 }),
  part: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({ type: fc.constantFrom("gate" as const, "work" as const, "gate" as const) }),
    fc.record({
      type: fc.constant("each" as const),
      items: fc.integer({ min: 1, max: 3 }),
      atOnce: fc.integer({ min: 1, max: 3 }),
      inner: tie("parts"),
    }),
    fc.record({ type: fc.constant("child" as const), inner: tie("parts") }),
    fc.record({
      type: fc.constant("pair" as const),
      atOnce: fc.integer({ min: 1, max: 2 }),
      inner: fc.tuple(tie("part"), tie("part")),
    }),
  ),
}));

/** The files of a workflow of these parts, one after the other. */
function filesOf(all: readonly Part[], file = "main.yaml"): Record<string, string> {
  const files: Record<string, string> = {};
  const steps: string[] = [];
  const groups: { for_each: string[]; parallel: string[] } = { for_each: [], parallel: [] };
  const child = (name: string, inner: readonly Part[]): string => {
    const inFile = `${name}-${file}`;
    Object.assign(files, filesOf(inner, inFile));
    return `type: workflow, workflow: ${inFile}`;
  };
  const one = (part: Part, name: string, routes: string): string => {
    if (part.type === "gate") {
      const to = /to: ([\w$]+)/.exec(routes)?.[1];
      return `{ name: ${name}, type: human_gate, prompt: "${name}?", options: [{ value: yes, route: ${to} }] }`;
    }
    if (part.type === "work") return `{ name: ${name}, type: script, command: sleep, args: ["0.2"]${routes} }`;
    return `{ name: ${name}, ${child(name, part.type === "child" ? part.inner : [part])}${routes} }`;
  };
  for (const [index, part] of all.entries()) {
    const name = `s${index}`;
    const routes = `, routes: [{ to: ${index + 1 < all.length ? `s${index + 1}` : "$end"} }]`;
    if (part.type === "each")
      groups.for_each.push(
        `{ name: ${name}, type: for_each, source: "{{ [${"1, 2, 3".slice(0, 3 * part.items - 2)}] }}", as: n, max_concurrent: ${part.atOnce}, agent: { name: i${index}, ${child(name, part.inner)} }${routes} }`,
      );
    else if (part.type === "pair") {
      // A group has no gate of its own.
      part.inner.forEach((inner, side) => {
        steps.push(one({ type: "child", inner: [inner] }, `p${index}${side}`, ""));
      });
      groups.parallel.push(
        `{ name: ${name}, agents: [p${index}0, p${index}1], max_concurrent: ${part.atOnce}${routes} }`,
      );
    } else steps.push(one(part, name, routes));
  }
  files[file] =
    `workflow: { name: ${file.split(".")[0]}, entry_point: s0, limits: { max_iterations: 500 } }\nagents: [${steps.join(",\n  ")}]\n` +
    `for_each: [${groups.for_each.join(",\n  ")}]\nparallel: [${groups.parallel.join(",\n  ")}]\noutput: {}\n`;
  return files;
}

test("whenever gates are answered, no run ends paused at a gate that has its answer", async () => {
  await fc.assert(
    fc.asyncProperty(parts, fc.infiniteStream(fc.integer({ min: 0, max: 3 })), async (flow, chances) => {
      const shop = new Workshop(filesOf(flow));
      const driving = new Set<Promise<unknown>>();
      let run: string | null = null;
      let refusal: string | null | undefined;
      const drive = (driven: Promise<Result>): void => {
        const ended: Promise<unknown> = driven.then((result) => {
          driving.delete(ended);
          run ??= result.run_id;
          if (result.exit_code === 2) refusal ??= result.error;
        });
        driving.add(ended);
      };
      drive(shop.run("main.yaml").then(({ result }) => result));
      const answers = new Set<string>();
      const isDone = async (): Promise<boolean> => {
        if (refusal) throw new Error(refusal);
        const isDriven = driving.size > 0;
        const gates = await waiting(shop);
        const status = run === null || isDriven ? "running" : (await showRun(shop.session, { run })).status;
        if (status === "paused" && gates.length === 0)
          throw new Error(`it is paused, and all gates are answered: ${[...answers].join(", ")}`);
        for (const gate of gates) {
          if (answers.has(gate.name) || chances.next().value === 0) continue;
          answers.add(gate.name);
          drive(answered(shop, gate));
        }
        return status === "completed";
      };
      await until(isDone, 60_000);
    }),
    { numRuns: isWhole ? 60 : 8 },
  );
}, 300_000);

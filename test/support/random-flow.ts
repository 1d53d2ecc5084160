// Random workflows with groups, children, retries, loops, gates and waits, and a step of their own that ends as it is told.
import fc from "fast-check";
import { defineStep, failed, raised, succeeded } from "../../src/index.ts";

/** What one step does, and where it leads. */
export const step = fc.record({
  type: fc.constantFrom("own", "own", "own", "set", "gate", "each", "child", "pair", "wait"),
  /** How the n-th call ends: some kinds have routes, some none. */
  ends: fc.array(fc.constantFrom("ok", "ok", "net.busy", "net.gone", "data.bad"), { minLength: 1, maxLength: 4 }),
  retry: fc.integer({ min: 0, max: 2 }),
  route: fc.constantFrom("none", "next", "last", "any"),
  again: fc.boolean(),
  option: fc.constantFrom("yes", "no"),
});
export type RandomStep = typeof step extends fc.Arbitrary<infer One> ? One : never;

const own = (name: string, { ends }: RandomStep, arg = "x"): string =>
  `name: ${name}, type: own, ends: [${ends.join(", ")}], arg: "${arg}"`;

function routesOf({ type, retry, route, again }: RandomStep, index: number, count: number): string {
  const next = index + 1 < count ? `s${index + 1}` : "$end";
  const back = again && index > 0 ? [`{ to: s${index - 1}, when: "{{ context.iteration < 12 }}" }`] : [];
  const onErrors = [
    ...(retry > 0 ? [`{ on_error: net.busy, retry: { max: ${retry}, initial_seconds: 1 } }`] : []),
    ...(route === "next" ? [`{ on_error: "net.*", to: ${next} }`] : []),
    ...(route === "any" ? [`{ on_error: true, to: ${next} }`] : []),
    ...(route === "last" ? [`{ on_error: data.bad, to: s${count - 1} }`] : []),
  ];
  return [...back, `{ to: ${next} }`, ...(type === "set" || type === "wait" ? [] : onErrors)].join(", ");
}

export function flowOf(steps: readonly RandomStep[]): string {
  const [agents, groups, pairs]: string[][] = [[], [], []];
  for (const [index, one] of steps.entries()) {
    const name = `s${index}`;
    const routes = `routes: [${routesOf(one, index, steps.length)}]`;
    switch (one.type) {
      case "own":
        agents?.push(`{ ${own(name, one)}, ${routes} }`);
        break;
      case "set":
        agents?.push(`{ name: ${name}, type: set, value: "${index}", ${routes} }`);
        break;
      case "wait":
        agents?.push(`{ name: ${name}, type: wait, duration: 2s, ${routes} }`);
        break;
      case "gate": {
        const next = index + 1 < steps.length ? `s${index + 1}` : "$end";
        agents?.push(
          `{ name: ${name}, type: human_gate, prompt: "On?", options: [{ label: "Y", value: "yes", route: ${next} }, { label: "N", value: "no", route: $end }] }`,
        );
        break;
      }
      case "child":
        agents?.push(
          `{ name: ${name}, type: workflow, workflow: child.yaml, input_mapping: { ends: "{{ ${JSON.stringify(one.ends).replaceAll('"', "'")} }}" }, ${routes} }`,
        );
        break;
      case "each":
        groups?.push(
          `{ name: ${name}, type: for_each, source: workflow.input.xs, as: x, max_concurrent: 2, failure_mode: ${one.retry > 0 ? "continue_on_error" : "fail_fast"}, agent: { ${own(`i${index}`, one, "{{ x }}")} }, ${routes} }`,
        );
        break;
      case "pair":
        agents?.push(`{ ${own(`a${index}`, one)} }`, `{ name: b${index}, type: set, value: b }`);
        pairs?.push(
          `{ name: ${name}, agents: [a${index}, b${index}], failure_mode: ${one.retry > 0 ? "continue_on_error" : "fail_fast"}, ${routes} }`,
        );
        break;
    }
  }
  return `workflow: { name: random, entry_point: s0, limits: { max_iterations: 40 }, input: { xs: { type: array, default: [1, 2, 3] } } }
agents: [${agents?.join(",\n  ")}]
for_each: [${groups?.join(",\n  ")}]
parallel: [${pairs?.join(",\n  ")}]
`;
}

export const CHILD = `workflow: { name: child, entry_point: c, input: { ends: { type: array } } }
agents: [{ name: c, type: own, ends: "{{ workflow.input.ends }}", arg: c, raises: [net.busy, net.gone, data.bad] }]
output: { n: "{{ c.output.n }}" }
`;

/** Ends as its `ends` say, call by call. */
export function ownStep(calls = new Map<string, number>()) {
  return defineStep({
    type: "own",
    description: "ends as it is told",
    schema: { type: "object", properties: { ends: {}, arg: { type: "string" } } } as const,
    execute({ ends, arg }: { ends: readonly string[]; arg: string }, { node }: { node: string }) {
      const key = `${node} ${arg}`;
      const n = calls.get(key) ?? 0;
      calls.set(key, n + 1);
      const end = ends[n % ends.length] ?? "ok";
      return end === "ok" ? succeeded({ n, arg }) : failed(raised(end, `${end} at ${n}`, { n }));
    },
  } as never) as never;
}

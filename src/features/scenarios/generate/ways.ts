// The way to the step of an error route: which routes, options and errors lead there, outputs that take each success
// route on it, and a kind that the error route takes.

import { isEngineKind, matches, type Selector, selectorWords } from "../../../base/errors/index.ts";
import { resolveInputs } from "../../../engine/children/inputs.ts";
import { WorkflowContext } from "../../../engine/context/context.ts";
import { conditionsOf } from "../../../engine/visit/conditions.ts";
import { readSuccessRoutes } from "../../../engine/visit/routes.ts";
import { errorFlow } from "../../../language/analysis/index.ts";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import type { Route, Step } from "../../../language/schema/index.ts";
import { renderMapping, renderValue } from "../../../steps/values.ts";
import { compileCondition, type Scope } from "../../../template/index.ts";
import {
  answerFromStep,
  Blocked,
  type Draft,
  fieldsRead,
  listsRead,
  outputFor,
  place,
  routesAt,
  scriptRaise,
} from "./draft.ts";

type Output = Record<string, unknown>;

const MOST_TRIES = 3000;

/** Changes to `output` under which route `index` is taken; undefined when none was found. */
function outputTaking(
  routes: readonly Route[],
  index: number,
  node: string,
  output: Output,
  base: Scope,
): Output | undefined {
  const taken = (candidate: Output): boolean => {
    const decision = readSuccessRoutes(
      routes,
      conditionsOf(base, { output: candidate }, undefined, { [node]: { output: candidate } }),
    );
    return decision.action === "go" && decision.route?.index === index;
  };
  if (taken(output)) return output;
  const conditions = routes.flatMap((route) => (route.on_error === undefined && route.when ? [route.when] : []));
  const fields = [...new Set(conditions.flatMap((when) => fieldsOf(when, node, base)))].map((path) => path.split("."));
  const values = valuesIn(conditions);
  let tries = 0;
  const search = (at: number, candidate: Output): Output | undefined => {
    if (tries++ > MOST_TRIES) return undefined;
    const path = fields[at];
    if (!path) return taken(candidate) ? candidate : undefined;
    for (const value of values) {
      const changed = structuredClone(candidate);
      place(changed, path, value);
      const found = search(at + 1, changed);
      if (found) return found;
    }
    return undefined;
  };
  return search(0, output);
}

/** The output fields that a condition reads, however it writes them. */
function fieldsOf(when: string, node: string, base: Scope): readonly string[] {
  try {
    const { bare, references } = compileCondition(when);
    const known = new Set(base.names());
    return references.flatMap(({ path }) => {
      const [first = "", second, ...rest] = path.map(String);
      if (first === "output") return second === undefined ? [] : [[second, ...rest].join(".")];
      if (first === node && second === "output") return rest.length > 0 ? [rest.join(".")] : [];
      if (first === `${node}_output`) return second === undefined ? [] : [[second, ...rest].join(".")];
      return bare && !known.has(first) ? [[first, ...(second === undefined ? [] : [second]), ...rest].join(".")] : [];
    });
  } catch {
    return [];
  }
}

/** Every value that the conditions mention, and its neighbours. */
function valuesIn(conditions: readonly string[]): readonly unknown[] {
  const text = conditions.join("\n");
  const words = [...text.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double ?? "");
  const numbers = [...text.matchAll(/(?<![\w.'"])-?\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
  return [
    ...new Set<unknown>([
      true,
      false,
      ...words,
      ...numbers.flatMap((number) => [number, number + 1, number - 1]),
      "x",
      "",
      0,
      null,
    ]),
  ];
}

/** Kinds to try, best first: what the route names, what the step declares, what the engine may raise there. */
export function kindsFor(
  workflow: LoadedWorkflow,
  node: string,
  routes: readonly Route[],
  index: number,
): readonly string[] {
  const selector = routes[index]?.on_error as Selector | undefined;
  if (selector === undefined) return [];
  const words = selectorWords(selector).flatMap((word) =>
    word === "*" ? [] : word.endsWith(".*") ? [`${word.slice(0, -1)}example`] : [word],
  );
  const raises =
    errorFlow(workflow)
      .steps.find((step) => step.node_id === node)
      ?.raises.map(({ kind }) => kind) ?? [];
  // The author's kinds first: they are what the route was written for.
  const own = raises.filter((kind) => kind !== "*" && !isEngineKind(kind));
  const possible = [...own, ...(raises.includes("*") ? ["example.unexpected"] : []), ...raises.filter(isEngineKind)];
  // What a step cannot raise would test a way that no run ever takes.
  const named = words.filter((kind) => possible.includes(kind) || (raises.includes("*") && !isEngineKind(kind)));
  const candidates = [...new Set([...named, ...possible])];
  const earlier = routes
    .slice(0, index)
    .filter((route) => route.on_error !== undefined && route.when === undefined && !route.retry);
  return candidates.filter(
    (kind) =>
      matches(selector, kind) &&
      !earlier.some((route) => matches(route.on_error as Selector, kind)) &&
      !UNLIKELY.has(kind),
  );
}

/** A defect of Segno is not what an author writes a test for, as long as there is anything else. */
const UNLIKELY: ReadonlySet<string> = new Set(["internal.step_error", "halt.intentional"]);

type Leg =
  | { readonly by: "success"; readonly from: string; readonly index: number | null; readonly to: string }
  | { readonly by: "option"; readonly from: string; readonly value: string; readonly to: string }
  | { readonly by: "abort"; readonly from: string; readonly to: string }
  | {
      readonly by: "error";
      readonly from: string;
      readonly index: number;
      readonly table: "step" | "workflow";
      readonly to: string;
    };

/** Everything that leads away from a node. Error legs last: a way without trouble is the better one. */
function legsFrom(workflow: LoadedWorkflow, name: string): readonly Leg[] {
  const { definition } = workflow;
  const step = definition.agents.find((one) => one.name === name);
  const group = [...definition.parallel, ...definition.for_each].find((one) => one.name === name);
  const routes: readonly Route[] = step && "routes" in step ? step.routes : (group?.routes ?? []);
  const success = routes.flatMap((route, index): Leg[] =>
    route.on_error === undefined && route.to ? [{ by: "success", from: name, index, to: route.to }] : [],
  );
  const errors = routes.flatMap((route, index): Leg[] =>
    route.on_error !== undefined && route.to ? [{ by: "error", from: name, index, table: "step", to: route.to }] : [],
  );
  const defaults = definition.workflow.error_routes.flatMap((route, index): Leg[] =>
    route.to && route.to !== name ? [{ by: "error", from: name, index, table: "workflow", to: route.to }] : [],
  );
  return [...(step ? answers(step) : []), ...success, ...errors, ...defaults];
}

function answers(step: Step): readonly Leg[] {
  if (step.type === "human_gate")
    return step.options.flatMap(({ value, route }): Leg[] =>
      route ? [{ by: "option", from: step.name, value, to: route }] : [],
    );
  if (step.type === "questions" && step.allow_abort && step.abort_route)
    return [{ by: "abort", from: step.name, to: step.abort_route }];
  return [];
}

/** Ways to a step, shortest first, a few of them: the first may need a condition that cannot be met. */
export function waysTo(workflow: LoadedWorkflow, target: string, most = 6): readonly (readonly Leg[])[] {
  const entry = workflow.definition.workflow.entry_point;
  const found: (readonly Leg[])[] = [];
  const queue: { readonly at: string; readonly legs: readonly Leg[] }[] = [{ at: entry, legs: [] }];
  const entered = new Map<string, number>();
  for (let next = queue.shift(); next && found.length < most; next = queue.shift()) {
    if (next.at === target) {
      found.push(next.legs);
      continue;
    }
    const times = entered.get(next.at) ?? 0;
    if (times >= most) continue;
    entered.set(next.at, times + 1);
    const seen = new Set(next.legs.map((leg) => leg.from));
    for (const leg of legsFrom(workflow, next.at))
      if (leg.to !== "$end" && !seen.has(leg.to) && leg.to !== next.at)
        queue.push({ at: leg.to, legs: [...next.legs, leg] });
  }
  return found;
}

/** Changes the draft so that the run takes this way. Throws `Blocked`. */
export function followWay(draft: Draft, workflow: LoadedWorkflow, way: readonly Leg[]): void {
  const { definition, dir, file } = workflow;
  const { name, description, input } = definition.workflow;
  const given = resolveInputs(input, draft.inputs, "drop");
  const context = new WorkflowContext({
    input: given.ok ? given.inputs : draft.inputs,
    name,
    description: description ?? "",
    dir,
    file,
  });
  const [fields, lists] = [fieldsRead(workflow), listsRead(workflow)];
  for (const leg of way) {
    context.iterate(1);
    const step = definition.agents.find((one) => one.name === leg.from);
    if (leg.by === "error") {
      const routes = leg.table === "step" ? routesAt(workflow, leg.from) : definition.workflow.error_routes;
      const [kind] = kindsFor(workflow, leg.from, routes, leg.index);
      if (!kind) throw new Blocked(`no error of ${leg.from} takes its route to ${leg.to}`);
      scriptRaise(draft, workflow, leg.from, kind, 1);
    } else if (leg.by === "option") draft.gates[leg.from] = leg.value;
    else if (leg.by === "abort") throw new Blocked(`${leg.from} must be aborted, which a scenario cannot do`);
    else if (step && leg.index !== null) {
      const routes = routesAt(workflow, leg.from);
      const base = outputFor(step, fields.get(step.name), lists.get(step.name) ?? []);
      const start =
        step.type === "set"
          ? setOutput(step, context)
          : { ...(step.type === "script" ? { exit_code: 0, stdout: "", stderr: "" } : {}), ...base };
      const chosen = outputTaking(routes, leg.index, leg.from, start as Record<string, unknown>, context.everything);
      if (!chosen || (step.type === "set" && chosen !== start))
        throw new Blocked(
          `${leg.from} goes to ${leg.to} only when ${routes[leg.index]?.when ?? "no earlier route matches"}`,
        );
      const { stdout: _, stderr: __, ...rest } = chosen;
      if (step.type !== "set") answerFromStep(draft, step, step.type === "script" ? rest : chosen);
      context.succeeded(leg.from, chosen);
    }
  }
}

function setOutput(step: Step & { type: "set" }, context: WorkflowContext): unknown {
  try {
    return step.values
      ? renderMapping(step.values, context.everything, "coerced")
      : renderValue(step.value, context.everything, "coerced");
  } catch {
    return {};
  }
}

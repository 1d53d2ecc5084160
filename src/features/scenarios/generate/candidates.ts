// Scenarios that may take an error route, best guess first.

import { stringify } from "yaml";
import { matches, type Selector } from "../../../base/errors/index.ts";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import type { Route } from "../../../language/schema/index.ts";
import { routeText, type Untaken } from "../coverage.ts";
import { Blocked, type Draft, draftFor, routesAt, scriptRaise } from "./draft.ts";
import { followWay, kindsFor, waysTo } from "./ways.ts";

export type Candidate = { readonly scenario: Record<string, unknown> } | { readonly blocked: string };

export function* candidatesFor(workflow: LoadedWorkflow, { node, index = -1 }: Untaken): Iterable<Candidate> {
  const places = placesOf(workflow, node).flatMap((place) => {
    const route = place.routes[index];
    const kinds = route ? kindsFor(workflow, place.node, place.routes, index).slice(0, 4) : [];
    // A default route has many steps: those that cannot take it say nothing about why the others do not.
    return route && kinds.length > 0 ? [{ ...place, route, kinds }] : [];
  });
  if (places.length === 0)
    yield { blocked: `no error that ${node === "workflow" ? "a step" : node} can raise gets to this route` };
  for (const { route, kinds, ...place } of places) {
    for (const way of waysTo(workflow, place.arrive))
      for (const kind of kinds)
        try {
          const draft = draftFor(workflow);
          followWay(draft, workflow, way);
          scriptRaise(draft, workflow, place.node, kind, timesFor(place.routes, index, kind));
          yield {
            scenario: {
              ...draft,
              ...details(draft, route, kind, place.node),
              expected_trace: { errors_raised: [{ node: raiser(workflow, place.node), kind }] },
            },
          };
        } catch (problem) {
          if (!(problem instanceof Blocked)) throw problem;
          yield { blocked: problem.message };
        }
  }
}

interface RoutePlace {
  readonly node: string;
  /** The node that the way leads to: the group of a member. */
  readonly arrive: string;
  readonly routes: readonly Route[];
}

/** A default route belongs to every step; a member is reached through its group. */
function placesOf(workflow: LoadedWorkflow, node: string): readonly RoutePlace[] {
  const { definition } = workflow;
  if (node === "workflow") {
    const steps = definition.agents.filter((step) => step.type !== "terminate" && step.type !== "human_gate");
    return steps.map((step) => ({ node: step.name, arrive: step.name, routes: definition.workflow.error_routes }));
  }
  const group =
    definition.parallel.find(({ agents }) => agents.includes(node)) ??
    definition.for_each.find(({ agent }) => agent.name === node);
  return [{ node, arrive: group?.name ?? node, routes: routesAt(workflow, node) }];
}

/** Retries that stand before the route must be used up first. */
const timesFor = (routes: readonly Route[], index: number, kind: string): number =>
  routes
    .slice(0, index)
    // A wait for a reset is not taken by an error that names none.
    .reduce(
      (times, { on_error, retry }) =>
        times + (retry && !retry.until && matches(on_error as Selector, kind) ? (retry.max ?? 0) : 0),
      1,
    );

const raiser = ({ definition }: LoadedWorkflow, node: string): string =>
  definition.parallel.find(({ name }) => name === node)?.agents[0] ??
  definition.for_each.find(({ name }) => name === node)?.agent.name ??
  node;

/** A condition on the error's details is met by details with the values it compares with. */
function details(draft: Draft, route: Route, kind: string, node: string): Pick<Draft, "inject"> {
  const wanted: Record<string, unknown> = {};
  for (const [, name = "", single, double, number] of (route.when ?? "").matchAll(
    /details\.(\w+)\s*==\s*(?:'([^']*)'|"([^"]*)"|(\d+))/g,
  ))
    wanted[name] = single ?? double ?? Number(number);
  const inject = draft.inject.map((one) =>
    one.error.kind === kind && Object.keys(wanted).length > 0 && node
      ? { ...one, error: { ...one.error, details: { ...one.error.details, ...wanted } } }
      : one,
  );
  return { inject };
}

// The best guess of a scenario that takes an error route, as text. It is not played: who writes it down does that.

export interface ScenarioDraft {
  /** `workflow`: its path as the scenario names it. */
  textFor(workflow: string): string;
}

export function firstCandidate(workflow: LoadedWorkflow, node: string, index: number): ScenarioDraft | undefined {
  const path = [...workflow.pathOf(node), "routes", index];
  const { line } = workflow.positions.at(path);
  const owner = [...workflow.definition.agents, ...workflow.definition.parallel, ...workflow.definition.for_each].find(
    ({ name }) => name === node,
  );
  const route = owner && "routes" in owner ? owner.routes[index] : undefined;
  if (!route) return undefined;
  const untaken: Untaken = { what: "error route", node, line, index, route: routeText(route) };
  for (const candidate of candidatesFor(workflow, untaken))
    if (!("blocked" in candidate)) return { textFor: (file) => scenarioText(untaken, file, candidate.scenario) };
  return undefined;
}

export const routeTitle = ({ node, line, route = "" }: Untaken): string =>
  `# Takes the error route of ${node} at line ${line}: ${route}`;

/** Without what is empty. */
export function scenarioText(route: Untaken, workflow: string, scenario: Readonly<Record<string, unknown>>): string {
  const used = Object.fromEntries(Object.entries(scenario).filter(([, value]) => !isEmpty(value)));
  return `${routeTitle(route)}\n${stringify({ workflow, ...used }, { lineWidth: 0 })}`;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

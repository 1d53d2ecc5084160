// Which steps, success routes and error routes all scenarios together took, and which none ever did.
import { keptIn } from "../../base/errors/mapping.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { visitsOf } from "../../base/events/visits/visit-fold.ts";
import type { VisitRecord } from "../../base/events/visits/visit-record.ts";
import { retryText } from "../../graph/label.ts";
import { familyOf, type LoadedWorkflow, type NodePath, stepsOf } from "../../language/loaded.ts";
import type { HumanGateStep, Route } from "../../language/schema/index.ts";
import { childAt } from "../../services/reading/report.ts";
import { shownPath } from "../../services/session/files.ts";

/** How many there are, and how many a scenario took. */
export interface Share {
  readonly total: number;
  readonly taken: number;
}

export interface Untaken {
  readonly what: "step" | "success route" | "error route";
  readonly node: string;
  readonly line: number;
  /** Of a route, or of an option of a gate that has one: its place in its list, and what it says. */
  readonly index?: number;
  readonly route?: string;
}

export interface FileCoverage {
  readonly file: string;
  readonly steps: Share;
  readonly success_routes: Share;
  readonly error_routes: Share;
  /** Steps and groups that policies are asked about, and those of them that a policy denied. None without policies. */
  readonly denials: Share;
  readonly untaken: readonly Untaken[];
}

export interface CoverageReport {
  readonly files: readonly FileCoverage[];
  /** Over all files, 0 to 100; null when there is no error route. */
  readonly error_routes_percent: number | null;
}

interface Place {
  readonly what: Untaken["what"];
  readonly node: string;
  readonly path: NodePath;
  readonly route?: Route;
  /** A gate's option with a route of its own, in words. */
  readonly option?: string;
}

interface CoveredFile {
  readonly workflow: LoadedWorkflow;
  /** As `keyOf` names them, and `denial` with the name of a node. */
  readonly taken: Set<string>;
  isGuarded: boolean;
}

export class Coverage {
  readonly #files = new Map<string, CoveredFile>();

  add(root: LoadedWorkflow, events: readonly RunEvent[]): void {
    const guarded = guardedFiles(root);
    for (const workflow of familyOf(root)) {
      const covered = keptIn(this.#files, workflow.file, () => ({
        workflow,
        taken: new Set<string>(),
        isGuarded: false,
      }));
      covered.isGuarded ||= guarded.has(workflow);
    }
    const takenIn = (path: readonly string[]): Set<string> | undefined => {
      const workflow = childAt(root, path);
      return workflow && this.#files.get(workflow.file)?.taken;
    };
    for (const event of events)
      if (event.type === "policy_evaluated" && !event.data.allowed)
        takenIn(event.path ?? [])?.add(`denial ${event.data.node}`);
    for (const visit of visitsOf(events)) {
      const taken = takenIn(visit.path);
      if (taken) for (const what of takenBy(visit)) taken.add(what);
    }
  }

  of(workflow: LoadedWorkflow): readonly Untaken[] {
    const known = this.#files.get(workflow.file);
    return known ? fileCoverage({ ...known, workflow }, "").untaken : [];
  }

  report(cwd: string): CoverageReport {
    const files = [...this.#files.values()].map((covered) => fileCoverage(covered, cwd));
    const total = files.reduce((sum, { error_routes }) => sum + error_routes.total, 0);
    const done = files.reduce((sum, { error_routes }) => sum + error_routes.taken, 0);
    return { files, error_routes_percent: total === 0 ? null : Math.floor((done / total) * 1000) / 10 };
  }
}

/** What a visit is evidence of, as `keyOf` names it. */
function* takenBy({ node, attempts, history }: VisitRecord): Iterable<string> {
  if (attempts.some(({ began }) => began)) yield `step ${node}`;
  for (const { route } of history?.routes ?? []) {
    if (route.route && !route.error) yield `route ${node} ${route.route.index}`;
    if (route.option !== undefined) yield `option ${node} ${route.option}`;
  }
  for (const { routed } of history?.readings ?? [])
    if (routed)
      yield routed.route.table === "workflow" ? `default ${routed.route.index}` : `route ${node} ${routed.route.index}`;
}

function fileCoverage({ workflow, taken, isGuarded }: CoveredFile, cwd: string): FileCoverage {
  const places = [...placesOf(workflow)];
  const share = (what: Untaken["what"]): Share => {
    const all = places.filter((place) => place.what === what);
    return { total: all.length, taken: all.filter((place) => taken.has(keyOf(place))).length };
  };
  return {
    file: shownPath(workflow.file, cwd),
    steps: share("step"),
    success_routes: share("success route"),
    error_routes: share("error route"),
    denials: isGuarded ? denialsIn(places, taken) : { total: 0, taken: 0 },
    untaken: places
      .filter((place) => !taken.has(keyOf(place)))
      .map(({ what, node, path, route, option }) => ({
        what,
        node,
        line: workflow.positions.at(path).line,
        ...(route ? { index: Number(path.at(-1)), route: routeText(route) } : {}),
        ...(option ? { index: Number(path.at(-1)), route: option } : {}),
      })),
  };
}

function denialsIn(places: readonly Place[], taken: ReadonlySet<string>): Share {
  const nodes = places.filter(({ what }) => what === "step");
  return { total: nodes.length, taken: nodes.filter(({ node }) => taken.has(`denial ${node}`)).length };
}

/** The files with policies, and those that they call. */
function guardedFiles(root: LoadedWorkflow): ReadonlySet<LoadedWorkflow> {
  const guarded = new Set<LoadedWorkflow>();
  for (const workflow of familyOf(root))
    if (workflow.definition.workflow.policies.length > 0) for (const one of familyOf(workflow)) guarded.add(one);
  return guarded;
}

const keyOf = ({ what, node, path, option }: Place): string => {
  if (what === "step") return `step ${node}`;
  const index = path.at(-1);
  if (option) return `option ${node} ${index}`;
  return path[0] === "workflow" ? `default ${index}` : `route ${node} ${index}`;
};

function* placesOf(workflow: LoadedWorkflow): Iterable<Place> {
  const { definition, pathOf } = workflow;
  const inline = definition.for_each.map((group) => group.agent);
  for (const node of [...stepsOf(definition), ...definition.parallel, ...definition.for_each]) {
    yield { what: "step", node: node.name, path: pathOf(node.name) };
    for (const [index, route] of ("routes" in node ? node.routes : []).entries())
      yield { what: kindOf(route), node: node.name, path: [...pathOf(node.name), "routes", index], route };
    // A gate in a for_each leads nowhere: its answer is the item's output.
    if ("type" in node && node.type === "human_gate" && !inline.includes(node))
      yield* optionsOf(node, [...pathOf(node.name), "options"]);
  }
  for (const [index, route] of definition.workflow.error_routes.entries())
    yield { what: "error route", node: "workflow", path: ["workflow", "error_routes", index], route };
}

/** Options without a route of their own lead on by the gate's routes, which are counted. */
function* optionsOf({ name, options }: HumanGateStep, path: NodePath): Iterable<Place> {
  for (const [index, { value, route }] of options.entries())
    if (route !== undefined)
      yield { what: "success route", node: name, path: [...path, index], option: `answer ${value}, to ${route}` };
}

const kindOf = (route: Route): Untaken["what"] => (route.on_error === undefined ? "success route" : "error route");

export function routeText({ on_error, when, to, retry, halt, propagate }: Route): string {
  const action = [
    to ? `to ${to}` : "",
    retry ? retryText(retry) : "",
    halt ? "halt" : "",
    propagate ? "propagate" : "",
  ];
  const condition = [on_error === undefined ? "" : `on ${JSON.stringify(on_error)}`, when ? `when ${when}` : ""];
  return [...condition, ...action].filter(Boolean).join(", ");
}

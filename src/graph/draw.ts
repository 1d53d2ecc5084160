// From a loaded workflow to a picture: every step and group, every route with what it is for. Sub-workflows are drawn
// inside the step that calls them, down to a depth; below it they are folded to one node.
import { type FlowNode, gatherFacts } from "../language/analysis/index.ts";
import { type LoadedWorkflow, writtenAt } from "../language/loaded.ts";
import type { Route, Step } from "../language/schema/index.ts";
import { labelOf, textLabel } from "./label.ts";
import { defaultRouteId, entryId, optionId, retryId, routeId } from "./lights.ts";
import {
  foldedBox,
  type NodeShape,
  type Picture,
  type PictureBox,
  type PictureEdge,
  type PictureItem,
  type PictureNode,
  stepsBelow,
} from "./picture.ts";

/** @param depth how many levels of sub-workflows are drawn with what is inside them */
export function draw(workflow: LoadedWorkflow, depth: number = Number.POSITIVE_INFINITY): Picture {
  const { items, edges } = new FileDrawing(workflow, [], depth, [workflow]).contents();
  return { title: workflow.definition.workflow.name, items, edges };
}

type Ends = "end" | "halt" | "parent" | "any" | "start";
const END_NAMES: Readonly<Record<Ends, string>> = {
  end: "$end",
  halt: "halt",
  parent: "the parent",
  any: "any step",
  start: "",
};

/** One file, at its place in the picture. */
class FileDrawing {
  readonly #ends = new Set<Ends>();
  readonly #nodes: readonly FlowNode[];
  /** Steps that only ever run in place of a failed member, and the group they run in; null when there are several. */
  readonly #standIns: ReadonlyMap<string, string | null>;

  constructor(
    readonly workflow: LoadedWorkflow,
    /** Slots from the root. */
    readonly path: readonly string[],
    /** How many more levels are drawn. */
    readonly depth: number,
    /** Files that this one is inside of: one that calls itself is not drawn again. */
    readonly above: readonly LoadedWorkflow[],
  ) {
    const { nodes, graph } = gatherFacts(workflow);
    this.#nodes = nodes.all;
    this.#standIns = standInsOf(nodes.all, graph.onlyStandsIn);
  }

  contents(): { readonly items: readonly PictureItem[]; readonly edges: readonly PictureEdge[] } {
    const { entry_point, error_routes } = this.workflow.definition.workflow;
    const isInside = (node: FlowNode): boolean => isMember(node) || typeof this.#standIns.get(node.name) === "string";
    const items = this.#nodes.filter((node) => !isInside(node)).map((node) => this.#item(node));
    const edges = [
      this.#edge("", entry_point, { route: entryId(this.#id(entry_point)), fromEnd: "start" }),
      ...this.#nodes.flatMap((node) => this.#routesOf(node)),
      ...error_routes.flatMap((route, index) => this.#defaultRoute(route, index)),
    ];
    const ends = (...which: readonly Ends[]) => this.#endNodes(which);
    return { items: [...ends("start", "any"), ...items, ...ends("end", "halt", "parent")], edges };
  }

  #id(name: string): string {
    return [...this.path, name].join("/");
  }

  #endNodes(which: readonly Ends[]): readonly PictureNode[] {
    return which.filter((end) => this.#ends.has(end)).map((shape) => endNode(this.#id(`$${shape}`), shape));
  }

  #item(node: FlowNode): PictureItem {
    if (node.kind === "step") return this.#child(node.step, node.name) ?? this.#step(node.step, node.name);
    const members = this.#nodes.filter((other) => other.kind === "step" && other.groups.includes(node.name));
    const detail =
      node.type === "parallel"
        ? `parallel · ${node.group.failure_mode}`
        : `for each ${node.group.as} in ${node.group.source}`;
    return {
      kind: "box",
      id: this.#id(node.name),
      name: node.name,
      detail,
      of: node.type,
      // An item of a for_each runs in a slot of its own, named after the group.
      items: [
        ...members.map((member) => this.#member(member, node.type === "for_each" ? node.name : member.name)),
        ...this.#nodes.filter(({ name }) => this.#standIns.get(name) === node.name).map((one) => this.#item(one)),
        ...this.#memberEnd(node.name, members),
      ],
      edges: [],
      steps: members.length,
    };
  }

  /** Where a member ends whose error route leads to `$end`: the member alone, not the workflow. */
  #memberEnd(group: string, members: readonly FlowNode[]): readonly PictureNode[] {
    const routes = members.flatMap((member) => member.routes);
    const isEnding = routes.some(({ on_error, to }) => on_error !== undefined && to === "$end");
    return isEnding ? [endNode(this.#id(memberEnd(group)), "end")] : [];
  }

  #member(node: FlowNode, slot: string): PictureItem {
    if (node.kind !== "step") return this.#item(node);
    return this.#child(node.step, slot) ?? this.#step(node.step, node.name);
  }

  #step(step: Step, name: string): PictureNode {
    const tooltip = step.type === "terminate" ? step.reason : null;
    return {
      kind: "node",
      id: this.#id(name),
      name,
      detail: this.#detailOf(step, name),
      shape: shapeOf(step),
      tooltip,
    };
  }

  /** Its type as the file says it: also that of a plugin that is not known here. */
  #detailOf(step: Step, name: string): string {
    if (step.type === "terminate") return `ends: ${step.status}`;
    const written = writtenAt(this.workflow.raw, [...this.workflow.pathOf(name), "type"]);
    return (typeof written === "string" ? written : step.type).replace("_", " ");
  }

  /** The file that a step calls, drawn in its place; nothing when it is no such step, or would be drawn without end. */
  #child(step: Step, slot: string): PictureItem | undefined {
    if (step.type !== "workflow") return undefined;
    const child = this.workflow.children.get(step.workflow);
    if (!child || this.above.includes(child)) return undefined;
    const above = [...this.above, child];
    const box: Omit<PictureBox, "items" | "edges"> = {
      kind: "box",
      id: this.#id(step.name),
      name: step.name,
      detail: `workflow · ${step.workflow}`,
      of: "workflow",
      steps: stepsBelow(child, above),
    };
    if (this.depth <= 0) return foldedBox(box);
    return { ...box, ...new FileDrawing(child, [...this.path, slot], this.depth - 1, above).contents() };
  }

  #routesOf(node: FlowNode): readonly PictureEdge[] {
    const routes = node.routes.map((route, index) => ({ route, index }));
    const drawn = routes
      .filter(({ route }) => this.#isRead(node, route))
      .flatMap(({ route, index }) => this.#route(node, route, index));
    if (this.#standIns.has(node.name)) return drawn;
    if (node.kind === "group") return this.#withEnd(node, drawn);
    const all = answersOf(node.step);
    const answers = all.map(({ label, to, option }) => {
      const isOneOfSeveral = all.filter((other) => other.to === to).length > 1;
      const route = isOneOfSeveral ? optionId(this.#id(node.name), to, option) : this.#routeId(node.name, to, null);
      return this.#edge(node.name, to, { label: textLabel(label), route });
    });
    return isMember(node) ? [...drawn, ...answers] : this.#withEnd(node, [...drawn, ...answers]);
  }

  /** A member's success goes to its group; of one that stands in for it only retries are read. */
  #isRead(node: FlowNode, route: Route): boolean {
    if (this.#standIns.has(node.name))
      return route.on_error !== undefined && route.retry !== undefined && route.to === undefined;
    return !isMember(node) || route.on_error !== undefined;
  }

  /** A node without a success route goes to `$end`; a terminate step is an end itself. */
  #withEnd(node: FlowNode, edges: readonly PictureEdge[]): readonly PictureEdge[] {
    if (node.type === "terminate" || edges.some(({ on }) => on === "success")) return edges;
    return [this.#edge(node.name, "$end", { route: this.#routeId(node.name, "$end", null) }), ...edges];
  }

  #route(node: FlowNode, route: Route, index: number): readonly PictureEdge[] {
    const from = node.name;
    const more = {
      on: route.on_error === undefined ? "success" : "error",
      label: labelOf(route),
      isConditional: route.when !== undefined,
      route: this.#routeId(from, route.to ?? "", index),
    } as const;
    const [group] = node.kind === "step" ? node.groups : [];
    const to = route.to === "$end" && group !== undefined ? memberEnd(group) : route.to;
    if (to !== undefined) return [this.#edge(from, to, more)];
    if (route.retry) return [this.#edge(from, from, { ...more, route: retryId(this.#id(from), index), isRetry: true })];
    if (route.halt) return [this.#edge(from, "", { ...more, toEnd: "halt" })];
    return route.propagate ? [this.#edge(from, "", { ...more, toEnd: "parent" })] : [];
  }

  #routeId(from: string, to: string, index: number | null): string {
    return routeId(this.#id(from), to, index);
  }

  #defaultRoute(route: Route, index: number): readonly PictureEdge[] {
    const more = {
      on: "error",
      label: labelOf(route),
      isConditional: route.when !== undefined,
      route: defaultRouteId(this.#id(""), route.to ?? "", index),
      fromEnd: "any",
    } as const;
    if (route.to !== undefined) return [this.#edge("", route.to, more)];
    if (route.halt) return [this.#edge("", "", { ...more, toEnd: "halt" })];
    if (route.propagate) return [this.#edge("", "", { ...more, toEnd: "parent" })];
    return route.retry ? [this.#edge("", "", { ...more, toEnd: "any", isRetry: true })] : [];
  }

  #edge(
    from: string,
    to: string,
    more: Partial<PictureEdge> & Pick<PictureEdge, "route"> & { readonly fromEnd?: Ends; readonly toEnd?: Ends },
  ): PictureEdge {
    const { fromEnd, toEnd = to === "$end" ? "end" : undefined, ...rest } = more;
    for (const end of [fromEnd, toEnd]) if (end) this.#ends.add(end);
    return {
      on: "success",
      isRetry: false,
      isConditional: false,
      label: [],
      ...rest,
      from: this.#id(fromEnd ? `$${fromEnd}` : from),
      to: this.#id(toEnd ? `$${toEnd}` : to),
    };
  }
}

const isMember = (node: FlowNode): boolean => node.kind === "step" && node.groups.length > 0;

const endNode = (id: string, shape: Ends): PictureNode => ({
  kind: "node",
  id,
  name: END_NAMES[shape],
  detail: "",
  shape,
  tooltip: null,
});

const memberEnd = (group: string): string => `${group}/$end`;

function shapeOf(step: Step): NodeShape {
  if (step.type === "terminate") return step.status === "success" ? "terminate_success" : "terminate_failed";
  return step.type === "human_gate" || step.type === "questions" ? "gate" : "step";
}

interface Answer {
  readonly label: string;
  readonly to: string;
  /** Its place among the gate's options. */
  readonly option: number;
}

function answersOf(step: Step): readonly Answer[] {
  if (step.type === "human_gate")
    return step.options.flatMap(({ label, route }, option) =>
      route === undefined ? [] : [{ label, to: route, option }],
    );
  if (step.type !== "questions" || !step.allow_abort) return [];
  return [{ label: "aborted", to: step.abort_route ?? "$end", option: 0 }];
}

// Handlers of members. Such a step runs inside the group, in the member's place, and its own success routes are not read:
// a drawing that led from it to `$end` would show a way that no run takes.

/** Steps that only ever stand in for members, each with the group they run in; null when there are several. */
function standInsOf(
  nodes: readonly FlowNode[],
  onlyStandsIn: (name: string) => boolean,
): ReadonlyMap<string, string | null> {
  const groupsOf = new Map<string, Set<string>>();
  for (const node of nodes) {
    if (node.kind !== "step") continue;
    for (const { on_error, to } of node.routes) {
      if (on_error === undefined || to === undefined || !onlyStandsIn(to)) continue;
      const groups = groupsOf.get(to) ?? new Set<string>();
      groupsOf.set(to, groups);
      for (const group of node.groups) groups.add(group);
    }
  }
  return new Map(
    [...groupsOf].map(([name, groups]) => [name, groups.size === 1 ? ([...groups][0] ?? null) : null] as const),
  );
}

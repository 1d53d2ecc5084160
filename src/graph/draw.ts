// From a loaded workflow to a picture: every step and group, every route with what it is for. Sub-workflows are drawn
// inside the step that calls them, to a depth that can still be read.
import { type FlowNode, gatherFacts } from "../language/analysis/index.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { Route, Step } from "../language/schema/index.ts";
import { labelOf, textLabel } from "./label.ts";
import type { Lights } from "./lit.ts";
import type { EdgeRoute, NodeShape, Picture, PictureBox, PictureEdge, PictureItem, PictureNode } from "./picture.ts";
import { standInsOf } from "./stand-ins.ts";

const DEEPEST = 3;

export function draw(workflow: LoadedWorkflow, lights: Lights | null): Picture {
  const { items, edges } = new FileDrawing(workflow, [], lights, [workflow]).contents();
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
    readonly lights: Lights | null,
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
      this.#edge("", entry_point, {
        isLit: this.lights && this.lights.statusOf(this.path, entry_point) !== "unlit",
        fromEnd: "start",
      }),
      ...this.#nodes.flatMap((node) => this.#routesOf(node)),
      ...error_routes.flatMap((route, index) => this.#defaultRoute(route, index)),
    ];
    const ends = (...which: readonly Ends[]) => this.#endNodes(which, edges);
    return { items: [...ends("start", "any"), ...items, ...ends("end", "halt", "parent")], edges };
  }

  #id(name: string): string {
    return [...this.path, name].join("/");
  }

  #endNodes(which: readonly Ends[], edges: readonly PictureEdge[]): readonly PictureNode[] {
    return which
      .filter((end) => this.#ends.has(end))
      .map((shape) => {
        const id = this.#id(`$${shape}`);
        const isLit = edges.some((edge) => edge.isLit && (edge.from === id || edge.to === id));
        const status = this.lights && !isLit ? "unlit" : null;
        return { kind: "node", id, name: END_NAMES[shape], detail: "", shape, status };
      });
  }

  #item(node: FlowNode): PictureItem {
    const status = this.lights?.statusOf(this.path, node.name) ?? null;
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
      status,
    };
  }

  /** Where a member ends whose error route leads to `$end`: the member alone, not the workflow. */
  #memberEnd(group: string, members: readonly FlowNode[]): readonly PictureNode[] {
    const routes = members.flatMap(({ name, routes: own }) => own.map((route, index) => ({ name, route, index })));
    const ending = routes.filter(({ route }) => route.on_error !== undefined && route.to === "$end");
    if (ending.length === 0) return [];
    const isLit = ending.some(({ name, index }) => this.lights?.isTaken(this.path, name, "$end", index));
    const status = this.lights && !isLit ? "unlit" : null;
    return [{ kind: "node", id: this.#id(memberEnd(group)), name: END_NAMES.end, detail: "", shape: "end", status }];
  }

  #member(node: FlowNode, slot: string): PictureItem {
    if (node.kind !== "step") return this.#item(node);
    return this.#child(node.step, slot) ?? this.#step(node.step, node.name);
  }

  #step(step: Step, name: string): PictureNode {
    const status = this.lights?.statusOf(this.path, name) ?? null;
    return { kind: "node", id: this.#id(name), name, detail: detailOf(step), shape: shapeOf(step), status };
  }

  /** The file that a step calls, drawn in its place; nothing when it is no such step, or would be drawn without end. */
  #child(step: Step, slot: string): PictureBox | undefined {
    if (step.type !== "workflow" || this.path.length + 1 >= DEEPEST) return undefined;
    const child = this.workflow.children.get(step.workflow);
    if (!child || this.above.includes(child)) return undefined;
    const inner = new FileDrawing(child, [...this.path, slot], this.lights, [...this.above, child]).contents();
    const status = this.lights?.statusOf(this.path, step.name) ?? null;
    return {
      kind: "box",
      id: this.#id(step.name),
      name: step.name,
      detail: `workflow · ${step.workflow}`,
      of: "workflow",
      ...inner,
      status,
    };
  }

  #routesOf(node: FlowNode): readonly PictureEdge[] {
    const routes = node.routes.map((route, index) => ({ route, index }));
    const drawn = routes
      .filter(({ route }) => this.#isRead(node, route))
      .flatMap(({ route, index }) => this.#route(node, route, index));
    if (this.#standIns.has(node.name)) return drawn;
    if (node.kind === "group") return this.#withEnd(node, drawn);
    const answers = answersOf(node.step).map(({ label, to, index }) =>
      this.#edge(node.name, to, {
        label: textLabel(label),
        isLit: this.lights?.isTaken(this.path, node.name, to, null) ?? null,
        route: { node: this.#id(node.name), table: "answer", index, line: null },
      }),
    );
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
    const isLit = this.lights?.isTaken(this.path, node.name, "$end", null) ?? null;
    return [this.#edge(node.name, "$end", { isLit }), ...edges];
  }

  #route(node: FlowNode, route: Route, index: number): readonly PictureEdge[] {
    const from = node.name;
    const on = route.on_error === undefined ? "success" : "error";
    const label = labelOf(route);
    const isLit = this.lights?.isTaken(this.path, from, route.to ?? "", index) ?? null;
    const [group] = node.kind === "step" ? node.groups : [];
    const to = route.to === "$end" && group !== undefined ? memberEnd(group) : route.to;
    const table = [...this.workflow.pathOf(from), "routes", index];
    const written = this.#written(route, { node: this.#id(from), table: "step", index }, table);
    if (to !== undefined) return [this.#edge(from, to, { on, label, isLit, route: written })];
    if (route.retry)
      return [
        this.#edge(from, from, {
          on,
          label,
          isLit: this.lights?.isRetried(this.path, from, index) ?? null,
          isRetry: true,
          route: written,
        }),
      ];
    if (route.halt) return [this.#edge(from, "", { on, label, isLit, route: written, toEnd: "halt" })];
    return route.propagate ? [this.#edge(from, "", { on, label, isLit, route: written, toEnd: "parent" })] : [];
  }

  #defaultRoute(route: Route, index: number): readonly PictureEdge[] {
    const isLit = this.lights?.isDefaultTaken(this.path, route.to ?? "", index) ?? null;
    const place = { node: this.#id("$any"), table: "workflow", index } as const;
    const written = this.#written(route, place, ["workflow", "error_routes", index]);
    const more = { on: "error", label: labelOf(route), isLit, route: written, fromEnd: "any" } as const;
    if (route.to !== undefined) return [this.#edge("", route.to, more)];
    if (route.halt) return [this.#edge("", "", { ...more, toEnd: "halt" })];
    if (route.propagate) return [this.#edge("", "", { ...more, toEnd: "parent" })];
    this.#ends.add("any");
    return route.retry ? [{ ...more, from: this.#id("$any"), to: this.#id("$any"), isRetry: true }] : [];
  }

  #written(
    { when, on_error }: Route,
    place: Pick<EdgeRoute, "node" | "table" | "index">,
    table: readonly (string | number)[],
  ): EdgeRoute {
    const kinds = on_error === undefined ? undefined : [on_error === true ? ["*"] : on_error].flat().map(String);
    return {
      ...place,
      line: this.workflow.positions.at(table).line,
      ...(when === undefined ? {} : { when }),
      ...(kinds === undefined ? {} : { kinds }),
    };
  }

  #edge(
    from: string,
    to: string,
    more: Partial<Omit<PictureEdge, "from" | "to">> & { readonly fromEnd?: Ends; readonly toEnd?: Ends },
  ): PictureEdge {
    const { fromEnd, toEnd = to === "$end" ? "end" : undefined, ...rest } = more;
    for (const end of [fromEnd, toEnd]) if (end) this.#ends.add(end);
    return {
      on: "success",
      isRetry: false,
      label: [],
      isLit: null,
      ...rest,
      from: this.#id(fromEnd ? `$${fromEnd}` : from),
      to: this.#id(toEnd ? `$${toEnd}` : to),
    };
  }
}

const isMember = (node: FlowNode): boolean => node.kind === "step" && node.groups.length > 0;

const memberEnd = (group: string): string => `${group}/$end`;

function shapeOf(step: Step): NodeShape {
  if (step.type === "terminate") return step.status === "success" ? "terminate_success" : "terminate_failed";
  return step.type === "human_gate" || step.type === "questions" ? "gate" : "step";
}

const detailOf = (step: Step): string =>
  step.type === "terminate" ? `ends: ${step.status}` : step.type.replace("_", " ");

function answersOf(step: Step): readonly { readonly label: string; readonly to: string; readonly index: number }[] {
  if (step.type === "human_gate")
    return step.options.flatMap(({ label, route }, index) =>
      route === undefined ? [] : [{ label, to: route, index }],
    );
  return step.type === "questions" && step.allow_abort
    ? [{ label: "aborted", to: step.abort_route ?? "$end", index: 0 }]
    : [];
}

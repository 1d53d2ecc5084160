// The steps and groups of one file as a flat list, each with its place, and the names of those that did not parse.
// Rules walk this list instead of the definition, so that members and inline steps are never forgotten.
import { isMapping } from "../../base/errors/mapping.ts";
import type { LoadedWorkflow, NodePath } from "../loaded.ts";
import type { ForEachGroup, ParallelGroup, Route, Step } from "../schema/index.ts";
import { stepsKeyOf } from "../schema/names.ts";

interface Placed {
  readonly name: string;
  readonly path: NodePath;
  readonly routes: readonly Route[];
}

export interface StepNode extends Placed {
  readonly kind: "step";
  readonly type: Step["type"];
  readonly step: Step;
  /** The groups that run this step as a member. */
  readonly groups: readonly string[];
  /** Whether it is the inline step of a for_each, and so never a target by itself. */
  readonly inline: boolean;
}

interface GroupBase extends Placed {
  readonly kind: "group";
  readonly members: readonly string[];
}

export interface ParallelNode extends GroupBase {
  readonly type: "parallel";
  readonly group: ParallelGroup;
}

export interface ForEachNode extends GroupBase {
  readonly type: "for_each";
  readonly group: ForEachGroup;
}

export type GroupNode = ParallelNode | ForEachNode;
export type FlowNode = StepNode | GroupNode;

/** One name as written in the file, whether or not what carries it parsed. */
export interface WrittenName {
  readonly name: string;
  readonly path: NodePath;
  readonly what: "step" | "parallel group" | "for_each group" | "inline step";
}

export interface Nodes {
  readonly all: readonly FlowNode[];
  /** Steps and groups that a route may name: all but inline steps. */
  readonly targets: readonly string[];
  readonly written: readonly WrittenName[];
  /** Every name that exists, broken or not. */
  readonly names: ReadonlySet<string>;
  /** Whether everything written also parsed. Path analysis is silent otherwise: it would accuse the wrong step. */
  readonly complete: boolean;
  get(name: string): FlowNode | undefined;
}

const listAt = (tree: unknown, key: string): readonly unknown[] => {
  const list = isMapping(tree) ? tree[key] : undefined;
  return Array.isArray(list) ? list : [];
};

const nameIn = (item: unknown): string | undefined =>
  isMapping(item) && (typeof item.name === "string" || typeof item.name === "number") ? String(item.name) : undefined;

interface Section<T> {
  readonly parsed: readonly { readonly value: T; readonly path: NodePath }[];
  readonly written: readonly { readonly name: string; readonly path: NodePath }[];
}

/** Puts what parsed beside what is written. Broken entries are absent from `parsed`, so places cannot be counted off. */
function section<T extends { readonly name: string }>(
  tree: unknown,
  key: string,
  parsed: readonly T[] | undefined,
): Section<T> {
  const items = listAt(tree, key);
  const found: { value: T; path: NodePath }[] = [];
  const written: { name: string; path: NodePath }[] = [];
  let next = 0;
  items.forEach((item, index) => {
    const path: NodePath = [key, index];
    const candidate = parsed?.[next];
    const name = nameIn(item);
    const nothingMissing = parsed !== undefined && items.length - index === parsed.length - next;
    if (candidate && (candidate.name === name || nothingMissing)) {
      found.push({ value: candidate, path });
      written.push({ name: candidate.name, path });
      next++;
    } else written.push({ name: name ?? "", path });
  });
  return { parsed: found, written };
}

/** Lists the nodes of a file. */
export function listNodes(workflow: LoadedWorkflow): Nodes {
  const { definition, raw } = workflow;
  const steps = section<Step>(raw, stepsKeyOf(raw), definition.agents);
  const parallels = section<ParallelGroup>(raw, "parallel", definition.parallel);
  const loops = section<ForEachGroup>(raw, "for_each", definition.for_each);

  const groupsOf = new Map<string, string[]>();
  for (const { value } of parallels.parsed)
    for (const member of value.agents) groupsOf.set(member, [...(groupsOf.get(member) ?? []), value.name]);

  const stepNode = (step: Step, path: NodePath, inlineIn?: string): StepNode => ({
    kind: "step",
    name: step.name,
    type: step.type,
    path,
    step,
    routes: routesOf(step),
    groups: inlineIn === undefined ? (groupsOf.get(step.name) ?? []) : [inlineIn],
    inline: inlineIn !== undefined,
  });

  const all: FlowNode[] = steps.parsed.map(({ value, path }) => stepNode(value, path));
  for (const { value, path } of parallels.parsed)
    all.push({
      kind: "group",
      type: "parallel",
      name: value.name,
      path,
      group: value,
      routes: value.routes ?? [],
      members: value.agents,
    });
  for (const { value, path } of loops.parsed) {
    all.push({
      kind: "group",
      type: "for_each",
      name: value.name,
      path,
      group: value,
      routes: value.routes ?? [],
      members: [value.agent.name],
    });
    all.push(stepNode(value.agent, [...path, "agent"], value.name));
  }

  const written: WrittenName[] = [
    ...steps.written.map((entry) => ({ ...entry, what: "step" as const })),
    ...parallels.written.map((entry) => ({ ...entry, what: "parallel group" as const })),
    ...loops.written.map((entry) => ({ ...entry, what: "for_each group" as const })),
    ...listAt(raw, "for_each").flatMap((item, index) => {
      const name = nameIn(isMapping(item) ? item.agent : undefined);
      return name === undefined
        ? []
        : [{ name, path: ["for_each", index, "agent"] as NodePath, what: "inline step" as const }];
    }),
  ].filter((entry) => entry.name !== "");

  // The first of two steps with one name stands for it, as in Conductor; the second is an error of its own.
  const byName = new Map<string, FlowNode>();
  for (const node of all) if (!byName.has(node.name)) byName.set(node.name, node);

  return {
    all,
    targets: written.filter((entry) => entry.what !== "inline step").map((entry) => entry.name),
    written,
    names: new Set(written.map((entry) => entry.name)),
    complete:
      steps.parsed.length === steps.written.length &&
      parallels.parsed.length === parallels.written.length &&
      loops.parsed.length === loops.written.length,
    get: (name) => byName.get(name),
  };
}

const routesOf = (step: Step): readonly Route[] => ("routes" in step ? step.routes : undefined) ?? [];

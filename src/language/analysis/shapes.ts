// What rules know of a step's or group's output before it runs, and where a path leaves it.
import { object, onlyFields, type Shape, UNKNOWN } from "../../steps/step-type.ts";
import { STEP_TYPES, stepTypeOf } from "../../steps/types.ts";
import type { LoadedWorkflow, NodePath } from "../loaded.ts";
import { isOfEveryStep } from "../quick/by-shape.ts";
import type { Step } from "../schema/index.ts";
import { CODING_PROVIDERS } from "../schema/names.ts";
import type { FlowNode, Nodes } from "./nodes.ts";

const GROUP = ["type", "outputs", "errors", "count", "failed", "succeeded"];

/** The fields that a workflow's result can have, or unknown when it did not load or says nothing. */
export function resultShape(workflow: LoadedWorkflow | undefined): Shape {
  if (!workflow) return UNKNOWN;
  const { definition } = workflow;
  const names = new Set(Object.keys(definition.output ?? {}));
  const routes = [...(definition.workflow.error_routes ?? [])];
  for (const step of definition.agents ?? []) {
    if (step.type === "terminate") for (const name of Object.keys(step.output_template ?? {})) names.add(name);
    else routes.push(...(step.routes ?? []));
  }
  for (const group of [...(definition.parallel ?? []), ...(definition.for_each ?? [])])
    routes.push(...(group.routes ?? []));
  for (const route of routes) for (const name of Object.keys(route.output ?? {})) names.add(name);
  return names.size === 0 ? UNKNOWN : onlyFields(...names);
}

const worksInFolder = (step: Step, { definition }: LoadedWorkflow): boolean =>
  step.type === "agent" &&
  CODING_PROVIDERS.includes((step.provider ?? definition.workflow.runtime?.provider)?.name ?? "");

/** Whether a node has `changes`: an agent that works in a folder, or a group with such a member. */
export function hasChanges(node: FlowNode, nodes: Nodes, workflow: LoadedWorkflow): boolean {
  if (node.kind === "step") return worksInFolder(node.step, workflow);
  if (node.type === "for_each") return worksInFolder(node.group.agent, workflow);
  return node.members.some((name) => {
    const member = nodes.get(name);
    return member?.kind === "step" && worksInFolder(member.step, workflow);
  });
}

const stepShape = (step: Step, { children }: LoadedWorkflow): Shape =>
  stepTypeOf(step).shape?.(step, (file) => resultShape(children.get(file))) ?? UNKNOWN;

/** The shape of `<step>.output`, or, for a group, of what `<group>.` leads to. */
export function outputShape(node: FlowNode, nodes: Nodes, workflow: LoadedWorkflow): Shape {
  if (node.kind === "step") return stepShape(node.step, workflow);
  const parts = hasChanges(node, nodes, workflow) ? [...GROUP, "changes", "denied"] : GROUP;
  const fields = new Map<string, Shape>(parts.map((name) => [name, UNKNOWN]));
  const shapeOf = (name: string): Shape => {
    const member = nodes.get(name);
    return member?.kind === "step" ? stepShape(member.step, workflow) : UNKNOWN;
  };
  if (node.type === "parallel")
    fields.set(
      "outputs",
      object(
        node.members.map((name) => [name, shapeOf(name)]),
        true,
      ),
    );
  else if (node.group.key_by === undefined)
    fields.set("outputs", { kind: "list", item: stepShape(node.group.agent, workflow) });
  return { kind: "object", fields, exact: true };
}

export interface Miss {
  /** How much of the path exists: `missing` is the next part. */
  readonly depth: number;
  readonly missing: string;
  readonly known: readonly string[];
  readonly exact: boolean;
}

/** Methods and attributes of mappings that a template may call where a field would stand. */
const METHODS: ReadonlySet<string> = new Set(["items", "keys", "values", "get", "copy", "update", "pop", "setdefault"]);

/** Follows a path into a shape and says where it leaves what is known to exist. */
export function missIn(shape: Shape, path: readonly (string | number)[]): Miss | undefined {
  let here = shape;
  for (const [depth, part] of path.entries()) {
    if (here.kind === "list") {
      if (typeof part !== "number") return undefined;
      here = here.item;
    } else if (here.kind === "object") {
      if (typeof part !== "string" || (METHODS.has(part) && !here.fields.has(part))) return undefined;
      const next = here.fields.get(part);
      if (!next) return { depth, missing: part, known: [...here.fields.keys()], exact: here.exact };
      here = next;
    } else return undefined;
  }
  return undefined;
}

// Which texts of a step are templates.

/** A text with its place. */
export type Text = { readonly path: NodePath; readonly source: string };

/** All texts at and below a value. */
export function textsBelow(value: unknown, path: NodePath, found: Text[] = []): readonly Text[] {
  if (typeof value === "string") found.push({ path, source: value });
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) textsBelow(item, [...path, index], found);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) textsBelow(item, [...path, key], found);
  return found;
}

function textsAt(value: unknown, [key, ...rest]: readonly string[], path: NodePath): readonly Text[] {
  if (key === undefined) return textsBelow(value, path);
  if (key === "*" && Array.isArray(value)) return value.flatMap((item, index) => textsAt(item, rest, [...path, index]));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return [];
  return textsAt((value as Readonly<Record<string, unknown>>)[key], rest, [...path, key]);
}

export interface TemplatedText extends Text {
  /** Whether it sees every step, whatever `context.mode` says. */
  readonly seesAll: boolean;
  /** Whether the step fails when it cannot be rendered. */
  readonly mayFail: boolean;
}

/** The texts of a step that are templates, or would be if they had braces. */
export function templatedTexts(step: Step, path: NodePath): readonly TemplatedText[] {
  if (!Object.hasOwn(STEP_TYPES, step.type)) return ownTexts(step, path);
  const type = stepTypeOf(step);
  const { templates = [], seesAll = [] } = type;
  const forgiven = type.forgives?.(step) ?? [];
  return templates.flatMap((field) =>
    textsAt(step, field.split("."), path).map((text) => ({
      ...text,
      seesAll: seesAll.includes(field),
      mayFail: !forgiven.includes(field),
    })),
  );
}

/** Of a type that is not the language's: all fields that not every step has are rendered. */
function ownTexts(step: Step, path: NodePath): readonly TemplatedText[] {
  return Object.entries(step)
    .filter(([field]) => !isOfEveryStep(field))
    .flatMap(([field, value]) => textsBelow(value, [...path, field]))
    .map((text) => ({ ...text, seesAll: false, mayFail: true }));
}

export const looksLikeTemplate = (source: string): boolean => source.includes("{{") || source.includes("{%");

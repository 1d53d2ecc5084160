// Reads a file in which everything is right, without schemas: they take longer to build than such a file takes to read.
// Gives nothing as soon as anything is unusual, and then the file is read again, by schemas and with findings.

import { isMapping, type Mapping } from "../../base/errors/mapping.ts";
import { STEP_TYPE_NAMES, type StepTypes } from "../../steps/types.ts";
import type { NodePath } from "../loaded.ts";
import type { FileRead } from "../read-file.ts";
import type { ForEachGroup, ParallelGroup, Semantics, Step, WorkflowFile, WorkflowSection } from "../schema/index.ts";
import { stepsKeyOf, TOP_KEYS } from "../schema/names.ts";
import { sectionDefaults, withTimeout } from "../schema/section-defaults.ts";
import { MISFIT, readPart } from "./by-shape.ts";

class Unusual extends Error {}

export function quickFile(value: Mapping, semantics: Semantics, ownTypes: StepTypes = {}): FileRead | undefined {
  try {
    return read(value, semantics, ownTypes);
  } catch (problem) {
    if (problem instanceof Unusual) return undefined;
    throw problem;
  }
}

/** A part as its schema would read it. */
function part(name: string, value: unknown): unknown {
  const read = readPart(name, value);
  if (read === MISFIT) throw new Unusual();
  return read;
}

function read(value: Mapping, semantics: Semantics, ownTypes: StepTypes): FileRead {
  const keys: readonly string[] = TOP_KEYS;
  if (!Object.keys(value).every((key) => keys.includes(key))) throw new Unusual();
  if (value.agents !== undefined && value.steps !== undefined) throw new Unusual();
  const paths = new Map<string, NodePath>();
  const remember = (name: string, path: NodePath): void => {
    if (!paths.has(name)) paths.set(name, path);
  };
  const stepsKey = stepsKeyOf(value);
  const agents = list(value[stepsKey]).map((item, index) => {
    const step = readStep(item, ownTypes);
    remember(step.name, [stepsKey, index]);
    return step;
  });
  const parallel = list(value.parallel).map((item, index) => {
    const group = part("parallel", item) as ParallelGroup;
    remember(group.name, ["parallel", index]);
    return group;
  });
  const for_each = list(value.for_each).map((item, index) => {
    const group = readForEach(item, ownTypes);
    remember(group.name, ["for_each", index]);
    remember(group.agent.name, ["for_each", index, "agent"]);
    return group;
  });
  if (agents.length + parallel.length + for_each.length === 0) throw new Unusual();
  return {
    definition: {
      workflow: readSection(value.workflow),
      tools: value.tools === undefined ? [] : (part("tools", value.tools) as WorkflowFile["tools"]),
      agents,
      parallel,
      for_each,
      output: value.output === undefined ? {} : (part("output", value.output) as WorkflowFile["output"]),
      semantics,
    },
    paths,
  };
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Unusual();
  return value;
}

const TYPES: readonly unknown[] = STEP_TYPE_NAMES;

function readStep(item: unknown, ownTypes: StepTypes): Step {
  if (!isMapping(item)) throw new Unusual();
  const { type = "agent" } = item;
  if (!TYPES.includes(type)) return readOwnStep(item, ownTypes);
  const step = part(`step ${type}`, item.type === undefined ? { ...item, type } : item) as Step;
  return step.type === "agent" ? withTimeout(step) : step;
}

function readOwnStep(item: Mapping, ownTypes: StepTypes): Step {
  const step = Object.hasOwn(ownTypes, String(item.type)) ? ownTypes[String(item.type)]?.quick?.(item) : undefined;
  if (step === undefined) throw new Unusual();
  return step;
}

function readForEach(item: unknown, ownTypes: StepTypes): ForEachGroup {
  if (!isMapping(item)) throw new Unusual();
  const { agent, ...frame } = item;
  return { ...(part("for_each", frame) as Omit<ForEachGroup, "agent">), agent: readStep(agent, ownTypes) };
}

function readSection(value: unknown): WorkflowSection {
  if (!isMapping(value)) throw new Unusual();
  const own: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (!Object.hasOwn(sectionDefaults, key)) own[key] = value[key];
  const section = part("workflow", own) as Record<string, unknown>;
  for (const [key, blank] of Object.entries(sectionDefaults)) {
    const said = value[key];
    const read = said === undefined || said === null ? blank : part(`workflow.${key}`, said);
    if (read !== undefined) section[key] = read;
  }
  const { input } = section as unknown as WorkflowSection;
  // `default: ${RETRIES:-3}` of a number is a number, which needs a look at where the text came from.
  const isTyped = ({ type, default: said }: { readonly type: string; readonly default?: unknown }): boolean =>
    type === "string" || typeof said !== "string";
  if (!Object.values(input ?? {}).every(isTyped)) throw new Unusual();
  return section as unknown as WorkflowSection;
}

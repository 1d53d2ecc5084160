// A whole file: each section is read by itself, so that one that is broken does not hide what the others say.
import type * as z from "zod";
import { isMapping, type Mapping } from "../base/errors/mapping.ts";
import type { StepTypes } from "../steps/types.ts";
import { check } from "./check.ts";
import { mendAs } from "./explain-finding.ts";
import { found, type NodePath } from "./loaded.ts";
import type { Page, Subject } from "./page.ts";
import { readStep } from "./read-step.ts";
import {
  type ForEachGroup,
  fileOutput,
  forEachFrame,
  isStepsKey,
  type ParallelGroup,
  parallelGroup,
  STEP_TYPES,
  type Step,
  stepsKeyOf,
  TOP_KEYS,
  tools,
  type WorkflowFile,
  type WorkflowSection,
  workflowFile,
} from "./schema/index.ts";
import { sectionDefaults } from "./schema/section-defaults.ts";
import { sectionFrame, sections, workflowSection } from "./schema/workflow-section.ts";
import { reportUnknownKey } from "./unknown-key.ts";

export interface FileRead {
  readonly definition: WorkflowFile;
  readonly paths: ReadonlyMap<string, NodePath>;
}

const TOP: Subject = { name: "", kind: "a workflow file", path: [] };

export function readFile(value: Mapping, page: Page, types: StepTypes = STEP_TYPES): FileRead {
  const stepsKey = stepsKeyOf(value);
  const hasSteps = value[stepsKey] !== undefined;
  const known: readonly string[] = TOP_KEYS;
  // A file that uses one of the two names of its list is not told of the other.
  const top = { ...TOP, known: () => known.filter((key) => !hasSteps || !isStepsKey(key) || key === stepsKey) };
  for (const key of Object.keys(value))
    if (!known.includes(key) && !page.isFull) reportUnknownKey(workflowFile(), [], key, page, top);

  const paths = new Map<string, NodePath>();
  const remember = (name: string, path: NodePath): void => {
    if (!paths.has(name)) paths.set(name, path);
  };
  checkLists(value, page);
  const agents = items(value, stepsKey, page).flatMap(({ item, path }): Step[] => {
    const step = readStep(item, path, page, types);
    if (step) remember(step.name, path);
    return step ? [step] : [];
  });
  const parallel = items(value, "parallel", page).flatMap(({ item, path }): ParallelGroup[] => {
    const group = check(parallelGroup(), item, page, groupSubject(item, path, "parallel"));
    if (group) remember(group.name, path);
    return group && group.name !== "" ? [group] : [];
  });
  const for_each = items(value, "for_each", page).flatMap(({ item, path }): ForEachGroup[] => {
    const group = readForEach(item, path, page, types);
    if (!group) return [];
    remember(group.name, path);
    remember(group.agent.name, [...path, "agent"]);
    return [group];
  });
  return {
    definition: {
      workflow: readSection(value.workflow, page),
      tools: field("tools", value, page) ?? [],
      agents,
      parallel,
      for_each,
      output: field("output", value, page) ?? {},
      semantics: page.semantics,
    },
    paths,
  };
}

function checkLists(value: Mapping, page: Page): void {
  const has = (key: string): boolean => value[key] !== undefined;
  if (has("agents") && has("steps")) {
    const lineOf = (key: string): number => page.positions.key([key]).line;
    page.report(
      "two-dialects",
      ["agents"],
      `This file has \`agents:\` (line ${lineOf("agents")}) and \`steps:\` (line ${lineOf("steps")}). A file with \`agents:\` follows Conductor's rules, one with \`steps:\` Segno's, so it can have only one of them. Put all steps under one.`,
      { at: "key" },
    );
    // Which steps the file has is not known, so nothing that is said of them would be news.
    page.standIns.push([]);
  }
  if (!has("agents") && !has("steps") && !has("parallel") && !has("for_each"))
    page.report(
      "missing-key",
      [],
      "The file has no steps. Add `steps:` with a list of them. For example: `steps: [{name: hello, type: set, value: hi}]`.",
    );
}

function readForEach(item: unknown, path: NodePath, page: Page, types: StepTypes): ForEachGroup | undefined {
  const subject = groupSubject(item, path, "for_each");
  if (!isMapping(item)) return void check(forEachFrame(), item, page, subject);
  const { agent, ...frame } = item;
  const group = check(forEachFrame(), frame, page, subject);
  if (agent === undefined) {
    page.report(
      "missing-key",
      path,
      `\`agent\` of ${subject.name} is missing: the step that runs for each item. For example: \`agent: {name: work, type: script, command: make}\`.`,
      { node: subject.node },
    );
    return undefined;
  }
  const step = readStep(agent, [...path, "agent"], page, types);
  return group && step && group.name !== "" ? { ...group, agent: step } : undefined;
}

function groupSubject(item: unknown, path: NodePath, kind: string): Subject {
  const node = isMapping(item) && typeof item.name === "string" ? item.name : undefined;
  return { node, name: node === undefined ? "the group" : `group \`${node}\``, kind: `a ${kind} group`, path };
}

function items(
  value: Mapping,
  key: string,
  page: Page,
): readonly { readonly item: unknown; readonly path: NodePath }[] {
  const list = value[key];
  if (list === undefined || list === null) return [];
  if (Array.isArray(list)) return list.map((item: unknown, index) => ({ item, path: [key, index] }));
  if (!page.isIncomplete([key]))
    page.report(
      "wrong-type",
      [key],
      `\`${key}\` must be a list, but it is ${found(list)}. Each entry begins with \`- name: …\`.`,
    );
  page.standIns.push([key]);
  return [];
}

function field<K extends "tools" | "output">(key: K, value: Mapping, page: Page): WorkflowFile[K] | undefined {
  if (value[key] === undefined) return undefined;
  const schema: z.ZodType = key === "tools" ? tools : fileOutput;
  return check(schema, value[key], page, { ...TOP, path: [key] }) as WorkflowFile[K] | undefined;
}

const EXAMPLE = "For example: `workflow: {name: release, entry_point: build}`.";

const WORKFLOW: Subject = {
  name: "",
  kind: "`workflow`",
  path: ["workflow"],
  known: () => Object.keys(workflowSection().shape),
};

/** `workflow:` — its own fields, and each of its sections when the file has it. */
function readSection(value: unknown, page: Page): WorkflowSection {
  if (value === undefined || !isMapping(value)) {
    if (value === undefined)
      page.report(
        "missing-key",
        [],
        `\`workflow\` is missing: the name, the entry point and what else holds for the whole file. ${EXAMPLE}`,
      );
    else if (!page.isIncomplete(["workflow"]))
      page.report("wrong-type", ["workflow"], `\`workflow\` must be a mapping, but it is ${found(value)}. ${EXAMPLE}`);
    page.standIns.push(["workflow"]);
  }
  const said = isMapping(value) ? value : { name: "x", entry_point: "x" };
  const isSection = (key: string): key is keyof typeof sections => Object.hasOwn(sections, key);
  const own = Object.fromEntries(Object.entries(said).filter(([key]) => !isSection(key)));
  const frame = check(sectionFrame(), own, page, WORKFLOW);
  const parts = Object.keys(sections)
    .filter(isSection)
    .map((key) => [key, readPart(key, said[key], page)] as const)
    .filter(([, part]) => part !== undefined);
  const blank = { ...sectionFrame().parse({ name: "x", entry_point: "x" }), name: "", entry_point: "" };
  if (!frame) page.standIns.push(["workflow"]);
  const fields = frame && isMapping(value) ? frame : blank;
  // Each part is what its schema says, which the type of the whole cannot follow through a loop.
  return withTypedDefaults({ ...fields, ...Object.fromEntries(parts) } as unknown as WorkflowSection, page);
}

function readPart(key: keyof typeof sections, value: unknown, page: Page): unknown {
  if (value === undefined || value === null) return sectionDefaults[key];
  const schema: z.ZodType = sections[key]();
  return (
    check(schema, value, page, { name: "", kind: `\`workflow.${key}\``, path: ["workflow", key] }) ??
    sectionDefaults[key]
  );
}

/** `default: ${RETRIES:-3}` of a number is a number. */
function withTypedDefaults(section: WorkflowSection, page: Page): WorkflowSection {
  if (!section.input) return section;
  const input = Object.fromEntries(
    Object.entries(section.input).map(([name, declared]) => {
      const typed = mendAs(declared.type, declared.default, ["workflow", "input", name, "default"], page);
      return [name, typed ? { ...declared, default: typed.value } : declared];
    }),
  );
  return { ...section, input };
}

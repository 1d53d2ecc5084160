// A scenario draft: good answers for everything that would leave the process, with made-up outputs that everything that
// reads them renders.

import { keptIn, unlessItThrows } from "../../../base/errors/mapping.ts";
import { familyOf, type LoadedWorkflow, stepsOf } from "../../../language/loaded.ts";
import type { OutputField, Route, Step } from "../../../language/schema/index.ts";
import { isAccepted } from "../../../steps/http/accepted-status.ts";
import { answeredBy } from "../../../steps/types.ts";
import { references } from "../../../template/index.ts";

export interface Draft {
  inputs: Record<string, unknown>;
  agent_scripts: Record<string, { content: unknown }[]>;
  cli_scripts: Record<string, unknown>[];
  http_scripts: Record<string, unknown>[];
  mcp_scripts: Record<string, unknown>[];
  step_scripts: Record<string, unknown>[];
  gates: Record<string, string>;
  questions: Record<string, Record<string, string>>;
  inject: {
    step: string;
    times?: number;
    error: { kind: string; message: string; details?: Record<string, unknown> };
  }[];
}

/** The way cannot be taken: the sentence says what is in the way. */
export class Blocked extends Error {}

/** Good answers for every step of the file and of its sub-workflows. */
export function draftFor(workflow: LoadedWorkflow): Draft {
  const draft: Draft = {
    inputs: inputsFor(workflow),
    agent_scripts: {},
    cli_scripts: [],
    http_scripts: [],
    mcp_scripts: [],
    step_scripts: [],
    gates: {},
    questions: {},
    inject: [],
  };
  for (const file of familyOf(workflow)) {
    const { definition } = file;
    const [fields, lists] = [fieldsRead(file), listsRead(file)];
    for (const step of stepsOf(definition))
      answerFromStep(draft, step, outputFor(step, fields.get(step.name), lists.get(step.name) ?? []));
  }
  return draft;
}

function inputsFor({ definition }: LoadedWorkflow): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  const lists = new Map(
    definition.for_each.map((group) => [group.source, itemFor(group.as, group.key_by, group.agent)]),
  );
  for (const [name, field] of Object.entries(definition.workflow.input ?? {})) {
    const item = lists.get(`workflow.input.${name}`);
    const isEmpty = field.default === undefined || (Array.isArray(field.default) && field.default.length === 0);
    if (item !== undefined && isEmpty) inputs[name] = [item];
    else if (field.default === undefined && field.required) inputs[name] = SAMPLES[field.type];
  }
  return inputs;
}

const SAMPLES = { string: "x", number: 1, boolean: true, array: ["x"], object: {} } as const;

/** Scripts the outcome of a step that would leave the process; replaces what was there. */
export function answerFromStep(draft: Draft, step: Step, output: Record<string, unknown>): void {
  const without = (list: Record<string, unknown>[]): Record<string, unknown>[] =>
    list.filter((one) => one.step !== step.name);
  switch (step.type) {
    case "agent":
      draft.agent_scripts[step.name] = [
        { content: step.output ? output : (output.result ?? (Object.keys(output).length > 0 ? output : "x")) },
      ];
      break;
    case "script": {
      const { exit_code, ...fields } = output;
      draft.cli_scripts = [
        ...without(draft.cli_scripts),
        {
          step: step.name,
          stdout: Object.keys(fields).length > 0 ? fields : "",
          ...(typeof exit_code === "number" && exit_code !== 0 ? { exit_code } : {}),
        },
      ];
      break;
    }
    case "http": {
      const { status = acceptedStatus(step), body, ...rest } = output;
      draft.http_scripts = [
        ...without(draft.http_scripts),
        { step: step.name, status, body: body ?? (Object.keys(rest).length > 0 ? rest : {}) },
      ];
      break;
    }
    case "mcp":
      draft.mcp_scripts = [...without(draft.mcp_scripts), { step: step.name, content: output }];
      break;
    case "human_gate":
      draft.gates[step.name] = step.options[0]?.value ?? "";
      break;
    case "questions":
      draft.questions[step.name] = Object.fromEntries(
        (step.questions ?? []).map((one, index) => [one.id ?? `q${index + 1}`, one.choices?.[0] ?? "x"]),
      );
      break;
    default:
      if (answeredBy(step.type) === "step_scripts")
        draft.step_scripts = [...without(draft.step_scripts), { step: (step as Step).name, output }];
  }
}

/** 200, or the first that the step takes for a success. */
function acceptedStatus({ accept_status }: Step & { type: "http" }): number {
  const all = [200, ...Array.from({ length: 500 }, (_, index) => 100 + index)];
  return all.find((status) => isAccepted(status, accept_status)) ?? 200;
}

export const routesAt = ({ definition }: LoadedWorkflow, node: string): readonly Route[] => {
  const all = [...definition.parallel, ...definition.for_each, ...stepsOf(definition)];
  const found = all.find((one) => one.name === node);
  return found && "routes" in found ? found.routes : [];
};

/** Makes a node raise. A group raises what its members do: under continue_on_error all of them, otherwise the first. */
export function scriptRaise(draft: Draft, workflow: LoadedWorkflow, node: string, kind: string, times?: number): void {
  const { definition } = workflow;
  const details = detailsRead(workflow);
  const parallel = definition.parallel.find((group) => group.name === node);
  const each = definition.for_each.find((group) => group.name === node);
  const members = parallel
    ? parallel.failure_mode === "continue_on_error"
      ? parallel.agents
      : parallel.agents.slice(0, 1)
    : each
      ? [each.agent.name]
      : [node];
  for (const step of members)
    draft.inject.push({
      step,
      ...(times === undefined || each ? {} : { times }),
      error: {
        kind,
        message: `${kind}, made up for this test`,
        ...(Object.keys(details).length > 0 ? { details: { ...details } } : {}),
      },
    });
}

/** A tree of fields that a template reads; a leaf has no entries. */
export interface Fields {
  readonly [name: string]: Fields;
}

/** For every step, the fields of its output that templates of this file read. */
export function fieldsRead(workflow: LoadedWorkflow): ReadonlyMap<string, Fields> {
  const read = new Map<string, Record<string, Fields>>();
  for (const path of pathsRead(workflow.definition)) {
    const [node, second, ...rest] = path.map(String);
    if (!node || second !== "output") continue;
    let at = keptIn(read, node, (): Record<string, Fields> => ({}));
    for (const part of rest) {
      at[part] ??= {};
      at = at[part] as Record<string, Fields>;
    }
  }
  return read;
}

/** What the templates in a value read. A text that cannot be read is none after all. */
const pathsRead = (value: unknown) =>
  [...texts(value)].flatMap((text) => unlessItThrows(() => references(text).map(({ path }) => path), []));

function* texts(value: unknown): Iterable<string> {
  if (typeof value === "string") {
    if (value.includes("{{") || value.includes("{%")) yield value;
  } else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* texts(inner);
}

/** The details of errors that templates of this file read: what an injected error must have. */
function detailsRead(workflow: LoadedWorkflow): Readonly<Record<string, unknown>> {
  const details: Record<string, unknown> = {};
  for (const path of pathsRead(workflow.definition)) {
    const at = path.indexOf("details");
    const isError = at > 0 && path[at - 1] === "error";
    if (isError && path[at + 1] !== undefined && path[at + 1] !== "group") details[String(path[at + 1])] ??= "x";
  }
  return details;
}

/** The lists that for_each groups go through, by the step they come from: `step` → path below its output. */
export function listsRead(
  workflow: LoadedWorkflow,
): ReadonlyMap<string, readonly { readonly path: readonly string[]; readonly item: unknown }[]> {
  const lists = new Map<string, { path: readonly string[]; item: unknown }[]>();
  for (const group of workflow.definition.for_each) {
    const [node = "", second, ...path] = group.source.split(".");
    if (second !== "output") continue;
    lists.set(node, [...(lists.get(node) ?? []), { path, item: itemFor(group.as, group.key_by, group.agent) }]);
  }
  return lists;
}

/** An item with the fields that its step reads. */
function itemFor(as: string, keyBy: string | undefined, step: Step): unknown {
  const fields: Record<string, unknown> = {};
  for (const path of pathsRead(step)) if (path[0] === as && path.length > 1) fields[String(path[1])] = "x";
  if (keyBy) fields[keyBy.split(".").at(-1) ?? keyBy] = "x";
  return Object.keys(fields).length > 0 ? fields : "x";
}

export const madeUp = (fields: Fields | undefined): unknown =>
  fields && Object.keys(fields).length > 0
    ? Object.fromEntries(Object.entries(fields).map(([name, inner]) => [name, madeUp(inner)]))
    : "x";

/** A value that a declared field accepts. */
export function valueFor(field: OutputField): unknown {
  if (field.enum && field.enum.length > 0) return field.enum[0];
  switch (field.type) {
    case "string":
      return "x".repeat(Math.max(1, field.minLength ?? 1));
    case "number":
      return field.minimum ?? Math.min(1, field.maximum ?? 1);
    case "boolean":
      return true;
    case "array":
      return field.items ? [valueFor(field.items)] : ["x"];
    case "object":
      return Object.fromEntries(Object.entries(field.properties ?? {}).map(([name, inner]) => [name, valueFor(inner)]));
  }
}

/** A good output of a step: its schema, what is read of it, the lists that come from it. */
export function outputFor(
  step: Step,
  fields: Fields | undefined,
  lists: readonly { readonly path: readonly string[]; readonly item: unknown }[],
): Record<string, unknown> {
  const output: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(fields ?? {}))
    if (!FIXED.has(name) || answeredBy(step.type) === "step_scripts") output[name] = madeUp(inner);
  const declared = "output" in step ? step.output : undefined;
  for (const [name, field] of Object.entries(declared ?? {})) output[name] = valueFor(field);
  for (const { path, item } of lists) place(output, path, [item]);
  return output;
}

const FIXED: ReadonlySet<string> = new Set(["stdout", "stderr", "exit_code", "status", "headers", "response_time"]);

export function place(output: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first, ...rest] = path;
  if (first === undefined) return;
  if (rest.length === 0) output[first] = value;
  else {
    const inner = output[first];
    const next = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? { ...inner } : {};
    output[first] = next;
    place(next as Record<string, unknown>, rest, value);
  }
}

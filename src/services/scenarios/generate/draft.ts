// A scenario draft: good answers for everything that would leave the process, then changed where the way needs it.

import { resolveInputs } from "../../../engine/children/inputs.ts";
import { WorkflowContext } from "../../../engine/context/context.ts";
import { familyOf, type LoadedWorkflow, stepsOf } from "../../../language/loaded.ts";
import type { Route, Step } from "../../../language/schema/index.ts";
import { isAccepted } from "../../../steps/http/says-no.ts";
import { answeredBy } from "../../../steps/types.ts";
import { renderMapping, renderValue } from "../../../steps/values.ts";
import { kindsFor, type Leg, outputTaking } from "./choose.ts";
import { detailsRead, fieldsRead, itemFor, listsRead, outputFor } from "./shapes.ts";

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
      answer(draft, step, outputFor(step, fields.get(step.name), lists.get(step.name) ?? []));
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
function answer(draft: Draft, step: Step, output: Record<string, unknown>): void {
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

/** Changes the draft so that the run takes this way. Throws `Blocked`. */
export function follow(draft: Draft, workflow: LoadedWorkflow, way: readonly Leg[]): void {
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
      if (step.type !== "set") answer(draft, step, step.type === "script" ? rest : chosen);
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

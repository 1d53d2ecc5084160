// Workflows that a server for coding agents offers as tools of their own: those that say `mcp: { tool: true }`, or
// `expose: true`, as Conductor calls it.

import { resolve } from "node:path";
import { knownOutput } from "../../features/typescript/workflow-types.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { Refused } from "../refusals.ts";
import { environmentRedactor } from "../session/exit.ts";
import { readRegularFile } from "../session/path-inside.ts";
import type { Session } from "../session/session.ts";
import { shownErrorFlow } from "./describe.ts";
import { validWorkflow } from "./valid-workflow.ts";
import { listWorkflows } from "./workflows.ts";

type Schema = Readonly<Record<string, unknown>>;

export interface WorkflowAsTool {
  /** Absolute. */
  readonly file: string;
  readonly name: string;
  readonly description: string | null;
  /** By name; null: it takes any. */
  readonly inputs: Readonly<Record<string, Schema>> | null;
  readonly required: readonly string[];
  /** By name; null: nothing is known of its output. */
  readonly output: Readonly<Record<string, Schema>> | null;
  /** That can leave the file. */
  readonly kinds: readonly string[];
  readonly hints: { readonly read_only: boolean | undefined; readonly destructive: boolean | undefined };
  /** A call of it waits as long as the server allows. */
  readonly isWaitedFor: boolean;
}

/** In the order of their files. One that is not valid is left out: it cannot be run. */
export function workflowsAsTools(session: Session, request: { readonly roots: readonly string[] }): WorkflowAsTool[] {
  return listWorkflows(session, request).workflows.flatMap(({ file, root }) => {
    const path = resolve(root, file);
    // Most say nothing of it, and need not be read as workflows.
    if (!/\bmcp\b/.test(readRegularFile(path).toString("utf8"))) return [];
    const workflow = validOne(path, { ...session, cwd: root });
    const said = workflow?.definition.workflow.mcp;
    if (!workflow || !said || said.expose === false || !(said.tool || said.expose)) return [];
    const { name, description } = workflow.definition.workflow;
    const shown = { name, description: description ?? null, ...inputsOf(workflow), output: outputOf(workflow) };
    const kinds = [...new Set(shownErrorFlow(workflow, root).unhandled.map(({ kind }) => kind))].sort();
    const { read_only, destructive, mode } = said;
    const about = { hints: { read_only, destructive }, isWaitedFor: mode === "sync" };
    const answer = { kinds, ...about, ...shown };
    return [{ file: path, ...environmentRedactor(session.env).answer(answer, { keys: "author" }) }];
  });
}

function validOne(file: string, session: Session): LoadedWorkflow | undefined {
  try {
    return validWorkflow(file, session, { asChild: true });
  } catch (problem) {
    if (problem instanceof Refused) return undefined;
    throw problem;
  }
}

function inputsOf({ definition }: LoadedWorkflow): Pick<WorkflowAsTool, "inputs" | "required"> {
  const { input } = definition.workflow;
  if (!input) return { inputs: null, required: [] };
  const fields = Object.entries(input);
  return {
    inputs: Object.fromEntries(
      fields.map(([name, { type, description, default: standard, secret }]) => [
        name,
        {
          type,
          ...(description === undefined ? {} : { description }),
          // A default of a secret input is as secret as its value.
          ...(standard === undefined || secret ? {} : { default: standard }),
        },
      ]),
    ),
    required: fields.flatMap(([name, field]) => (field.required && field.default === undefined ? [name] : [])),
  };
}

/** Of types in TypeScript those that a schema has a word for; null is allowed everywhere, since a run may end early. */
const TYPES: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  "readonly unknown[]": "array",
  "Record<string, unknown>": "object",
};

function outputOf(workflow: LoadedWorkflow): WorkflowAsTool["output"] {
  const fields = knownOutput(workflow)?.map(({ name, type }) => {
    const word = TYPES[type.replace(/ \| null$/, "")];
    return [name, word === undefined ? {} : { type: [word, "null"] }];
  });
  return fields ? Object.fromEntries(fields) : null;
}

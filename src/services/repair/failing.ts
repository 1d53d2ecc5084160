// What there is to repair: the error that ended a run, the step that raised it, and the file that has the step.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { RunEvent } from "../../events/registry.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";
import type { Redactor } from "../../redact/index.ts";
import type { Entry, Result } from "../../results/index.ts";
import { sessionOfRun } from "../access/people-of-run.ts";
import { readHistory } from "../drive/read-history.ts";
import { recordedFile } from "../drive/recorded.ts";
import { Refused, refusal } from "../refusals.ts";
import { readEvents, redactorFor } from "../runs/read-run.ts";
import { resultOfRun } from "../runs/report.ts";
import { joinSecrets } from "../secrets/secret-inputs.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { withReader } from "../session/store.ts";

export interface FailingStep {
  readonly runId: string;
  readonly result: Result;
  readonly error: Entry;
  /** The root workflow, as its file says now. */
  readonly root: LoadedWorkflow;
  /** The workflow that has the step: the root, or one that it calls. */
  readonly workflow: LoadedWorkflow;
  /** The step; null: the workflow's own `output`. */
  readonly node: string | null;
  readonly text: string;
  readonly fields: readonly string[];
  readonly redactor: Redactor;
  /** A scenario answered for its steps. */
  readonly isRehearsal: boolean;
}

/** Refused when no change of the workflow helps. */
export const findFailing = (run: string, session: Session): Promise<FailingStep> =>
  withReader(session, { run }, (reader) => look(reader, session));

async function look(reader: RunReader, given: Session): Promise<FailingStep> {
  const session = await sessionOfRun(given, reader.meta.file);
  const { cwd } = session;
  const before = await readHistory(reader);
  const { state } = before;
  const { workflow: root, gone } = await recordedFile(reader, session, { inputs: {} }, before);
  if (gone.size > 0)
    throw refusal(`${[...gone].map((file) => shownPath(file, cwd)).join(", ")} is gone, so it cannot be changed`, {
      runId: reader.runId,
    });
  const redactor = await redactorFor(reader, session);
  const result = resultOfRun(state, { cwd, folder: reader.folder, redactor, workflow: root });
  const reason = notRepairable(result);
  if (reason) throw new Refused({ ...refusal(reason, { runId: reader.runId }).result, checkpoint: result.checkpoint });
  const [error] = result.errors as readonly [Entry];
  const path = resolve(cwd, error.location?.file ?? root.file);
  const workflow = familyOf(root).find((one) => one.file === path) ?? root;
  const node = error.node_id === null ? null : (error.raised_at?.node ?? error.node_id);
  return {
    runId: reader.runId,
    result,
    error,
    root,
    workflow,
    node,
    text: readFileSync(workflow.file, "utf8"),
    fields: fieldsOf(await readEvents(reader.events()), joinSecrets(state, {})),
    redactor,
    isRehearsal: before.scenario !== undefined,
  };
}

function notRepairable({ status, run_id, errors, checkpoint }: Result): string | undefined {
  const [error] = errors;
  if (status !== "failed" || !error) return `the run ${run_id} is ${status}: there is nothing to repair`;
  if (!checkpoint?.resumable) return `the run ${run_id} cannot be resumed, so a repair would not help it`;
  if (error.category === "policy")
    return `the run ${run_id} was stopped by a limit or a policy (${error.message}); raising it is for a person to decide`;
  if (!error.fixable)
    return `no change of the workflow helps against ${error.kind ?? error.error_type} (${error.message})${error.retryable ? "; resuming may" : ""}`;
  return undefined;
}

/** Two errors are the same when a person would say so: same step, same kind, same words. */
export const isSameError = (a: FailingStep, b: FailingStep): boolean => identity(a) === identity(b);

const identity = ({ node, workflow, error }: FailingStep): string =>
  JSON.stringify([workflow.file, node, error.kind ?? error.error_type, error.message]);

// The fields that exist: what templates of a failed run could have read. Names and types only, never values.

const DEEPEST = 3;
const MOST_FIELDS = 200;

/** `fetch.output.title: string`, by step, from what the steps really gave. */
function fieldsOf(events: Iterable<RunEvent>, inputs: Readonly<Record<string, unknown>>): readonly string[] {
  const outputs = new Map<string, unknown>();
  for (const { type, path, data } of events)
    if (type === "agent_completed") outputs.set([...path, data.agent_name].join("/"), data.output);
  const found: string[] = [];
  for (const [name, value] of Object.entries(inputs)) found.push(...shape(`workflow.input.${name}`, value, 1));
  for (const [step, output] of outputs) found.push(...shape(`${step}.output`, output, 0));
  return found.length > MOST_FIELDS
    ? [...found.slice(0, MOST_FIELDS), `… and ${found.length - MOST_FIELDS} more`]
    : found;
}

function* shape(path: string, value: unknown, depth: number): Iterable<string> {
  yield `${path}: ${typeName(value)}`;
  if (depth >= DEEPEST || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 0) yield* shape(`${path}[0]`, value[0], depth + 1);
  } else for (const [name, inner] of Object.entries(value)) yield* shape(`${path}.${name}`, inner, depth + 1);
}

const typeName = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "list" : typeof value === "object" ? "mapping" : typeof value;

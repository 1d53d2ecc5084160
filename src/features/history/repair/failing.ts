// What there is to repair: the error that ended a run, the step that raised it, and its file: as a model may see it,
// and changed so that the old text can be had back.
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { RunEvent } from "../../../base/events/registry.ts";
import { isSecretKey, REDACTED, type Redactor } from "../../../base/redact/index.ts";
import type { Entry, Result } from "../../../base/results/index.ts";
import { familyOf, type LoadedWorkflow } from "../../../language/loaded.ts";
import { readHistory } from "../../../services/drive/read-history.ts";
import { recordedFile } from "../../../services/drive/recorded.ts";
import { sessionOfRun } from "../../../services/project/people-of-run.ts";
import { readEvents, redactorFor } from "../../../services/reading/read-run.ts";
import { resultOfRun } from "../../../services/reading/report.ts";
import { Refused, refusal } from "../../../services/refusals.ts";
import { shownPath } from "../../../services/session/files.ts";
import { joinSecrets } from "../../../services/session/run-secrets.ts";
import type { Session } from "../../../services/session/session.ts";
import { withReader } from "../../../services/session/store.ts";
import type { RunReader } from "../../../storage/run-reader.ts";

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

export interface ShownFile {
  readonly text: string;
  /** The text with its secrets back in their lines; a reason when a line that held one was changed. */
  restore(answer: string): { readonly text: string } | { readonly reason: string };
}

/** Nothing when a secret reaches over several lines: then lines cannot stand for one another. */
export function showFile(text: string, redactor: Redactor): ShownFile | undefined {
  const lines = text.split("\n");
  const shown = lines.map((line) => hideValue(redactor.text(line)));
  // A key block is only known as a whole.
  if (redactor.text(shown.join("\n")) !== shown.join("\n")) return undefined;
  const hidden = lines.flatMap((line, index) => {
    const visible = shown[index] ?? "";
    return visible === line ? [] : [{ line, visible: visible.trim() }];
  });
  return {
    text: shown.join("\n"),
    restore(answer) {
      const left = [...hidden];
      const restored: string[] = [];
      for (const line of answer.split("\n")) {
        if (!line.includes(REDACTED)) {
          restored.push(line);
          continue;
        }
        const index = left.findIndex(({ visible }) => visible === line.trim());
        const [found] = index === -1 ? [] : left.splice(index, 1);
        if (!found) return { reason: "it changes a line that holds a secret, which is not shown to the model" };
        restored.push(found.line);
      }
      return { text: restored.join("\n") };
    },
  };
}

/** `password: hunter2` is a secret by the name of its key. References and templates name one without holding it. */
function hideValue(line: string): string {
  const [, start = "", key = "", between = "", value = ""] =
    /^(\s*(?:- )?["']?)([\w-]+)(["']?\s*:\s+)(\S.*)$/.exec(line) ?? [];
  const isReference = /\$\{|\{\{|^[|>&*!{[]/.test(value);
  return key !== "" && isSecretKey(key) && !isReference ? `${start}${key}${between}${REDACTED}` : line;
}

/** The files of one repair: a backup beside each first, then the new text in one move. */
export class WrittenFiles {
  readonly #backups = new Map<string, string>();

  get backups(): readonly string[] {
    return [...this.#backups.values()];
  }

  /** False when the file was changed meanwhile: that change is kept. */
  write(file: string, before: string, after: string): boolean {
    if (readFileSync(file, "utf8") !== before) return false;
    if (!this.#backups.has(file)) {
      const backup = freeName(file);
      replace(backup, before, statSync(file).mode);
      this.#backups.set(file, backup);
    }
    replace(file, after, statSync(file).mode);
    return true;
  }

  /** Puts an earlier text back. A backup of what the file says anyway is of no use. */
  restore(file: string, changed: string, before: string): void {
    if (readFileSync(file, "utf8") !== changed) return;
    replace(file, before, statSync(file).mode);
    const backup = this.#backups.get(file);
    if (backup === undefined || readFileSync(backup, "utf8") !== before) return;
    rmSync(backup);
    this.#backups.delete(file);
  }
}

function freeName(file: string): string {
  for (let count = 0; ; count++) {
    const name = count === 0 ? `${file}.bak` : `${file}.${count}.bak`;
    if (!existsSync(name)) return name;
  }
}

/** Through a link to the file itself, and never half. */
function replace(path: string, text: string, mode: number): void {
  const file = existsSync(path) ? realpathSync(path) : path;
  const fresh = `${file}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { mode: mode & 0o777 });
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

// From a run's state to its result, with the places of errors in the files.
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Envelope, matches, mayBeDone, type Selector } from "../../base/errors/index.ts";
import { activeMs } from "../../base/events/state/read.ts";
import type { RunState, RunStatus } from "../../base/events/state/state.ts";
import { type ErrorPlace, type Place, type Result, type ResultContext, resultOf } from "../../base/results/index.ts";
import { familyOf, type LoadedWorkflow, type NodePath, stepsOf } from "../../language/loaded.ts";
import type { RunFacts } from "../../storage/run-index.ts";
import type { RunMeta, RunReader } from "../../storage/run-reader.ts";
import type { Summarize } from "../../storage/store.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { redactorFor, stateOf } from "./read-run.ts";
import { factsOfRun } from "./run-facts.ts";

export interface Reporting
  extends Pick<Session, "cwd">,
    Pick<ResultContext, "redactor" | "interrupted" | "now" | "withoutSteps" | "reader" | "gatesNow"> {
  readonly folder: string;
  /** Absent when only the journal is at hand: then errors have no place. */
  readonly workflow?: LoadedWorkflow;
}

/** What a result needs of a session, and nothing else that may be in one. */
export const reportingIn = ({ cwd, reader }: Session): Pick<Reporting, "cwd" | "reader"> => ({ cwd, reader });

export function resultOfRun(state: RunState, reporting: Reporting): Result {
  const { cwd, folder, redactor, workflow, interrupted, now, reader, gatesNow, withoutSteps = false } = reporting;
  return resultOf(state, {
    redactor,
    withoutSteps,
    file: state.root.file ? shownPath(state.root.file, cwd) : null,
    artifacts: {
      events_jsonl: join(folder, "events.jsonl"),
      errors_jsonl: hasLines(join(folder, "errors.jsonl")) ? join(folder, "errors.jsonl") : null,
      run_dir: folder,
    },
    locate: workflow && ((place: ErrorPlace) => locate(workflow, place, cwd)),
    retries: workflow && retriesOf(workflow),
    routedBy: workflow && routedBy(workflow),
    callsWait: workflow && callsWait(workflow),
    interrupted,
    now,
    reader,
    gatesNow,
  });
}

/** The file is made with the first unhandled error. */
const hasLines = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** The list of retryable kinds that holds where an error was raised: of its own file, or of the nearest caller. */
const retriesOf =
  (root: LoadedWorkflow): NonNullable<ResultContext["retries"]> =>
  ({ path, error }) => {
    const files = [...path.keys(), path.length].map((depth) => childAt(root, path.slice(0, depth)));
    const sections = files.flatMap((file) => file?.definition.workflow.resilience ?? []);
    const kinds = sections.at(-1)?.retry?.retryable;
    return kinds && matches(kinds, error.kind) && !mayBeDone(error.kind, error.details);
  };

/** A file whose breakers wait, and no file beside it whose breakers do not. */
const callsWait = (root: LoadedWorkflow): boolean => {
  const breakers = familyOf(root).flatMap(({ definition }) => definition.workflow.resilience?.circuit_breaker ?? []);
  return breakers.length > 0 && breakers.every(({ when_open }) => when_open === "wait");
};

/** Routes with a condition are left out: whether one held is not known here. */
const routedBy =
  (root: LoadedWorkflow): NonNullable<ResultContext["routedBy"]> =>
  ({ node, path }, kind) => {
    const definition = childAt(root, path)?.definition;
    if (!definition) return undefined;
    const nodes = [...stepsOf(definition), ...definition.parallel, ...definition.for_each];
    const owner = nodes.find(({ name }) => name === node);
    const routes = [...(owner && "routes" in owner ? owner.routes : []), ...definition.workflow.error_routes].filter(
      ({ on_error, when }) => on_error !== undefined && when === undefined && matches(on_error as Selector, kind),
    );
    if (routes.some(({ propagate }) => propagate)) return "propagate";
    return routes.some(({ retry }) => retry) ? "retry" : undefined;
  };

function locate(root: LoadedWorkflow, { node, path, error }: ErrorPlace, cwd: string): Place | undefined {
  const workflow = childAt(root, path);
  if (!workflow) return undefined;
  const base = node === null ? ["output"] : workflow.pathOf(node);
  const found = error && templatePlace(workflow, base, error);
  const { file, line, column } = found ? found.location : workflow.positions.at(base);
  return { file: shownPath(file, cwd), line, column, field: found?.field };
}

/**
 * Where a template that failed stands: the field of its step that holds this very text, as `headers.b`, `args[1]`, or of the
 * workflow's own output `output.n`, and the place in it. `base`: where the step stands, or `["output"]`.
 */
function templatePlace({ raw, positions }: LoadedWorkflow, base: NodePath, { details }: Envelope) {
  const { template, line, column } = details;
  if (typeof template !== "string") return undefined;
  const way = wayTo(template, valueAt(raw, base));
  if (!way) return undefined;
  const path = [...base, ...way];
  const location =
    typeof line === "number" && typeof column === "number" ? positions.inside(path, line, column) : positions.at(path);
  return { location, field: fieldOf(base[0] === "output" ? path : way) };
}

export const valueAt = (raw: unknown, path: NodePath): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      typeof value === "object" ? (value as Record<string | number, unknown> | null)?.[part] : undefined,
    raw,
  );

/** Down to a text within a value of any shape; nothing when it is not there, as one with an environment value in it. */
function wayTo(text: string, value: unknown): NodePath | undefined {
  if (value === text) return [];
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const way = wayTo(text, inner);
    if (way) return [Array.isArray(value) ? Number(key) : key, ...way];
  }
  return undefined;
}

const fieldOf = (way: NodePath): string =>
  way.map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${part}`)).join("");

export const childAt = (root: LoadedWorkflow, path: readonly string[]): LoadedWorkflow | undefined =>
  path.reduce<LoadedWorkflow | undefined>((workflow, slot) => workflow && childOf(workflow, slot), root);

/** A slot is a step's name, or `group[key]` for an item of a for_each. */
export function childOf(workflow: LoadedWorkflow, slot: string): LoadedWorkflow | undefined {
  const { agents, for_each } = workflow.definition;
  const group = for_each.find(({ name }) => slot.startsWith(`${name}[`));
  const step = group?.agent ?? agents.find(({ name }) => name === slot);
  return step?.type === "workflow" ? workflow.children.get(step.workflow) : undefined;
}

export const withOwnName = (
  result: Result,
  { workflow, file }: Pick<RunMeta, "workflow" | "file">,
  { cwd }: Pick<Session, "cwd">,
): Result => ({ ...result, workflow: result.workflow ?? workflow, file: result.file ?? shownPath(file, cwd) });

export function cancelledText({ runId, cancelled, lastAt }: Pick<RunState, "runId" | "cancelled" | "lastAt">): string {
  const who = cancelled?.by === undefined ? "" : ` by ${cancelled.by}`;
  return `the run ${runId} was cancelled${who}${lastAt === null ? "" : `, at ${lastAt}`}`;
}

interface RecordedEnd extends Omit<Awaited<ReturnType<Summarize>>, keyof RunFacts> {
  readonly facts: RunFacts;
  /** A journal knows no queue. */
  readonly status: RunStatus;
  readonly workflow: string;
  readonly seq: number;
}

export async function recordedEnd(reader: RunReader, session: Session): Promise<RecordedEnd> {
  const state = await stateOf(reader);
  const redactor = await redactorFor(reader, session);
  const { errors, exit_code, metrics, checkpoint } = resultOfRun(state, {
    ...session,
    folder: reader.folder,
    redactor,
    interrupted: state.status === "running",
  });
  return {
    workflow: redactor.text(state.root.name),
    seq: state.seq,
    status: state.status,
    ended: state.status === "running" ? null : state.lastAt,
    driver: (await reader.holder()) ?? null,
    failingKind: errors[0]?.kind ?? null,
    exitCode: exit_code,
    durationMs: activeMs(state) ?? null,
    costUsd: metrics?.total_cost_usd ?? null,
    resumable: checkpoint?.resumable ?? false,
    facts: factsOfRun(state, redactor),
  };
}

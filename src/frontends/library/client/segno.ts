// The client: where runs are kept, what files and scripts see, and own code are said once; everything else is asked of it.
/// <reference lib="esnext.disposable" preserve="true" />
import { calledWrong } from "../../../base/errors/called-wrong.ts";
import { isMapping } from "../../../base/errors/mapping.ts";
import type { Provider } from "../../../providers/provider.ts";
import { type Definition, definitionFile, isDefinition } from "../../../services/own-steps/definition.ts";
import type { OwnStep } from "../../../services/own-steps/own-step.ts";
import type { Asker, Clock, RunOptions, StoreAddress, StoreOptions } from "../options.ts";
import { run } from "../run.ts";
import { cancel } from "../runs.ts";
import { placeOf } from "../store.ts";
import { CALLED_AS, PLACED, shown } from "../wording.ts";
import type { WorkflowLike } from "../workflow.ts";
import { checkClientOptions, isListener } from "../wrong-call.ts";
import { NotStartedError, type RunResult, runResult, type StartedRun, startedRun } from "./answers.ts";
import { type DriveCall, type Namespaces, namespacesOf, type OfClient, type OptionsFor } from "./namespaces.ts";
import type { InputsOf, KindsOf, OutputOf, Unstated, WithInputs } from "./typed-files.ts";

export interface SegnoOptions {
  /** The folder of a store, the address of a Postgres, or what `openStore` gave; the command line's store when left out. */
  readonly store?: StoreAddress;
  /** Own step types, of `defineStep`. */
  readonly steps?: readonly OwnStep[];
  /** Own model providers, of `defineProvider`. */
  readonly providers?: readonly Provider[];
  /** Workflows of `defineWorkflow`, so that runs of an earlier process can be resumed; those that are run are known. */
  readonly workflows?: readonly Definition[];
  /** The environment that files and scripts see; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What relative paths are relative to; the process's own folder when left out. */
  readonly cwd?: string;
  readonly clock?: Clock;
  /** Answers gates and questions of every run; without it a gate pauses the run. */
  readonly ask?: Asker;
}

/** What starting a run can be given. */
export type StartOptions<Inputs = Readonly<Record<string, unknown>>> = Omit<RunOptions, OfClient | "inputs"> &
  WithInputs<Inputs>;

/** Options may be left out when no input is required. */
type Given<Inputs> =
  Record<never, never> extends Inputs ? [options?: StartOptions<Inputs>] : [options: StartOptions<Inputs>];

export interface Segno extends Namespaces, AsyncDisposable {
  /** Starts a run, and resolves when it is recorded. Rejects with `NotStartedError` when it cannot be. */
  start<Inputs = Unstated, Output = Unstated, const Of extends WorkflowLike = WorkflowLike>(
    workflow: Of,
    ...given: Given<InputsOf<Inputs, Of>>
  ): Promise<StartedRun<OutputOf<Output, Of>, KindsOf<Of>>>;
  /** Runs a workflow to its end, to an unanswered gate, or to an unhandled error. */
  run<Inputs = Unstated, Output = Unstated, const Of extends WorkflowLike = WorkflowLike>(
    workflow: Of,
    ...given: Given<InputsOf<Inputs, Of>>
  ): Promise<RunResult<OutputOf<Output, Of>, KindsOf<Of>>>;
  /** Stops the runs that this client still drives, which stay resumable, and waits for their ends. */
  close(): Promise<void>;
}

/** Runs that this process drives, of all its clients: it cannot ask itself to stop one, as it asks other processes. */
const STARTED = new Map<string, StartedRun>();

/**
 * Makes a client. Nothing is read or made before it is asked for something; store, telemetry and MCP servers of a run are
 * closed with it, so that nothing keeps the process alive.
 *
 * @example
 * await using segno = createSegno({ store: "./.segno" });
 * const result = await segno.run("release.yaml", { inputs: { version: "1.2.0" } });
 * if (result.status === "failed") console.error(result.error.kind, result.error.hint);
 */
export function createSegno(options: SegnoOptions = {}): Segno {
  checkClientOptions(options);
  const base = baseOf(options);
  const driven = new Map<Promise<unknown>, AbortController>();
  /** Those that were run, by file: a program may define one again for each run, and only the newest is resumed with. */
  const known = new Map<string, Definition>();
  const remember = (workflow: unknown): void => {
    if (isDefinition(workflow) && !options.workflows?.includes(workflow))
      known.set(definitionFile(workflow, options.cwd), workflow);
  };
  /** Aborted when all that the client drove has ended, so that a follower of a run sees its end. */
  const closed = new AbortController();
  let isClosed = false;

  const optionsFor: OptionsFor = (call, more = {}) => {
    if (isClosed) throw calledWrong(`${call} was called on a client that is closed`);
    if (!isMapping(more)) throw calledWrong(`the options of ${call} are an object, but ${shown(more)} was given`);
    const workflows = [...(options.workflows ?? []), ...known.values()];
    return { ...base, ...(workflows.length > 0 ? { workflows } : {}), ...more, [CALLED_AS]: call };
  };

  const driving: DriveCall = (call, more, drive) => {
    const given = optionsFor(call, more) as RunOptions;
    const off = new AbortController();
    const signal = given.signal instanceof AbortSignal ? AbortSignal.any([given.signal, off.signal]) : off.signal;
    const isWrong = given.signal !== undefined && !(given.signal instanceof AbortSignal);
    const done = drive({ ...(options.ask ? { ask: options.ask } : {}), ...given, ...(isWrong ? {} : { signal }) });
    driven.set(done, off);
    const forget = (): void => void driven.delete(done);
    done.then(forget, forget);
    return { done, stop: () => off.abort() };
  };

  const { namespaces, follow } = namespacesOf(optionsFor, driving, closed.signal);
  const close = async (): Promise<void> => {
    isClosed = true;
    for (const off of driven.values()) off.abort();
    await Promise.allSettled(driven.keys());
    closed.abort();
  };

  const client = {
    ...namespaces,
    runs: {
      ...namespaces.runs,
      cancel: async (...[id, more]: Parameters<Namespaces["runs"]["cancel"]>) =>
        (isClosed ? undefined : STARTED.get(id)?.cancel()) ?? namespaces.runs.cancel(id, more),
    },
    async run(workflow: WorkflowLike, more?: RunOptions) {
      remember(workflow);
      return runResult(await driving("segno.run", more, (given) => run(workflow, given)).done);
    },
    async start(workflow: WorkflowLike, more?: RunOptions) {
      remember(workflow);
      let recorded: (id: string) => void = () => {};
      const id = new Promise<string>((known) => (recorded = known));
      const { done, stop } = driving("segno.start", more, (given) => run(workflow, withFirst(given, recorded)));
      const first = await Promise.race([id, done]);
      if (typeof first !== "string" && first.run_id === null) throw new NotStartedError(first);
      // A run of a fleet is driven by a worker; the signal would only end the following of it.
      const cancelled = (run: string): Promise<unknown> => cancel(run, optionsFor("run.cancel"));
      const runId = typeof first === "string" ? first : (first.run_id ?? "");
      const going = startedRun(runId, { done, follow, stop: isOnFleet(base) ? cancelled : stop });
      STARTED.set(runId, going);
      const forget = (): void => void STARTED.delete(runId);
      done.then(forget, forget);
      return going;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  // The types of inputs and outputs exist for the compiler alone.
  return client as unknown as Segno;
}

function baseOf({ store, ask: _, ...rest }: SegnoOptions): StoreOptions {
  return store === undefined ? rest : { ...rest, ...placeOf(store, rest.env) };
}

const isOnFleet = ({ store, env = process.env }: StoreOptions): boolean => Boolean(store?.fleet || env.SEGNO_ON);

/** Of its first event, which is in the journal then; on a fleet when it is placed, since a worker has to take it first. */
function withFirst(given: RunOptions, recorded: (id: string) => void): RunOptions {
  const { on } = given;
  // Refused by who is given it.
  if (on !== undefined && !isListener(on)) return given;
  return {
    ...given,
    ...{ [PLACED]: recorded },
    on: (event) => {
      recorded(event.run_id);
      if (typeof on === "function") return on(event);
      return (on?.[event.type] as ((event: unknown) => unknown) | undefined)?.(event);
    },
  };
}

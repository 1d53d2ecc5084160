// What a client can be asked beside starting runs, by what it is about. Each is a function of the library with the client's
// options, and its answer in camelCase.
import { isMapping } from "../../../base/errors/mapping.ts";
import type { Result } from "../../../base/results/result.ts";
import type { SchemaName } from "../from-schemas.ts";
import type { ResumeOptions, RunEvent, RunOptions } from "../options.ts";
import { breakers, gates, letters, triggers } from "../resources.ts";
import { resume } from "../run.ts";
import { type Beat, cancel, type EventsOptions, events, explain, prune, replay, runs, show, trace } from "../runs.ts";
import {
  backtest,
  type EvalAnswer,
  type EvalOptions,
  type EvalRow,
  generateScenarios,
  record,
  runEval,
  type ScenarioReport,
  type TestAnswer,
  type TestOptions,
  test,
} from "../scenarios.ts";
import { stats } from "../stats.ts";
import { doctor, init, repair, repairAll } from "../upkeep.ts";
import { errors, graph, loadWorkflow, plan, schema, validate, type WorkflowLike } from "../workflow.ts";
import { type Answered, answered, type Camel, type CheckResult, camel, type RunResult, runResult } from "./answers.ts";
import type { KindsOf, OutputOf, Unstated } from "./typed-files.ts";

/** Options that the client was given, and its calls are not. */
export type OfClient = "store" | "steps" | "providers" | "workflows" | "env" | "cwd" | "clock";

/** Options of a call: those of the client, those of the call, and how it was called. */
export type OptionsFor = (call: string, more?: object) => object;

/** Drives a run that the client can stop. */
export type DriveCall = <Json>(
  call: string,
  more: object | undefined,
  drive: (given: RunOptions & ResumeOptions) => Promise<Json>,
) => { readonly done: Promise<Json>; readonly stop: () => void };

type Own<Options> = Options extends readonly unknown[]
  ? Options
  : Options extends object
    ? Omit<Options, OfClient>
    : Options;

type Given<Call> = Call extends (...given: infer All) => unknown ? All : never;

type Parameters<All extends readonly unknown[]> = { [Place in keyof All]: Own<All[Place]> };

/** A function of the library as a client has it: without what the client knows, and with an answer in camelCase. */
type OnClient<Call> = Call extends (...given: infer Given) => Promise<infer Json>
  ? (...given: Parameters<Given>) => Promise<Answered<Json>>
  : Call extends (...given: infer Given) => AsyncGenerator<infer One>
    ? (...given: Parameters<Given>) => AsyncGenerator<One>
    : never;

/** Options of which one is a function that is called meanwhile, with what is in camelCase, too. */
type Telling<Options, Name extends keyof Options, Told extends readonly unknown[]> = Omit<Options, OfClient | Name> & {
  readonly [One in Name]?: (...told: Told) => void;
};

/** The same of one that gives how a run went. The workflow is known by its path, or by `typeof` of a definition. */
type GivingResult<Call> = <const Of extends WorkflowLike = WorkflowLike>(
  ...given: Parameters<Given<Call>>
) => Promise<RunResult<OutputOf<Unstated, Of>, KindsOf<Of>>>;

export interface Namespaces {
  /** Runs of the store. */
  readonly runs: {
    readonly list: OnClient<typeof runs>;
    /** How runs ended, how long they took and what they cost, by workflow and step. */
    readonly stats: OnClient<typeof stats>;
    /** The result of a run as it stands; `get<"release.yaml">(id)` has the types of that file. */
    readonly get: GivingResult<typeof show>;
    /**
     * Goes on with a run where it stopped, with the file and the inputs as they are now; `resume<"release.yaml">(id)` has
     * the types of that file.
     */
    readonly resume: GivingResult<typeof resume>;
    readonly cancel: GivingResult<typeof cancel>;
    readonly events: OnClient<typeof events>;
    readonly replay: (...given: Parameters<Given<typeof replay>>) => AsyncGenerator<Camel<Beat>>;
    readonly explain: OnClient<typeof explain>;
    readonly trace: OnClient<typeof trace>;
    /** Writes a scenario that plays a run again. */
    readonly record: OnClient<typeof record>;
    /** Lets a model mend the failing step. */
    readonly repair: OnClient<typeof repair>;
    /** Lists the open runs that failed with a kind; with `resume` it repairs and resumes them. */
    readonly repairAll: OnClient<typeof repairAll>;
    readonly prune: OnClient<typeof prune>;
  };
  /** Questions that runs wait on. */
  readonly gates: { readonly list: OnClient<typeof gates.list>; readonly answer: GivingResult<typeof gates.answer> };
  /** Dead letters. */
  readonly letters: {
    readonly list: OnClient<typeof letters.list>;
    readonly get: OnClient<typeof letters.show>;
    readonly retry: OnClient<typeof letters.retry>;
    readonly drop: OnClient<typeof letters.drop>;
  };
  /** Circuit breakers that runs share. */
  readonly breakers: { readonly list: OnClient<typeof breakers.list>; readonly reset: OnClient<typeof breakers.reset> };
  /** Triggers of the project that `cwd` is in. */
  readonly triggers: {
    readonly [Name in Exclude<keyof typeof triggers, "fire">]: OnClient<(typeof triggers)[Name]>;
  } & { readonly fire: GivingResult<typeof triggers.fire> };
  /** Workflow files. */
  readonly workflows: {
    /** Reads a file; rejects when it cannot be read as a workflow. */
    readonly load: (file: string) => ReturnType<typeof loadWorkflow>;
    readonly validate: (...given: Parameters<Given<typeof validate>>) => Promise<CheckResult>;
    readonly errors: OnClient<typeof errors>;
    readonly graph: OnClient<typeof graph>;
    readonly plan: OnClient<typeof plan>;
    readonly test: (
      paths?: string | readonly string[],
      options?: Telling<TestOptions, "onScenario", [report: Camel<ScenarioReport>]>,
    ) => Promise<Answered<TestAnswer>>;
    readonly generateScenarios: OnClient<typeof generateScenarios>;
    readonly backtest: OnClient<typeof backtest>;
    readonly eval: (
      path: string,
      options?: Telling<EvalOptions, "onRow", [row: Camel<EvalRow>, done: number, total: number]>,
    ) => Promise<Answered<EvalAnswer>>;
    /** The JSON Schema of workflow files, of results, or of a type of step. */
    readonly schema: (what?: SchemaName) => ReturnType<typeof schema>;
  };
  readonly doctor: OnClient<typeof doctor>;
  readonly init: OnClient<typeof init>;
}

type Follow = (id: string, signal: AbortSignal) => AsyncIterable<RunEvent>;

type About = (about: never, options: never) => Promise<object>;
type Alone = (options: never) => Promise<object>;

export function namespacesOf(
  optionsFor: OptionsFor,
  driving: DriveCall,
  closed: AbortSignal,
): { readonly namespaces: Namespaces; readonly follow: Follow } {
  const alone = (name: string, call: Alone) => async (more?: object) =>
    answered(await call(optionsFor(`segno.${name}`, more) as never));
  const about = (name: string, call: About) => async (what: unknown, more?: object) =>
    answered(await call(what as never, optionsFor(`segno.${name}`, more) as never));
  const result = (name: string, call: About) => async (what: unknown, more?: object) =>
    runResult((await call(what as never, optionsFor(`segno.${name}`, more) as never)) as Result);
  const driven =
    <Json>(name: string, call: About, shown: (json: never) => Json) =>
    async (what: unknown, more?: object) =>
      shown((await driving(`segno.${name}`, more, (given) => call(what as never, given as never)).done) as never);
  const telling =
    (name: string, call: (what: unknown, more?: object) => Promise<object>) => (what: unknown, more?: object) => {
      const tell: unknown = isMapping(more) ? more[name] : undefined;
      if (typeof tell !== "function") return call(what, more);
      return call(what, { ...more, [name]: (told: unknown, ...rest: unknown[]) => tell(camel(told), ...rest) });
    };

  /** Events until the client is closed, at the latest. */
  const followed = (run: string, { signal = closed, ...given }: EventsOptions) =>
    events(run, { ...given, signal: signal instanceof AbortSignal ? AbortSignal.any([signal, closed]) : signal });

  const namespaces = {
    runs: {
      list: alone("runs.list", runs),
      stats: alone("runs.stats", stats),
      get: result("runs.get", show),
      resume: driven("runs.resume", resume, runResult),
      cancel: result("runs.cancel", cancel),
      events: (run: string, more?: EventsOptions) => followed(run, optionsFor("segno.runs.events", more)),
      async *replay(run: string, more?: object) {
        for await (const beat of replay(run, optionsFor("segno.runs.replay", more))) yield camel(beat);
      },
      explain: about("runs.explain", explain),
      trace: about("runs.trace", trace),
      record: about("runs.record", record),
      repair: driven("runs.repair", repair, answered),
      repairAll: driven("runs.repairAll", repairAll, answered),
      prune: alone("runs.prune", prune),
    },
    gates: {
      list: alone("gates.list", gates.list),
      answer: async (run: string, value: string, more?: object) =>
        runResult(await driving("segno.gates.answer", more, (given) => gates.answer(run, value, given)).done),
    },
    letters: {
      list: alone("letters.list", letters.list),
      get: about("letters.get", letters.show),
      retry: driven("letters.retry", letters.retry, answered),
      drop: about("letters.drop", letters.drop),
    },
    breakers: { list: alone("breakers.list", breakers.list), reset: about("breakers.reset", breakers.reset) },
    triggers: {
      list: alone("triggers.list", triggers.list),
      get: about("triggers.get", triggers.get),
      history: alone("triggers.history", triggers.history),
      pause: about("triggers.pause", triggers.pause),
      resume: about("triggers.resume", triggers.resume),
      fire: driven("triggers.fire", triggers.fire, runResult),
    },
    workflows: {
      load: (file: string) => loadWorkflow(file, optionsFor("segno.workflows.load")),
      validate: result("workflows.validate", validate),
      errors: about("workflows.errors", errors),
      graph: about("workflows.graph", graph),
      plan: about("workflows.plan", plan),
      test: telling("onScenario", about("workflows.test", test)),
      generateScenarios: about("workflows.generateScenarios", generateScenarios),
      backtest: about("workflows.backtest", backtest),
      eval: telling("onRow", about("workflows.eval", runEval)),
      schema: async (what?: SchemaName) => schema(what, optionsFor("segno.workflows.schema")),
    },
    doctor: alone("doctor", doctor),
    init: about("init", init),
  };
  return {
    namespaces: namespaces as unknown as Namespaces,
    follow: (id, signal) => followed(id, { ...optionsFor("run.events"), follow: true, signal }),
  };
}

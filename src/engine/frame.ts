// One workflow being interpreted: the root's file or a child's. Own context, own counters, own limits.
import type { Raised } from "../errors/index.ts";
import { visitKey } from "../events/key.ts";
import type { EventData } from "../events/registry.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { ForEachGroup, ParallelGroup, Route, Step } from "../language/schema/index.ts";
import type { Clock, Executor, WorkflowPlace } from "../steps/executor.ts";
import type { StepWorld } from "../steps/world.ts";
import { workflowPlace } from "./children/workflow-place.ts";
import { Context } from "./context/context.ts";
import type { Durable } from "./durable.ts";
import type { FrameEnd } from "./ends.ts";
import type { Guard } from "./guard/guard.ts";
import { Purse } from "./limits/purse.ts";
import { Definitions, type HashWorld } from "./visit/hash.ts";
import type { Work } from "./visit/work.ts";

/** The two places where the interpreter calls itself: given, since modules do not import each other in circles. */
export interface Calls {
  interpret(frame: Frame, signal: AbortSignal): Promise<FrameEnd>;
  workOf(frame: Frame, step: Step): Work;
}

/** Everything the interpreter is given. */
export interface Engine {
  readonly durable: Durable;
  /** The executor of a step type; the registry of steps. */
  executor(type: string): Executor<never, unknown>;
  readonly world: StepWorld;
  readonly clock: Clock;
  readonly spillDir: string;
  readonly hashing: HashWorld;
  readonly rootDir: string;
  /** Whom agents ask, whatever the files say. */
  readonly provider?: string;
  readonly skipGates: boolean;
  /** Whether somebody is there who could be asked something. */
  readonly canAsk?: boolean;
  /** How long earlier drives took: the workflow's time limit goes on counting. */
  readonly activeSecondsBefore: number;
  /** Whether nothing is reused from this node on (`--from STEP`). */
  startsFresh(frame: Frame, node: string): boolean;
  /** Results kept across runs, for steps with `cache:`. */
  readonly cache?: OutcomeCache;
  /** Resilience and policies; absent when no file of the run has any. */
  readonly guard?: Guard;
  /** Ends a process group that outlived the drive that started it; true when there was one. */
  endOrphan(spawned: { readonly pid: number; readonly started_at: string }): Promise<boolean>;
  /** An error that a scenario wants this attempt to raise instead of running. */
  inject?(node: string, path: readonly string[], attempt: number): Raised | undefined;
  /** The same, when the drive was killed before it could record the process; gives the group that it ended. */
  endAttempt?(idempotencyKey: string): Promise<number | undefined>;
  /** Told of an exception in an executor: a defect, for the debug log. */
  defect(problem: unknown, node: string): void;
  /** Asked at the iteration limit of the root: how many more? */
  moreIterations(used: number): Promise<number>;
}

export interface OutcomeCache {
  get(hash: string): { readonly output: unknown; readonly runId: string } | undefined;
  put(hash: string, output: unknown, ttlSeconds: number | undefined): void;
}

export type Group =
  | { readonly kind: "parallel"; readonly name: string; readonly group: ParallelGroup }
  | { readonly kind: "for_each"; readonly name: string; readonly group: ForEachGroup };

export type FrameNode = { readonly kind: "step"; readonly name: string; readonly step: Step } | Group;

export interface FrameOptions {
  readonly calls: Calls;
  readonly maxIterations?: number;
  readonly reuse: boolean;
  readonly parent?: Frame;
}

export class Frame {
  readonly nodes = new Map<string, FrameNode>();
  readonly works = new Map<Step, Work>();
  readonly #lines = new Map<string, number>();
  readonly #taken = new Map<string, EventData<"route_taken">>();
  readonly context: Context;
  readonly definitions: Definitions;
  readonly place: WorkflowPlace;
  /** Absent when the workflow has no budget. */
  readonly purse: Purse | undefined;
  readonly visits = new Map<string, number>();
  /** Budgets of `retry` + `to`, which last for the run: `step:table:route` → used. */
  readonly via = new Map<string, number>();
  /** How many members each group lost on its last visit. */
  readonly lost = new Map<string, number>();
  /** The workflow that called this one: its policies hold here too. */
  readonly parent: Frame | undefined;
  readonly calls: Calls;
  maxIterations: number;
  /** From here on nothing is reused (`--from STEP`, `--force`). */
  reuse: boolean;
  /** No step has really run so far. */
  allReused = true;

  constructor(
    readonly engine: Engine,
    readonly workflow: LoadedWorkflow,
    readonly inputs: Readonly<Record<string, unknown>>,
    /** Names of the sub-workflow slots from the root: `["plan", "build[3]"]`. */
    readonly path: readonly string[],
    /** What this frame's keys begin with: `plan#1/`. */
    readonly prefix: string,
    options: FrameOptions,
  ) {
    this.parent = options.parent;
    this.calls = options.calls;
    const { definition, file, dir } = workflow;
    for (const step of definition.agents) this.nodes.set(step.name, { kind: "step", name: step.name, step });
    for (const group of definition.parallel) this.nodes.set(group.name, { kind: "parallel", name: group.name, group });
    for (const group of definition.for_each) this.nodes.set(group.name, { kind: "for_each", name: group.name, group });
    const { name, description, limits } = definition.workflow;
    const names = { input: inputs, name, description: description ?? "", dir, file };
    this.context = new Context(names, mayReadHistory(workflow));
    this.definitions = new Definitions(workflow, engine.hashing);
    this.place = workflowPlace(workflow, engine, this.parent?.place);
    this.purse =
      limits.budget_usd === undefined
        ? undefined
        : new Purse(limits.budget_usd, limits.budget_mode, engine.durable.recall.spentIn(prefix));
    this.maxIterations = options.maxIterations ?? limits.max_iterations;
    this.reuse = options.reuse;
  }

  get name(): string {
    return this.workflow.definition.workflow.name;
  }

  get depth(): number {
    return this.path.length;
  }

  /** `workflow.error_routes`: read after a step's own. */
  get defaults(): readonly Route[] {
    return this.workflow.definition.workflow.error_routes;
  }

  /** The key of the next visit of a node. */
  visitKey(node: string): string {
    const visit = (this.visits.get(node) ?? 0) + 1;
    this.visits.set(node, visit);
    return visitKey(this.prefix, node, visit);
  }

  /** What is told when a step that went well takes one of its routes: the same each time, and frozen to say so. */
  routeTaken(from: string, to: string, index: number): EventData<"route_taken"> {
    const name = `${index} ${from}`;
    let data = this.#taken.get(name);
    if (data?.to_agent !== to) {
      const route = { index, line: this.lineOfRoute(from, index) };
      data = Object.freeze({ from_agent: from, to_agent: to, route });
      this.#taken.set(name, data);
    }
    return data;
  }

  /** Where a route of a node stands; loops ask for the same ones again and again. */
  lineOfRoute(node: string, index: number): number {
    const name = `${index} ${node}`;
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = this.workflow.positions.at([...this.workflow.pathOf(node), "routes", index]).line;
      this.#lines.set(name, line);
    }
    return line;
  }
}

export const routesOf = (step: Step): readonly Route[] => ("routes" in step ? (step.routes ?? []) : []);

/** A glance at the files' text: that it says yes too often costs little. */
const HISTORY = /history|context(?!\s*[._]\s*iteration)/;
const readers = new WeakMap<LoadedWorkflow, boolean>();

function mayReadHistory(workflow: LoadedWorkflow): boolean {
  let answer = readers.get(workflow);
  if (answer === undefined) {
    answer = [...workflow.sources.values()].some((text) => HISTORY.test(text));
    readers.set(workflow, answer);
  }
  return answer;
}

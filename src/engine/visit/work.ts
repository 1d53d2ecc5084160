// What a visit of a node runs: a step's executor, a group, a sub-workflow, a question, an end. Each is a `Work`, so that
// reuse, retries, routes and events are written once.
import type { Envelope, GroupPlace, Outcome } from "../../base/errors/index.ts";
import type { EventData, EventType } from "../../base/events/registry.ts";
import type { ForEachGroup, ParallelGroup, Route, Step } from "../../language/schema/index.ts";
import type { Caller } from "../../steps/caller.ts";
import type { CallBreakers } from "../../steps/step-type.ts";
import type { Scope } from "../../template/index.ts";
import type { Names } from "../context/scope.ts";
import type { Stop, Terminated } from "../ends.ts";
import type { Fiber } from "../fiber.ts";

export type Group =
  | { readonly kind: "parallel"; readonly name: string; readonly group: ParallelGroup }
  | { readonly kind: "for_each"; readonly name: string; readonly group: ForEachGroup };

export type FrameNode = { readonly kind: "step"; readonly name: string; readonly step: Step } | Group;

export const routesOf = (step: Step): readonly Route[] => ("routes" in step ? (step.routes ?? []) : []);

/** One attempt, as the work that runs in it sees it. */
export interface WorkAttempt {
  readonly key: string;
  readonly attempt: number;
  /** Numbers attempts over the whole run; the same again after a crash. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly locals: Names;
  readonly ledBy: Envelope | undefined;
  readonly member: Member | undefined;
  /** Gives its place to others while the attempt waits; absent where it cannot. */
  readonly fiber: Fiber | undefined;
  /** Of a wait that a crash cut off: since when, in epoch milliseconds. */
  readonly waitingSince?: number;
  readonly beginWait?: Caller["beginWait"];
  /** Of what an agent calls while it runs; the engine's guard gives them. */
  readonly breakers?: CallBreakers;
  /** Called right before anything outside is touched (steps/when-ours.ts). */
  readonly assertLease: Caller["assertLease"];
  emit<Type extends EventType>(type: Type, data: EventData<Type>): void;
}

/** Of a step that runs inside a group. */
export interface Member {
  readonly group: string;
  readonly item_key?: string;
  readonly routes: readonly Route[];
  /** What is recorded of its failures is of another group than this one is now: they do not count. */
  readonly isAnew?: boolean;
}

export const placeInGroup = ({ group, item_key }: Member): GroupPlace =>
  item_key === undefined ? { group } : { group, item_key };

/** How work ended: with an outcome that routes are read for, or with an end that goes straight up. */
export type WorkEnd =
  | {
      readonly type: "outcome";
      /** The error is an envelope already when it crossed a boundary. */
      readonly outcome: Outcome;
      /** Nothing ran: it all came from the journal. */
      readonly reused?: boolean;
      readonly to?: string;
      /** Of a gate: the place of the option that leads there. */
      readonly option?: number;
      readonly unopted?: true;
    }
  | Terminated
  | Stop;

export interface Work {
  readonly name: string;
  readonly type: string;
  readonly version: number;
  /** Absent for groups. */
  readonly step: Step | undefined;
  readonly routes: readonly Route[];
  readonly timeoutSeconds: number | undefined;
  /** Entered again on every resume: what is inside is reused piece by piece. */
  readonly isContainer: boolean;
  /** Touches nothing outside: to run it again gives the same. */
  readonly isPure?: boolean;
  /** Renders templates; throws `TemplateError`, `BadValue` or `MissingInput`. */
  prepare(scope: Scope, locals: Names): unknown;
  /** The prepared values that decide the outcome; all of them when left out. */
  hashed?(prepared: unknown): unknown;
  /** No promise where there is nothing to wait for: a loop of such steps is faster for it. */
  run(prepared: unknown, attempt: WorkAttempt): WorkEnd | Promise<WorkEnd>;
  /** Where a recorded output leads by itself: a gate's chosen option, a list of questions that was called off. */
  leadsTo?(prepared: unknown, output: unknown): string | undefined;
  /** Of containers: whether all that was recorded inside would be found again (see reuse.ts). */
  unchanged?(prepared: unknown, visit: Pick<WorkAttempt, "key" | "locals" | "ledBy">): boolean;
  /** Of containers: whether a failure that was recorded inside would be found again. */
  failsAgain?(prepared: unknown, visit: Pick<WorkAttempt, "key" | "locals" | "ledBy">): boolean;
  /** Of containers: it is another one than was recorded, so what its members did before does not count. */
  beginsAnew?(): void;
  /** Of containers: the round that is recorded has ended; to run it again is a new one. */
  roundEnded?(): void;
}

/** What all steps have in common that the engine itself carries out. */
export const ownWork = (
  step: Step,
  version: number,
): Pick<Work, "name" | "type" | "version" | "step" | "routes" | "timeoutSeconds" | "isContainer"> => ({
  name: step.name,
  type: step.type,
  version,
  step,
  routes: routesOf(step),
  timeoutSeconds: undefined,
  isContainer: false,
});

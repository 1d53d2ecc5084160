// How an attempt, a visit and a whole workflow may end. One union each; nothing is thrown.
import type { AgentChanges, Envelope } from "../base/errors/index.ts";
import type { Question } from "./people/ask.ts";

/** Ends that no route is asked about: they go straight up to the root. */
export type Stop =
  | {
      readonly type: "halted";
      readonly error: Envelope;
      readonly node: string;
      /** The sub-workflow that the node is in. */
      readonly path: readonly string[];
      /** A resume runs the node again. */
      readonly resumable: boolean;
    }
  | { readonly type: "paused"; readonly question: Question; readonly path: readonly string[] }
  | { readonly type: "cancelled"; readonly node: string | null }
  | {
      readonly type: "limit";
      readonly errorType:
        | "MaxIterationsError"
        | "MaxVisitsError"
        | "TimeoutError"
        | "BudgetExceededError"
        | "ScenarioError";
      readonly message: string;
      readonly node: string | null;
    };

export interface Terminated {
  readonly type: "terminated";
  readonly status: "success" | "failed";
  readonly reason: string;
  readonly by: string;
  readonly output: unknown;
}

export interface Succeeded {
  readonly type: "succeeded";
  readonly output: unknown;
  /** Of an agent that works in a folder. */
  readonly changes?: AgentChanges | undefined;
  /** Nothing ran: it all came from the journal. */
  readonly reused: boolean;
  /** A gate's chosen route, or `abort_route`: it is followed in place of the routes table. */
  readonly to?: string;
  /** Of a gate's chosen route: the place of its option. */
  readonly option?: number;
}

export interface RaisedEnd {
  readonly type: "raised";
  readonly error: Envelope;
  readonly output?: unknown;
  readonly changes?: AgentChanges | undefined;
  /** A schema violation of a step that did not opt in: it fails the run as Conductor does, with exit code 1. */
  readonly unopted?: true;
  /** Nothing ran, and what its routes made of it is recorded too. */
  readonly reused?: boolean;
  /** Nothing ran: the error was recorded when a crash came, its routes were not. */
  readonly leftOpen?: boolean;
}

export type NodeEnd = Succeeded | RaisedEnd | Terminated | Stop;

export type FrameEnd =
  | { readonly type: "completed"; readonly output: unknown; readonly degraded: boolean; readonly reused: boolean }
  | Terminated
  /** `node` is null when the workflow's own output could not be rendered. */
  | { readonly type: "raised"; readonly error: Envelope; readonly node: string | null; readonly unopted?: true }
  | Stop;

export const isStop = (end: { readonly type: string }): end is Stop =>
  end.type === "halted" || end.type === "paused" || end.type === "cancelled" || end.type === "limit";

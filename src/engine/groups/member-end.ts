// How one member of a group ended, for the group.
import type { AgentChanges, Envelope } from "../../errors/index.ts";
import { isStop, type Stop } from "../ends.ts";

export interface MemberDone {
  readonly type: "ok";
  readonly output: unknown;
  readonly changes: AgentChanges | undefined;
  readonly recovered: boolean;
  readonly reused: boolean;
}

export interface MemberFailed {
  readonly type: "failed";
  readonly error: Envelope;
  readonly changes: AgentChanges | undefined;
  readonly unopted: boolean;
  readonly attempts: number;
  readonly reused: boolean;
  /** A crash came before its group had ended. */
  readonly leftOpen: boolean;
}

export type MemberEnd = MemberDone | MemberFailed | Stop;

/** An end that was found in the journal, of a member that ran in this drive: elsewhere, and its group is here. */
export function asRunNow(end: MemberEnd): MemberEnd {
  if (isStop(end)) return end;
  return end.type === "ok" ? { ...end, reused: false } : { ...end, reused: false, leftOpen: false };
}

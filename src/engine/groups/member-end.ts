// How one member of a group ended, for the group.
import type { Envelope } from "../../errors/index.ts";
import type { Stop } from "../ends.ts";

export interface MemberDone {
  readonly type: "ok";
  readonly output: unknown;
  readonly recovered: boolean;
  readonly reused: boolean;
}

export interface MemberFailed {
  readonly type: "failed";
  readonly error: Envelope;
  readonly unopted: boolean;
  readonly attempts: number;
  readonly reused: boolean;
  /** A crash came before its group had ended. */
  readonly leftOpen: boolean;
}

export type MemberEnd = MemberDone | MemberFailed | Stop;

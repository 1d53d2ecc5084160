// One attempt, with all that belongs to it, and how it ended.
import type { EventData } from "../../events/registry.ts";
import type { Recorded } from "../../events/visits/recall.ts";
import type { NodeEnd } from "../ends.ts";
import type { Visit } from "../frame.ts";
import type { AttemptAdmission } from "../guard/contract.ts";
import type { BreakerStatus } from "../guard/resilience/breaker-state.ts";
import type { AttemptFiles } from "./attempt-files.ts";
import type { PreparedVisit } from "./prepare.ts";
import type { AttemptUsage } from "./usage.ts";

/** Why a step that had ended well in an earlier drive runs again. */
export type RerunReason = NonNullable<EventData<"agent_started">["again"]>;

export interface AttemptUnderWay {
  readonly visit: Visit;
  readonly prepared: PreparedVisit;
  /** Of this visit's attempts, 1 is the first. */
  readonly number: number;
  /** Of all attempts in the run that ended, plus one: an attempt cut off by a crash runs again under the same number. */
  readonly ordinal: number;
  /** What earlier drives recorded of this visit, when it may be reused. */
  readonly recorded: Recorded | undefined;
  /** The step, or a file that it runs, was changed since its last attempt in an earlier drive. */
  readonly isRepaired: boolean;
  readonly rerun: RerunReason | undefined;
  readonly usage: AttemptUsage;
  readonly files: AttemptFiles;
  /** Absent when the run has no resilience and no policies. */
  readonly admission: AttemptAdmission | undefined;
}

export interface AttemptEnd {
  readonly end: NodeEnd;
  readonly endedAt: number;
  readonly dice: number;
  /** The status of the breaker of what was called, if there is one. */
  readonly breaker?: BreakerStatus;
}

// The retries of a visit that no route asked for: the file's `resilience` did.
import type { Envelope } from "../../errors/index.ts";
import type { Recorded } from "../../events/recall.ts";
import type { Frame } from "../frame.ts";
import type { Tried } from "../visit/attempt.ts";
import type { Prepared, Visit } from "../visit/prepare.ts";
import type { Read } from "../visit/read-routes.ts";
import type { Work } from "../visit/work.ts";

export class PolicyRetries {
  #made: number;
  #errors: Envelope[] | undefined;

  constructor(memory: Recorded | undefined) {
    this.#made = memory?.spentRetries[BY_POLICY] ?? 0;
  }

  /** Whether the step is to run again; the wait has passed then. Asked only when no route took the error. */
  async again(
    frame: Frame,
    work: Work,
    at: Visit,
    { end, decision }: Read,
    attempt: number,
    prepared: Prepared,
    { endedAt, dice, breaker }: Tried,
  ): Promise<boolean> {
    const { guard } = frame.engine;
    if (!guard || end.type !== "raised") return false;
    const { error } = end;
    this.#errors ??= [];
    this.#errors.push(error);
    if (end.unopted || decision?.action !== "unhandled" || at.signal.aborted) return false;
    const values = prepared.ok ? prepared.values : undefined;
    const failure = { error, errors: this.#errors, attempt, retries: this.#made, breaker, values, endedAt, dice };
    const again = await guard.unrouted(frame, work, at, failure);
    if (again) this.#made += 1;
    return again;
  }
}

/** Where a journal counts them (see `spentRetries`). */
const BY_POLICY = -1;

// Which moments of a schedule are to be fired now: those that have come, and of those that a pause of the server missed
// as many as the trigger wants to catch up with.
import { momentsBetween, nextMoment, parseCron } from "./cron.ts";

export type CatchUp = "none" | "last" | "all";

export interface Scheduled {
  readonly schedule: string;
  readonly timezone: string;
  readonly catch_up: CatchUp;
}

export interface DueMoments {
  readonly fire: readonly number[];
  /** Missed, and not caught up with. */
  readonly missed: readonly number[];
}

/** A moment is missed when it was not fired within this time: no server was up. */
export const GRACE_MS = 60_000;
/** More than this nobody wants to catch up with. */
const MOST = 500;

/** `since`: up to when moments were looked at. A clock that was set back finds nothing new until it is there again. */
export function dueMoments({ schedule, timezone, catch_up }: Scheduled, since: number, now: number): DueMoments {
  const moments = momentsBetween(parseCron(schedule), timezone, since, now, MOST);
  if (catch_up === "all") return { fire: moments, missed: [] };
  const isMissed = (moment: number): boolean => moment < now - GRACE_MS;
  const late = moments.filter(isMissed);
  const fresh = moments.filter((moment) => !isMissed(moment));
  const last = catch_up === "last" && fresh.length === 0 ? late.slice(-1) : [];
  return { fire: [...last, ...fresh], missed: late.slice(0, late.length - last.length) };
}

export const nextDue = (
  { schedule, timezone }: Pick<Scheduled, "schedule" | "timezone">,
  now: number,
): number | undefined => nextMoment(parseCron(schedule), timezone, now);

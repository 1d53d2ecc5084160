// The one record of moments that were too many for a record each.
import type { Firing, Firings } from "../../hosts/firings.ts";
import { MOST_CAUGHT_UP } from "../../triggers/due.ts";

export interface RecordedLeftOut {
  readonly count: number;
  /** The first and the last of them, as ISO times. */
  readonly from: string;
  readonly to: string;
}

export const leftOutOf = ({ body }: Pick<Firing, "body">): RecordedLeftOut | undefined =>
  (body.cause as { readonly left_out?: RecordedLeftOut } | undefined)?.left_out;

/** So many records of what was skipped since are looked through: those of a whole catching up, and more. */
const MOST = 2 * MOST_CAUGHT_UP;

export async function newestLeftOut(firings: Firings, trigger: string): Promise<Firing | undefined> {
  const skipped = await firings.list({ trigger, status: "skipped", limit: MOST });
  return skipped.find((firing) => leftOutOf(firing) !== undefined);
}

// What set a firing off, in a few words: a moment of a schedule, a run that ended, a delivery, or a person.
import type { FiringJson } from "../../../server/contract/triggers.ts";
import { dayAndTime, plural, shortId } from "../../parts/text.ts";

interface Cause {
  readonly by?: string;
  readonly person?: string;
  readonly scheduled_at?: string;
  readonly left_out?: { readonly count: number };
  readonly run?: { readonly run_id?: string };
}

export function setOffBy({ cause }: Pick<FiringJson, "cause">, now: number): string {
  const { by, person, scheduled_at, left_out, run } = (cause ?? {}) as Cause;
  const whose = by === "hand" ? (person ?? "someone") : null;
  const followed = run?.run_id === undefined ? "" : `run ${shortId(run.run_id)}`;
  if (whose !== null) return `${whose}, by hand${followed === "" ? "" : `, for ${followed}`}`;
  if (left_out) return `${plural(left_out.count, "moment")} when no server was up`;
  if (scheduled_at !== undefined) return `its schedule, ${dayAndTime(scheduled_at, now)}`;
  return followed === "" ? "a delivery" : `the end of ${followed}`;
}

// A dead letter as both stores keep it: the same columns, times in milliseconds (which Postgres gives as text).
import type { Letter, LetterStatus } from "../shared-state.ts";
import { isoTime } from "./time.ts";

export interface LetterRow {
  readonly id: string;
  readonly run_id: string;
  readonly place: string;
  readonly workflow: string;
  readonly node: string;
  readonly kind: string;
  readonly status: LetterStatus;
  readonly first_seen: number | string;
  readonly last_seen: number | string;
  readonly count: number;
  readonly body: string;
}

/** `status`: what it counts as, since a claim of a dead process is none; `body`: as it was kept, opened when it was sealed. */
export const storedLetter = (row: LetterRow, { status, body }: Pick<Letter, "status" | "body">): Letter => ({
  id: row.id,
  runId: row.run_id,
  place: row.place,
  workflow: row.workflow,
  node: row.node,
  kind: row.kind,
  status,
  firstSeen: isoTime(row.first_seen),
  lastSeen: isoTime(row.last_seen),
  count: row.count,
  body,
});

// Places a drive of a run that is there, with what the drive is made from. Within the transaction of who places it.
import { type PlacedDrive, SCENARIO_PINS } from "../../fleet.ts";
import { NOTHING_KEPT } from "../../kept-secrets.ts";
import type { Seal } from "../../state/seal.ts";
import type { Transaction } from "../database.ts";
import { readEnding, requireReached } from "../ending.ts";
import { pinSources } from "../pins.ts";
import { keepSecrets, requireSeal } from "../secrets.ts";
import { FORGET_LACKS } from "./missing-requirements.ts";
import type { DriveQueue } from "./queue.ts";

export const sealedRequest = (seal: Seal, runId: string, request: unknown): string =>
  seal.close(JSON.stringify(request), [runId, "request"]);

/** Files, scenario and secret inputs. */
export async function keepForDrive(
  sql: Transaction,
  seal: Seal,
  runId: string,
  { pins, scenario, secrets, holdsSecrets }: PlacedDrive,
): Promise<void> {
  if (holdsSecrets) requireSeal(seal);
  if (pins) await pinSources(sql, seal, runId, pins.drive, pins.sources);
  if (scenario) await pinSources(sql, seal, runId, SCENARIO_PINS, scenario);
  if (secrets && Object.keys(secrets).length > 0)
    await keepSecrets(sql, seal, runId, { ...NOTHING_KEPT, inputs: secrets });
}

export async function placeDrive(
  sql: Transaction,
  queue: DriveQueue,
  seal: Seal,
  { runId, n, drive }: { readonly runId: string; readonly n: number; readonly drive: PlacedDrive },
): Promise<void> {
  await keepForDrive(sql, seal, runId, drive);
  const [row] = await sql.rows<{ request_seq: string }>(
    `${FORGET_LACKS}
     update segno.runs set drive = $2, drive_ended = false, request = $3, refused = null, stop_requested = false,
       wakes_at = null, left_because = null, placed_at = clock_timestamp(), request_seq = coalesce(
         (select last_seq from segno.events e where e.run_id = $1 and stream = '' order by first_seq desc limit 1), 0)
     where run_id = $1 returning request_seq`,
    [runId, n, sealedRequest(seal, runId, drive.request)],
  );
  requireReached(runId, await readEnding(sql, seal, runId), Number(row?.request_seq ?? 0));
  await queue.enqueue(sql, { runId, drive: n, lane: drive.lane });
}

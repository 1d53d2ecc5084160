// Takes what the queue gave to this worker: the drive of a run, or a share of a spread group. Each is checked before
// and after its lease is taken: in between another worker may have taken it, or it may have ended.
import type { RunMeta } from "../../../../storage/run-reader.ts";
import { openValue, type Seal, sealingKey } from "../../../../storage/state/seal.ts";
import { ChangedInDatabase, StoreError } from "../../../../storage/store-error.ts";
import { openEnding, readEnding, requireReached } from "../ending.ts";
import { requireRunId, takeLease } from "../lease.ts";
import type { LogOptions, PostgresLog } from "../log.ts";
import { PostgresReader, type StoreAccess } from "../reader.ts";
import { metaOfRow, metaOfRun } from "../run-index.ts";
import { keyKept } from "../state.ts";
import type { TakenDrive as AnyTakenDrive, TakenBranch } from "../worker-host.ts";
import type { ClaimedDrive, DriveRow } from "./claims.ts";
import type { Teller } from "./notices.ts";
import { branchShare } from "./share.ts";
import { runSpreads } from "./spreads.ts";

export interface TakingGround {
  readonly access: StoreAccess;
  readonly teller: Teller;
  readonly protocol: string;
  readonly logOf: (
    meta: RunMeta,
    lease: { readonly epoch: number },
    lastSeq: number,
    given: Pick<LogOptions, "drive" | "stream" | "claim">,
  ) => PostgresLog;
}

interface BranchOfRun {
  readonly name: string;
  readonly concurrency: number;
  readonly key: string;
  readonly whole: string | null;
  readonly after_seq: string;
  readonly items: string;
  readonly request: string;
}

export interface TakenDrive extends AnyTakenDrive {
  readonly log: PostgresLog;
}

/** Nothing when it is not the run's last drive any more, or has ended. */
export async function takeDrive(ground: TakingGround, runId: string, drive: number): Promise<TakenDrive | undefined> {
  requireRunId(runId);
  const { access, logOf } = ground;
  const { database, members, seal } = access;
  const current = () =>
    database.rows<DriveRow>(
      `select *, (select last_seq from segno.events e where e.run_id = r.run_id and stream = '' order by first_seq desc limit 1)
       from segno.runs r where run_id = $1 and drive = $2 and not drive_ended`,
      [runId, drive],
    );
  const [before] = await current();
  if (!before) return undefined;
  // Who cannot read what is asked leaves the run to those who can.
  openRequest(seal, runId, before.request);
  requireReached(runId, await readEnding(database, seal, runId), Number(before.last_seq ?? 0));
  const lease = await takeLease(database, members, { runId, takeOver: true });
  const [row] = await current();
  const log = logOf(metaOfRow(before), lease, Number(row?.last_seq ?? 0), { drive });
  if (!row) {
    await log.release();
    return undefined;
  }
  return takenDrive(ground, log, row, openRequest(seal, runId, row.request));
}

function takenDrive(ground: TakingGround, log: PostgresLog, row: DriveRow, request: unknown): TakenDrive {
  const { access, teller, protocol } = ground;
  const { meta, epoch, lastSeq } = log;
  const requestSeq = Number(row.request_seq);
  const spreading = runSpreads({ access, teller, meta, epoch, requestSeq, protocol });
  return { log, request, isBegun: lastSeq > requestSeq, left: row.left_because ?? undefined, spreading };
}

/** Its lease was taken with the claim: no process had the run. That it is still the run's last drive, its first write asks. */
export async function takeClaimed(ground: TakingGround, claimed: ClaimedDrive, drive: number): Promise<TakenDrive> {
  const { seal } = ground.access;
  const { run_id: runId } = claimed;
  const lastSeq = Number(claimed.last_seq ?? 0);
  const log = ground.logOf(metaOfRow(claimed), { epoch: Number(claimed.epoch) }, lastSeq, { drive, claim: claimed });
  const request = await orReleased(log, () => {
    requireReached(runId, openEnding(seal, runId, claimed.ending), lastSeq);
    return openRequest(seal, runId, claimed.request);
  });
  return takenDrive(ground, log, claimed, request);
}

export async function takeBranch(
  ground: TakingGround,
  runId: string,
  stream: string,
  attempt: number,
): Promise<TakenBranch | undefined> {
  const { access, logOf } = ground;
  const { database, members, seal } = access;
  const current = () =>
    database.rows<BranchOfRun>(
      `select b.name, b.concurrency, s.key, s.whole, s.after_seq, s.items, r.request from segno.branches b
       join segno.spreads s on s.run_id = b.run_id and s.name = b.name join segno.runs r on r.run_id = b.run_id
       where b.run_id = $1 and b.stream = $2 and b.attempt = $3 and not b.ended`,
      [runId, stream, attempt],
    );
  const [before] = await current();
  if (!before) return undefined;
  openRequest(seal, runId, before.request);
  requireOwnDrive(runId, stream, before);
  const meta = await metaOfRun(access, runId);
  const lease = await takeLease(database, members, { runId, stream, takeOver: true });
  const [row] = await current();
  const lastSeq = await new PostgresReader(access, meta, stream).lastSeq;
  const log = logOf(meta, lease, lastSeq, { stream });
  if (!row) {
    await log.release();
    return undefined;
  }
  const { name, concurrency } = row;
  const key = keyKept(row, seal);
  const items = await orReleased(log, () => openValue<readonly string[]>(seal, row.items, [runId, name]));
  const share = branchShare({ access, runId, name, stream, key, items, concurrency, epoch: lease.epoch });
  if (await share.isStopped()) {
    await share.end([]);
    await log.release();
    return undefined;
  }
  const request = await orReleased(log, () => openRequest(seal, runId, row.request));
  return { log, request, share, afterSeq: Number(row.after_seq) };
}

/** What is not sealed comes from a caller without a key, or from anyone who can write to the database: no worker with a key uses it. */
function openRequest(seal: Seal, runId: string, request: string): unknown {
  if (seal.isSealed && sealingKey(request) === null)
    throw new StoreError(
      "sealed",
      "It is not sealed, and SEGNO_SEAL_KEY is set here: this worker uses nothing that is not sealed. A worker without a key can drive it.",
      runId,
    );
  return openValue<unknown>(seal, request, [runId, "request"]);
}

async function orReleased<Value>(log: PostgresLog, read: () => Value): Promise<Value> {
  try {
    return read();
  } catch (problem) {
    await log.release();
    throw problem;
  }
}

/** A share's name, which its items are sealed with, ends with the number of its request: before that the run was another one. */
function requireOwnDrive(runId: string, stream: string, { name, after_seq }: BranchOfRun): void {
  if (Number(after_seq) > Number(name.slice(name.lastIndexOf("@") + 1))) return;
  throw new ChangedInDatabase(
    `The share ${stream} of run ${runId} is said to begin at event ${after_seq}, before its own drive: it was changed in the database. Segno does not use it.`,
    runId,
  );
}

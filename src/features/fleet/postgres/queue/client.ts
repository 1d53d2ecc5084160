// Places drives: from outside (a run, a resume, an answer), and by workers (the next part of a run that waits, or that is
// handed over).
import { RunCopies } from "../../../../storage/files/run-copies.ts";
import type {
  AnswerTo,
  Fleet,
  FleetStanding,
  LeftBy,
  PlacedDrive,
  QueueView,
  RunFiles,
  WorkerView,
} from "../../../../storage/fleet.ts";
import type { Heard } from "../../../../storage/shared-state.ts";
import type { GateTable } from "../../../../storage/state/gates.ts";
import { openValue } from "../../../../storage/state/seal.ts";
import type { NewRun } from "../../../../storage/store.ts";
import { isUnreadable } from "../../../../storage/store-error.ts";
import { doneIn, type Queries, type Transaction } from "../database.ts";
import { cancelWorkflow, NOT_TAKEN, TAKEN_BY_WORKER } from "../dbos.ts";
import { nowAt } from "../members.ts";
import type { StoreAccess } from "../reader.ts";
import { keysInUse, requireFleetsSeal, requireOwnRun, runsInClear } from "../sealed-fleet.ts";
import { comparedKeys, leaveToDrive } from "../state.ts";
import type { WorkerFleet } from "../worker-host.ts";
import type { Teller } from "./notices.ts";
import { beginRun, fleetStanding, placeDrive, underwayLocked } from "./placing.ts";
import { enqueue, workflowId } from "./queue.ts";
import { HAS_UNHEARD_ANSWER } from "./stranded.ts";
import { askToLeave, missingRequirements, queueNow, recordMissingRequirement, workersThere } from "./workers-there.ts";

export class FleetClient implements Fleet {
  constructor(
    private readonly access: StoreAccess,
    private readonly gates: GateTable,
    private readonly teller: Teller,
    /** Of Segno. */
    private readonly version: string,
  ) {}

  get #database() {
    return this.access.database;
  }

  get #members() {
    return this.access.members;
  }

  filesOf(runId: string): RunFiles {
    return new RunCopies(this.access.folderOf(runId));
  }

  async begin(run: NewRun, drive: PlacedDrive): Promise<void> {
    if (this.access.seal.isSealed) await this.#requireSameSeal();
    const isPlaced = await beginRun(this.access, { ...run, version: this.version }, drive);
    if (!isPlaced) await this.#requireSameSeal();
    await this.teller.tell("drive");
  }

  /** Does what places a drive, and tells the workers when it has. */
  async #placing<Result>(work: (sql: Transaction) => Promise<Result>): Promise<Result> {
    const result = await this.#database.transaction(work);
    if (result !== false) await this.teller.tell("drive");
    return result;
  }

  place(runId: string, drive: PlacedDrive): Promise<boolean> {
    return this.#placing(async (sql) => {
      await this.#requireSameSeal(sql);
      const now = await underwayLocked(sql, this.#members, runId);
      if (!now?.drive_ended || now.lives) return false;
      await this.#enqueue(sql, runId, now.drive + 1, drive);
      if (drive.retries) await leaveToDrive(sql, this.access.seal, runId, drive.retries);
      return true;
    });
  }

  async placeAgain(runId: string): Promise<boolean> {
    await this.#requireSameSeal();
    return this.#goOn(runId, "true", (request) => request);
  }

  answer(runId: string, key: string, given: AnswerTo, drive: PlacedDrive): Promise<Heard> {
    return this.#placing(async (sql) => {
      const now = await underwayLocked(sql, this.#members, runId);
      await this.#requireSameSeal(sql);
      const isFree = now?.drive_ended === true && !now.lives;
      // The run's driver finds the answer while it asks, or when its drive ends; if it is lost first, another one does.
      const heard = await doneIn(sql, this.gates.answering(runId, key, given, isFree ? undefined : now?.drive));
      if (heard === "ok" && isFree) await this.#enqueue(sql, runId, now.drive + 1, drive);
      return heard;
    });
  }

  #requireSameSeal(sql: Queries = this.#database): Promise<void> {
    return requireFleetsSeal(sql, this.#members, this.access.seal);
  }

  #enqueue(sql: Transaction, runId: string, number: number, drive: PlacedDrive): Promise<void> {
    return placeDrive(sql, this.access.seal, runId, number, drive);
  }

  /**
   * The run goes on in another drive with the same request, by who has the lease. Where its worker has done nothing for it, it
   * waits as long as it has already; the delay then is the queue's, and not the run's own time.
   */
  async next(
    runId: string,
    drive: number,
    {
      delaySeconds = 0,
      version,
      because,
      requirement,
      isStranded = false,
    }: Parameters<WorkerFleet["next"]>[2] & {
      readonly version?: string;
      /** It was found without a driver: nothing is done when it has one by now. */
      readonly isStranded?: boolean;
    } = {},
  ): Promise<boolean> {
    return this.#placing(async (sql) => {
      // Locked first, and looked at in the next statement: one that took the run before the lock is seen by it.
      if (isStranded) await underwayLocked(sql, this.#members, runId);
      const changed = await sql.run(
        `update segno.runs r set drive = drive + 1, host = null, pid = null, start = null, left_because = $4,
           placed_at = case when $5 then clock_timestamp() else placed_at end,
           wakes_at = case when not $5 then case when wakes_at < clock_timestamp() then wakes_at end
             when $3::float8 > 0 then clock_timestamp() + make_interval(secs => $3::float8) end
         where run_id = $1 and drive = $2 and not drive_ended and not ($6 and exists (select 1 from segno.leases l
           where l.run_id = r.run_id and l.stream = '' and segno.lives(l.holder, ${nowAt(7)}, $8)))`,
        [
          runId,
          drive,
          delaySeconds,
          because ?? null,
          because !== undefined && requirement === undefined,
          isStranded,
          this.#members.clock,
          this.#members.silenceMs,
        ],
      );
      if (changed !== 1) return false;
      if (isStranded) await cancelWorkflow(sql, workflowId(runId, drive), TAKEN_BY_WORKER);
      if (requirement) await recordMissingRequirement(sql, this.access, runId, requirement);
      await enqueue(sql, { runId, drive: drive + 1, delaySeconds, version });
      return true;
    });
  }

  leftBy(runIds: readonly string[]): Promise<ReadonlyMap<string, readonly LeftBy[]>> {
    return missingRequirements(this.access, runIds);
  }

  /** An answer that came while the run was about to pause: it is heard by the next drive. */
  async afterPause(runId: string, keys: readonly string[], request: unknown): Promise<void> {
    await this.#placing(async (sql) => {
      const now = await underwayLocked(sql, this.#members, runId);
      if (!now?.drive_ended) return false;
      const rows = await sql.rows(
        "select 1 from segno.answers where run_id = $1 and key = any($2::text[]) and answer is not null and not closed",
        [runId, keys.flatMap((key) => comparedKeys(key, this.access.seal))],
      );
      await sql.run("update segno.answers set drive = null where run_id = $1", [runId]);
      if (rows.length > 0) await this.#enqueue(sql, runId, now.drive + 1, { request });
      return rows.length > 0;
    });
  }

  /** The same, of a run whose worker was lost before it looked. */
  afterLostPause(runId: string, goingOn: (request: unknown) => unknown): Promise<boolean> {
    return this.#goOn(runId, HAS_UNHEARD_ANSWER, goingOn);
  }

  /** Places another drive of a run that no worker has, if the SQL condition `holds` is true of its row `r`. */
  async #goOn(runId: string, holds: string, goingOn: (request: unknown) => unknown): Promise<boolean> {
    const { seal } = this.access;
    return this.#placing(async (sql) => {
      const now = await underwayLocked(sql, this.#members, runId);
      if (!now?.drive_ended || now.lives) return false;
      const [row] = await sql.rows<{ request: string }>(
        `select request from segno.runs r where run_id = $1 and request is not null and ${holds}`,
        [runId],
      );
      if (!row) return false;
      const request = goingOn(openValue<unknown>(seal, row.request, [runId, "request"]));
      await this.#enqueue(sql, runId, now.drive + 1, { request });
      return true;
    });
  }

  /** The drive ends with a refusal: the followers of the run get it, and the run is as it was. */
  async refuse(runId: string, drive: number, result: unknown): Promise<void> {
    const { seal } = this.access;
    await this.#database.run(
      `update segno.runs set drive_ended = true, refused = $3,
         status = case when status in ('queued', 'running') then 'failed' else status end, host = null, pid = null, start = null
       where run_id = $1 and drive = $2 and not drive_ended`,
      [runId, drive, seal.close(JSON.stringify(result), [runId, "refused"])],
    );
  }

  standing(runId: string): Promise<FleetStanding | undefined> {
    return fleetStanding(this.access, runId);
  }

  async stop(runId: string): Promise<"asked" | "taken out" | "not underway"> {
    await requireOwnRun(this.#database, this.access.seal, runId);
    const stopped = await this.#database.transaction(async (sql) => {
      const now = await underwayLocked(sql, this.#members, runId);
      if (!now || now.drive_ended) return "not underway" as const;
      if (await cancelWorkflow(sql, workflowId(runId, now.drive), NOT_TAKEN)) {
        await sql.run("update segno.runs set drive_ended = true, wakes_at = null where run_id = $1", [runId]);
        return "taken out" as const;
      }
      await sql.run("update segno.runs set stop_requested = true where run_id = $1", [runId]);
      return "asked" as const;
    });
    if (stopped === "asked") await this.teller.tell("wish");
    return stopped;
  }

  workers(): Promise<readonly WorkerView[]> {
    return workersThere(this.#database, this.#members);
  }

  get sealedWith(): string | null {
    return this.keysHere[0] ?? null;
  }

  get keysHere(): readonly string[] {
    return this.access.seal.keyIds;
  }

  keysInUse(): Promise<ReadonlyMap<string, number>> {
    return keysInUse(this.#database);
  }

  runsInClear(): Promise<number> {
    return runsInClear(this.#database);
  }

  async takesFromHere(): Promise<boolean> {
    try {
      await this.#requireSameSeal();
      return true;
    } catch (problem) {
      if (isUnreadable(problem)) return false;
      throw problem;
    }
  }

  queue(): Promise<QueueView> {
    return queueNow(this.#database, this.#members);
  }

  async drain(idOrPrefix: string): Promise<readonly string[]> {
    const asked = await askToLeave(this.#database, idOrPrefix);
    await this.teller.tell("wish");
    return asked;
  }
}

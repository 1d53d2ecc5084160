// A run that this process drives. Every write checks the epoch under which the run was taken: after another process
// took the run with a higher epoch, nothing of this process is written.
import type { RunEvent } from "../../../base/events/registry.ts";
import type { RunStatus } from "../../../base/events/state/state.ts";
import { msSince, thisMoment } from "../../../storage/clock.ts";
import { writing } from "../../../storage/faults.ts";
import { RunCopies } from "../../../storage/files/run-copies.ts";
import type { LeaseHolder } from "../../../storage/liveness.ts";
import { type KeptSecrets, NOTHING_KEPT, together } from "../../../storage/rows/columns.ts";
import { type DataText, textsOfData } from "../../../storage/rows/data-text.ts";
import type { Exported, Lines, RunEnding, RunLog } from "../../../storage/run-log.ts";
import type { RunMeta, SecretInputs, SecretsToKeep } from "../../../storage/run-reader.ts";
import { LeaseLost } from "../../../storage/store-error.ts";
import { END_DRIVE, HAS_LEASE, SET_STATUS, SET_STATUS_AND_FACTS, valuesOfEnd } from "./ending.ts";
import { freeLease, isLeftOut, type TakenLease } from "./lease.ts";
import { appendFenced, forgetSecretsIn, NO_END, type TakingUp } from "./own-journal.ts";
import type { ClaimedDrive } from "./queue/claims.ts";
import { workflowId } from "./queue/queue.ts";
import { FORGET_LACKS } from "./queue/workers-there.ts";
import { type BatchRow, encodedRow, PostgresReader, type StoreAccess } from "./reader.ts";
import { valuesOfFacts } from "./run-facts.ts";
import { changeSecrets } from "./secrets.ts";
import { type PinRow, pinSources, sourcesOf } from "./sources.ts";

export interface LogOptions {
  readonly lease: TakenLease;
  readonly lastSeq: number;
  /** Files beside the journal, for other programs. A worker keeps none: the process that follows a run does. */
  readonly keepsCopies: boolean;
  /** The drive that the queue gave, when it did. */
  readonly drive?: number;
  /** Of a branch of the run: the stream that only its drive writes. */
  readonly stream?: string;
  readonly claim?: ClaimedDrive;
  readonly released: () => void;
  /** Called when the drive is done in the queue as well. */
  readonly done?: () => void;
}

export class PostgresLog extends PostgresReader implements RunLog {
  readonly isElsewhere = true;
  /** Without the claim, which has the whole request and all files of the drive. */
  readonly #options: Omit<LogOptions, "claim">;
  readonly #copies: RunCopies | undefined;
  #last: number;
  #isReleased = false;
  /** The lease, with the run's end. */
  #isGivenBack = false;
  #isLost = false;
  /** The first write says in the run's row that this process drives it. */
  #takesUp = false;
  /** What was read with the claim, as long as only this process can have changed it. */
  #kept: KeptSecrets | undefined;
  #pins: readonly PinRow[];
  #provenAt = thisMoment();

  constructor(access: StoreAccess, meta: RunMeta, { claim, ...options }: LogOptions) {
    super(access, meta, options.stream);
    this.#options = options;
    const { lastSeq, keepsCopies } = options;
    this.#last = lastSeq;
    this.#pins = claim?.pins?.filter(({ copies }) => copies !== null) ?? [];
    if (claim?.secrets === null) this.#kept = NOTHING_KEPT;
    this.#copies = keepsCopies ? new RunCopies(this.folder) : undefined;
  }

  get takenOver(): LeaseHolder | undefined {
    return this.#options.lease.takenOver;
  }

  get worker(): string | undefined {
    return this.#options.keepsCopies ? undefined : this.access.members.name;
  }

  override get lastSeq(): number {
    return this.#last;
  }

  get closesQuestions(): boolean {
    return this.#options.drive !== undefined;
  }

  get streamName(): string {
    return this.stream;
  }

  /** Under which it was taken: what else its holder changes has to know it too. */
  get epoch(): number {
    return this.#options.lease.epoch;
  }

  async append(
    events: readonly RunEvent[],
    dataTexts: readonly DataText[] = textsOfData(events),
    heard?: ReadonlyMap<string, number>,
  ): Promise<void> {
    if (events.length === 0) return;
    if (this.#isReleased || this.#isLost) throw await this.#lost();
    const first = events[0]!.seq;
    if (first !== this.#last + 1)
      throw new RangeError(`event ${first} does not follow event ${this.#last} of run ${this.runId}`);
    const big = new Map<string, string>();
    const text = encodedRow(this.runId, events, dataTexts, big);
    if (big.size > 0) await this.blobs.keep(big);
    const last = first + events.length - 1;
    const data = this.access.seal.close(text, [this.runId, this.stream, first]);
    const began = thisMoment();
    const row = { runId: this.runId, stream: this.stream, epoch: this.epoch, first, last, data };
    if (heard) await this.#takeUpFirst();
    const takesUp = this.#takesUp ? this.#takingUp : undefined;
    await writing(() => appendFenced(this.access.database, row, { takesUp, heard, lost: () => this.#lost() }), events);
    this.#takesUp = false;
    // Branches keep secrets too.
    if (heard) this.#kept = undefined;
    this.#last = last;
    this.#provenAt = began;
    await this.assertLease();
  }

  /**
   * A process can be suspended at any moment: a lease that was confirmed long ago is checked again, until the check itself was
   * quick. A write alone proves little: a worker that was not heard for long may be given up right after it.
   */
  assertLease(): undefined | Promise<void> {
    const { silenceMs, unheardMs } = this.access.members;
    const isHeard = unheardMs <= silenceMs / 2 || isLeftOut("no-beat-before-step");
    const isFresh = msSince(this.#provenAt) <= silenceMs / 2;
    return (isHeard && isFresh) || isLeftOut("no-second-look") ? undefined : this.#lookAgain();
  }

  async #lookAgain(): Promise<void> {
    if ((await this.access.members.beat()).dead) throw await this.#lost();
    const asked = thisMoment();
    const [row] = await this.access.database.rows<{ epoch: string }>(
      "select epoch from segno.leases where run_id = $1 and stream = $2",
      [this.runId, this.stream],
    );
    if (Number(row?.epoch) !== this.epoch) throw await this.#lost();
    this.#provenAt = asked;
    return this.assertLease();
  }

  async #lost(): Promise<LeaseLost> {
    this.#isLost = true;
    return new LeaseLost(this.runId, await this.holder().catch(() => undefined));
  }

  /** Of a drive that the queue gave: with its first write, which its next step waits for. */
  async takeUp(): Promise<void> {
    this.#takesUp = true;
    if (this.#options.drive === undefined) await this.#takeUpFirst();
  }

  get #takingUp(): TakingUp | undefined {
    const { drive } = this.#options;
    return drive === undefined ? undefined : { ...this.access.members.who, drive };
  }

  async #takeUpFirst(): Promise<void> {
    if (!this.#takesUp) return;
    this.#takesUp = false;
    const { host, pid, start } = this.access.members.who;
    await this.#ours(
      `${FORGET_LACKS} update segno.runs set status = 'running', ${NO_END}, host = $3, pid = $4, start = $5,
         wakes_at = null, left_because = null`,
      [host, pid, start],
    );
  }

  /** Also ends the drive that the queue gave, in one statement: its followers see both at once. */
  async setStatus(status: RunStatus, ending: RunEnding = {}): Promise<void> {
    await this.#takeUpFirst();
    const isGoingOn = status === "running";
    const ended = ending.ended ?? (isGoingOn ? null : this.access.members.now());
    const { drive } = this.#options;
    const { facts, ...end } = ending;
    const { seal } = this.access;
    const values = valuesOfEnd(seal, this.meta, { ...end, status, ended, seq: this.#last, drive: drive ?? null });
    if (!facts) return this.#ours(SET_STATUS, values);
    const known = valuesOfFacts(seal, this.runId, facts);
    if (drive === undefined || isGoingOn) return this.#ours(SET_STATUS_AND_FACTS, [...values, ...known]);
    const inQueue = [workflowId(this.runId, drive), this.access.members.name];
    const changed = await this.access.database.run(END_DRIVE, [
      this.runId,
      this.epoch,
      ...values,
      ...inQueue,
      ...known,
    ]);
    if (changed !== 1) throw await this.#lost();
    this.#isGivenBack = true;
    this.#options.done?.();
  }

  /** A change of the run's row, by who has the lease; `$1` and `$2` are the run and the epoch. */
  async #ours(update: string, values: readonly (string | number | boolean | null)[]): Promise<void> {
    const changed = await this.access.database.run(`${update} where run_id = $1 and ${HAS_LEASE}`, [
      this.runId,
      this.epoch,
      ...values,
    ]);
    if (changed !== 1) throw await this.#lost();
  }

  async pin(drive: number, sources: ReadonlyMap<string, string>): Promise<void> {
    const { database, seal } = this.access;
    this.#pins = [];
    await database.transaction((sql) => pinSources(sql, seal, this.runId, { drive, sources }));
  }

  async saveSecrets(secrets: SecretInputs): Promise<void> {
    await this.#keepSecrets(() => ({ inputs: secrets }));
  }

  async keepMet(met: SecretsToKeep): Promise<void> {
    await this.#keepSecrets((kept) => ({ met: together(kept.met, met) }));
  }

  async #keepSecrets(change: (kept: KeptSecrets) => Partial<KeptSecrets>): Promise<void> {
    this.#kept = undefined;
    await changeSecrets(this.access.database, this.access.seal, this.runId, change);
  }

  async forgetSecrets(shown: (event: RunEvent) => RunEvent): Promise<void> {
    const kept = await this.kept();
    if (kept === NOTHING_KEPT || kept.forgotten) return;
    const { access, runId, blobs, epoch } = this;
    const decoded = (row: BatchRow) => this.decoded(row);
    await forgetSecretsIn({ access, runId, blobs, epoch, decoded, lost: () => this.#lost() }, shown);
  }

  /** Nothing is asked of a journal that has nothing there. */
  override async *events(after = 0): AsyncGenerator<RunEvent> {
    if (after < this.#last) yield* super.events(after);
  }

  override async pinned(drive?: number): Promise<Map<string, string>> {
    const isRead = this.#pins.length > 0 && (drive ?? this.#pins[0]?.drive) === this.#pins[0]?.drive;
    return isRead ? sourcesOf(this.#pins, this.access.seal, this.runId) : super.pinned(drive);
  }

  protected override async kept(): Promise<KeptSecrets> {
    return this.#kept ?? super.kept();
  }

  exportEvents(lines: Lines, length: number): void {
    this.#copies?.exportEvents(lines, length);
  }

  exported(): Exported {
    return this.#copies?.exported(this.#last) ?? { lastSeq: this.#last, lost: 0 };
  }

  flush(): void {
    this.#copies?.flush();
  }

  appendErrors(line: string): void {
    this.#copies?.appendErrors(line);
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#options.released();
    try {
      this.#copies?.close();
    } finally {
      if (!this.#isGivenBack) await freeLease(this.access.database, this.runId, this.stream, this.epoch);
    }
  }

  override close(): Promise<void> {
    return this.release();
  }
}

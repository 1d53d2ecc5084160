// A run that this process drives: the only one that may write its journal.
import type { RunEvent } from "../../base/events/registry.ts";
import type { RunStatus } from "../../base/events/state/state.ts";
import type { Late } from "../../base/json/late.ts";
import { msSince, thisMoment } from "../clock.ts";
import { writing } from "../faults.ts";
import { guarded, ignoringErrors, storeError } from "../files/guarded.ts";
import { RunCopies } from "../files/run-copies.ts";
import type { LeaseHolder } from "../liveness.ts";
import { encodeRow, PrintedTexts } from "../rows/batch.ts";
import { type KeptSecrets, together } from "../rows/columns.ts";
import { type DataText, textsOfData } from "../rows/data-text.ts";
import { type Keep, keepBig, withLates } from "../rows/spill.ts";
import type { Exported, Lines, RunEnding, RunLog } from "../run-log.ts";
import type { SecretInputs, SecretsToKeep } from "../run-reader.ts";
import { immediately, isConstraint, type SqlValue, type Statement } from "../sqlite/connection.ts";
import { LeaseLost } from "../store-error.ts";
import { type DrivenJournal, freeLease, hasLease, journalPath, renewLease } from "./journal.ts";
import { JournalReader } from "./journal-reader.ts";
import {
  isKept,
  keepKeyframe,
  keepSecrets,
  keptSecrets,
  pinSources,
  recordForgotten,
  recordKept,
  removeKeyframe,
  removeSecrets,
} from "./kept-with-run.ts";
import { HEARTBEAT_MS, SILENCE_MS } from "./liveness.ts";

export interface RunPlace {
  readonly now: () => number;
  readonly takeUp: () => void;
  readonly index: (status: RunStatus, ending: RunEnding) => void;
  readonly released: () => void;
}

/** Refused where the lease is another's: a row needs a `last_seq`. One text for all runs: connections keep what they have prepared. */
const APPEND = "INSERT INTO batches VALUES (?, (SELECT ? FROM lease WHERE token = ?), ?)";

/** Of a text without characters that JSON writes in another way; false is never wrong. */
const isJsonOf = (json: string, text: string): boolean => json.length === text.length + 2 && json.startsWith(text, 1);

export class DrivenRun extends JournalReader implements RunLog {
  readonly takenOver?: LeaseHolder;
  readonly #token: string;
  readonly #place: RunPlace;
  readonly #path: string;
  readonly #insert: Statement<never>;
  /** Reused by every append. */
  readonly #row: SqlValue[];
  readonly #keep: Keep;
  readonly #keepBlob: Keep = (text) => this.blobs.keep(text, this.meta.durability === "power");
  readonly #printed = new PrintedTexts();
  /** By the last append: what is shelved then has its name already. */
  #keptLast: { readonly json: string; readonly name: string }[] = [];
  readonly #copies: RunCopies;
  readonly #heart: NodeJS.Timeout;
  readonly #closeFolded: () => void;
  #last: number;
  /** The run cannot be resumed: its journal is closed for good. */
  #isDone: boolean;
  #released = false;
  /** Another process has the run: nothing of it is written any more, here or beside the journal. */
  #isLost = false;
  /** When the lease was last confirmed: every write and every heartbeat does. */
  #provenAt = thisMoment();

  constructor(folder: string, journal: DrivenJournal, place: RunPlace) {
    const { connection, meta, lease } = journal;
    super(folder, connection, meta);
    this.#closeFolded = journal.closeFolded;
    this.#isDone = journal.isFolded;
    if (lease.takenOver) this.takenOver = lease.takenOver;
    this.#token = lease.token;
    this.#place = place;
    this.#path = journalPath(folder);
    this.#last = super.lastSeq;
    this.#insert = connection.prepare(APPEND);
    this.#row = [0, 0, lease.token, ""];
    this.#keep = (json) => {
      const name = this.#printed.nameOf(json) ?? this.#keepBlob(json);
      this.#keptLast.push({ json, name });
      return name;
    };
    this.#copies = new RunCopies(folder, (write) => this.#whileOurs(write));
    this.#heart = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  override get lastSeq(): number {
    return this.#last;
  }

  append(events: readonly RunEvent[], dataTexts: readonly DataText[] = textsOfData(events)): void {
    if (events.length === 0) return;
    const first = events[0]!.seq;
    if (first !== this.#last + 1)
      throw new RangeError(`event ${first} does not follow event ${this.#last} of run ${this.runId}`);
    const last = first + events.length - 1;
    const row = this.#row;
    for (const event of events) this.#printed.see(event);
    if (this.#keptLast.length > 0) this.#keptLast = [];
    row[0] = first;
    row[1] = last;
    row[3] = encodeRow(events, dataTexts, this.#keep, { runId: this.runId, place: this.#path });
    try {
      // `get` and not `run`: the count of written rows is not needed, and `run` spends a tenth of the commit on it.
      writing(() => this.#insert.get(row), events);
    } catch (error) {
      if (isConstraint(error)) throw this.#lost();
      throw storeError(error, `recording run ${this.runId}`, this.#path);
    }
    this.#last = last;
    this.#provenAt = thisMoment();
  }

  assertLease(): undefined | Promise<void> {
    return !this.#isLost && msSince(this.#provenAt) <= SILENCE_MS / 2 ? undefined : this.#confirmLease();
  }

  async #confirmLease(): Promise<void> {
    const asked = thisMoment();
    const isOurs = guarded(`driving run ${this.runId}`, this.#path, () => hasLease(this.connection, this.#token));
    if (!isOurs) throw this.#lost();
    this.#provenAt = asked;
  }

  shelve<Holder extends object>(holder: Holder): Holder {
    return withLates(holder, (text) => this.#late(this.#nameOf(text), text.length));
  }

  #nameOf(text: string): string {
    return this.#keptLast.find(({ json }) => isJsonOf(json, text))?.name ?? this.#keep(JSON.stringify(text));
  }

  /** Apart from the text: what is made where a text is known would hold it. */
  #late(name: string, length: number): Late {
    return { length, name, keeper: this.#keep, read: () => JSON.parse(this.fetch(name)) };
  }

  takeUp(): void {
    this.#place.takeUp();
  }

  setStatus(status: RunStatus, ending: RunEnding = {}): void {
    // The files of a run that is listed as done are not completed later. `release` tries again, and says what is wrong.
    ignoringErrors(() => this.#copies.flush());
    if (this.#isLost) throw this.#lost();
    writing(() => this.#place.index(status, ending));
    this.#isDone = status !== "running" && status !== "paused" && ending.resumable !== true;
    // What it holds may be secret, and there is nothing left to go on with.
    if (this.#isDone) this.#write("recording", () => removeKeyframe(this.connection));
  }

  keepKeyframe(text: string): void {
    this.#write("keeping a keyframe of", () => keepKeyframe(this.connection, this.#token, keepBig(text, this.#keep)));
  }

  pin(drive: number, sources: ReadonlyMap<string, string>): void {
    this.#write("keeping the files of", () => pinSources(this.connection, drive, sources));
  }

  saveSecrets(secrets: SecretInputs): void {
    this.#keepSecrets({ inputs: secrets });
  }

  keepMet(met: SecretsToKeep): void {
    this.#keepSecrets({ met: together(this.seenSecrets(), met) });
  }

  /** The process that has the lease is the only one that writes them. */
  #keepSecrets(changed: Partial<KeptSecrets>): void {
    if (this.#isLost) throw this.#lost();
    keepSecrets(this.folder, { ...keptSecrets(this.folder), ...changed }, this.meta.durability === "power");
    this.#write("keeping the secrets of", () => recordKept(this.connection));
  }

  forgetSecrets(shown: (event: RunEvent) => RunEvent): void {
    if (!isKept(this.folder)) return;
    const used = new Set<string>();
    const keep: Keep = (text) => {
      const name = this.#keepBlob(text);
      used.add(name);
      return name;
    };
    const encoded = (events: readonly RunEvent[]): string =>
      encodeRow(events, textsOfData(events), keep, { runId: this.runId, place: this.#path });
    guarded(`removing the secrets of run ${this.runId}`, this.#path, () => {
      writing(() =>
        immediately(this.connection, () => {
          if (!hasLease(this.connection, this.#token)) throw this.#lost();
          // First whole, then without secrets: what was printed is not there any more when its output is read.
          if (this.namesPrinted) this.rewrite(encoded);
          used.clear();
          this.rewrite((events) => encoded(events.map(shown)));
          recordForgotten(this.connection);
        }),
      );
      // The write-ahead log still has the old rows, and stays while a reader has the run open.
      this.connection.exec("PRAGMA file.wal_checkpoint(TRUNCATE)");
    });
    removeSecrets(this.folder);
    this.blobs.removeBut(used);
  }

  exportEvents(lines: Lines, length: number): void {
    this.#copies.exportEvents(lines, length);
  }

  exported(): Exported {
    return this.#copies.exported(this.#last);
  }

  flush(): void {
    this.#copies.flush();
  }

  appendErrors(line: string): void {
    writing(() => this.#copies.appendErrors(line));
  }

  /** Writes to a file beside the journal, unless another process has the run: it needs the lock that is held here, and adds what is missing. */
  #whileOurs(write: () => void): void {
    if (this.#isLost) return;
    guarded(`recording run ${this.runId}`, this.#path, () =>
      immediately(this.connection, () => {
        if (hasLease(this.connection, this.#token)) write();
        else this.#isLost = true;
      }),
    );
  }

  #write(doing: string, work: () => void): void {
    guarded(`${doing} run ${this.runId}`, this.#path, () => writing(work));
  }

  #lost(): LeaseLost {
    this.#isLost = true;
    return new LeaseLost(this.runId, this.holder());
  }

  #beat(): void {
    try {
      const began = thisMoment();
      if (renewLease(this.connection, this.#token, this.#place.now())) {
        this.#provenAt = began;
        return;
      }
      this.#isLost = true;
      clearInterval(this.#heart);
    } catch {
      // Said louder by the next append; a missed beat alone is no reason to stop.
    }
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    clearInterval(this.#heart);
    this.#place.released();
    try {
      this.#copies.close();
    } finally {
      this.#letGo();
    }
  }

  #letGo(): void {
    try {
      this.#write("closing", () => freeLease(this.connection, this.#token));
    } finally {
      if (this.#isDone) this.#closeFolded();
      else this.connection.close();
    }
  }

  override close(): void {
    this.release();
  }
}

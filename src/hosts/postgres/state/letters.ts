// Dead letters of the whole fleet: steps and items that failed for good, with everything needed to try again later.
import { withAct } from "../../letter-acts.ts";
import type { ProcessName } from "../../liveness.ts";
import { keptText, textKept } from "../../rows/kept-text.ts";
import { type LetterRow, storedLetter } from "../../rows/letter-row.ts";
import { isoTime } from "../../rows/time.ts";
import type {
  Letter,
  LetterAct,
  LetterFilter,
  LetterHead,
  LetterStatus,
  Letters,
  NewLetter,
} from "../../shared-state.ts";
import type { Database, Queries } from "../database.ts";
import { comparedKeys, keptKey, keyKept } from "../kept-key.ts";
import { type FleetMembers, nowAt } from "../members.ts";
import { openValue, type Seal } from "../seal.ts";

interface StandingRow extends LetterRow {
  readonly standing: LetterStatus;
  readonly whole: string | null;
}

/**
 * Claimed by a process while it lives, and by a drive of the run while that is underway: the process that placed it may
 * be gone. Else it counts as open; `$1` and `$2` are the time and the silence.
 */
const STANDING = `case when status = 'retrying' and not coalesce(segno.lives(owner, ${nowAt(1)}, $2), false)
  and not exists (select 1 from segno.runs r where r.run_id = letters.run_id and not r.drive_ended)
  then 'open' else status end`;

export class LetterTable implements Letters {
  readonly #database: Database;
  readonly #members: FleetMembers;
  readonly #seal: Seal;
  readonly #now: () => number;

  constructor(database: Database, members: FleetMembers, seal: Seal, now: () => number) {
    this.#database = database;
    this.#members = members;
    this.#seal = seal;
    this.#now = now;
  }

  get #when(): readonly [number | null, number] {
    return [this.#members.clock, this.#members.silenceMs];
  }

  async put(letter: NewLetter): Promise<string> {
    const { id, runId, place, workflow, node, kind } = letter;
    const body = this.#seal.close(JSON.stringify(letter.body), ["letter", runId, place]);
    const kept = keptKey(place, this.#seal);
    const [, ...earlier] = comparedKeys(place, this.#seal);
    // A letter that is there under an earlier form of its place is the same one.
    if (earlier.length > 0)
      await this.#database.run(
        `update segno.letters set place = $3, whole = $4 where run_id = $1 and place = any($2::text[])
           and not exists (select 1 from segno.letters l where l.run_id = $1 and l.place = $3)`,
        [runId, earlier, kept.key, kept.whole],
      );
    const rows = await this.#database.rows<{ id: string }>(
      `insert into segno.letters as l (id, run_id, place, whole, workflow, node, kind, status, first_seen, last_seen, count, body)
       values ($1, $2, $3, $9, $4, $5, $6, 'open', $7, $7, 1, $8)
       on conflict (run_id, place) do update set kind = excluded.kind, status = 'open', owner = null,
         last_seen = excluded.last_seen, count = l.count + 1, body = excluded.body
       returning id`,
      [id, runId, kept.key, ...[workflow, node, kind].map(keptText), this.#now(), body, kept.whole],
    );
    return rows[0]?.id ?? id;
  }

  async get(id: string): Promise<Letter | undefined> {
    return (await this.#select("where id = $3", [id]))[0];
  }

  list({ kind, workflow, runId, since, status, limit }: LetterFilter = {}): Promise<readonly Letter[]> {
    const isPrefix = kind?.endsWith(".*") ?? false;
    return this.#select(
      `where ($3::text is null or starts_with(kind, $3)) and ($4::text is null or kind = $4)
         and ($5::text is null or workflow = $5) and ($6::text is null or run_id = $6)
         and ($7::bigint is null or last_seen >= $7) and ($8::text[] is null or ${STANDING} = any($8))
       order by last_seen desc, id desc limit $9`,
      [
        isPrefix ? kind!.slice(0, -1) : null,
        isPrefix || kind === "*" || kind === undefined ? null : keptText(kind),
        workflow === undefined ? null : keptText(workflow),
        runId ?? null,
        since ?? null,
        status === undefined ? null : [status].flat(),
        limit ?? null,
      ],
    );
  }

  async unsettled(): Promise<readonly LetterHead[]> {
    const rows = await this.#database.rows<Omit<LetterRow, "body">>(
      `select id, run_id, workflow, kind, last_seen, count from segno.letters where status in ('open', 'retrying')
       order by last_seen desc, id desc`,
    );
    return rows.map(({ id, run_id: runId, workflow, kind, last_seen, count }) => ({
      ...{ id, runId, workflow: textKept(workflow), kind: textKept(kind), lastSeen: isoTime(last_seen), count },
    }));
  }

  async #select(
    where: string,
    values: readonly (string | number | null | readonly string[])[],
  ): Promise<readonly Letter[]> {
    const rows = await this.#database.rows<StandingRow>(
      `select *, ${STANDING} as standing from segno.letters ${where}`,
      [...this.#when, ...values],
    );
    const what = (row: StandingRow): string => `the dead letter ${row.id} of run ${row.run_id}`;
    return this.#database.leftOut.readable(rows, what, (row) => this.#letter(row));
  }

  async claim(ids: readonly string[], owner?: ProcessName): Promise<readonly string[]> {
    const name = owner ?? (await this.#members.self());
    const rows = await this.#database.rows<{ id: string }>(
      `update segno.letters set status = 'retrying', owner = $3
       where id in (select id from segno.letters where id = any($4::text[]) for update) and ${STANDING} = 'open'
       returning id`,
      [...this.#when, name, ids],
    );
    const ours = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => ours.has(id));
  }

  async setStatus(ids: readonly string[], status: LetterStatus, act?: LetterAct): Promise<readonly Letter[]> {
    if (act)
      await this.#database.transaction(async (transaction) => {
        await this.#keepAct(transaction, ids, act);
        await changeStatus(transaction, ids, status);
      });
    else await changeStatus(this.#database, ids, status);
    const found = await this.#select("where id = any($3::text[])", [ids]);
    return ids.flatMap((id) => found.find((letter) => letter.id === id) ?? []);
  }

  /** A body can be sealed, so that only this side can add to it. */
  async #keepAct(queries: Queries, ids: readonly string[], act: LetterAct): Promise<void> {
    const rows = await queries.rows<StandingRow>(
      "select *, status as standing from segno.letters where id = any($1::text[]) order by id for update",
      [ids],
    );
    const bodies = rows.map((row) => {
      const { runId, place, body } = this.#letter(row);
      return this.#seal.close(JSON.stringify(withAct(body, act)), ["letter", runId, place]);
    });
    await queries.run(
      `update segno.letters l set body = kept.body
       from unnest($1::text[], $2::text[]) as kept (id, body) where l.id = kept.id`,
      [rows.map(({ id }) => id), bodies],
    );
  }

  expire(olderThan: number): Promise<number> {
    return this.#database.run("delete from segno.letters where last_seen < $1 and status <> 'retrying'", [olderThan]);
  }

  #letter(row: StandingRow): Letter {
    const place = keyKept({ key: row.place, whole: row.whole }, this.#seal);
    const body = openValue<Letter["body"]>(this.#seal, row.body, ["letter", row.run_id, place]);
    const [workflow, node, kind] = [textKept(row.workflow), textKept(row.node), textKept(row.kind)];
    return storedLetter({ ...row, place, workflow, node, kind }, { status: row.standing, body });
  }
}

/** No process has them any more: how the run's drive stands says whether they are being retried. */
export const leaveToDrive = (queries: Queries, seal: Seal, runId: string, places: readonly string[]): Promise<number> =>
  queries.run("update segno.letters set owner = null where run_id = $1 and place = any($2::text[])", [
    runId,
    places.flatMap((place) => comparedKeys(place, seal)),
  ]);

const changeStatus = (queries: Queries, ids: readonly string[], status: LetterStatus): Promise<number> =>
  queries.run(
    `update segno.letters set status = $2, owner = case when $2 = 'retrying' then owner end where id = any($1::text[])`,
    [ids, status],
  );

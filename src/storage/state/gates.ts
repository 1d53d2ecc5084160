// Questions that wait for a person, and the answers. The first answer counts; later ones get `late`. A question is
// closed when the drive that asks it has an answer of its own, or needs none any more.
import { mapMaybe } from "../../base/awaitable.ts";
import type { AnswerTo } from "../fleet.ts";
import { isoTime } from "../rows/columns.ts";
import type { Gates, Heard } from "../shared-state.ts";
import { ChangedInDatabase, isUnreadable, type StoreError } from "../store-error.ts";
import { openValue } from "./seal.ts";
import {
  first,
  fleetOnly,
  type KeptKey,
  raw,
  read,
  run,
  type Sql,
  type SqlWork,
  type StateHost,
  sql,
  write,
} from "./sql.ts";

interface GateRow extends KeptKey {
  readonly run_id: string;
  readonly presented: number | string;
  readonly closed: boolean | number;
  readonly question: string;
  /** On a fleet: questions are sealed there, and yet have to be compared. */
  readonly digest?: string;
  readonly answer: string | null;
}

type GivenAnswer = { readonly answer: unknown } | undefined;

export interface GateTable extends Gates {
  /** Within a transaction that does more: it places the next drive too. `drive`: the one that is underway and has to hear it. */
  answering(runId: string, key: string, given: AnswerTo, drive?: number): SqlWork<Heard>;
}

export function gateTable(host: StateHost): GateTable {
  const { seal, keys } = host;
  const gates = host.table("gates");
  const compared = raw(host.isFleet ? "digest" : "question");
  // Each as its index says it.
  const isOpen = raw(host.isFleet ? "answer is null and not closed" : "answer is null and closed = 0");
  const isNotClosed = raw(host.isFleet ? "not closed" : "closed = 0");
  const digestOf = (question: unknown): string => host.digest(JSON.stringify(question));
  const isAbout = (row: GateRow, question: unknown): boolean => (row.digest ?? row.question) === digestOf(question);
  const ofKey = (runId: string, key: string): Sql =>
    sql`run_id = ${runId} and ${host.among(raw("key"), keys.compared(key))}`;
  const questionOf = (row: GateRow): unknown =>
    openValue(seal, row.question, [row.run_id, "question", keys.keyOf(row)]);

  function* find(runId: string, key: string, locked = raw("")): SqlWork<GateRow | undefined> {
    return yield* first<GateRow>(sql`select * from ${gates} where ${ofKey(runId, key)}${locked}`);
  }

  const found = <Result>(runId: string, key: string, next: (row: GateRow | undefined) => Result) =>
    mapMaybe(
      host.do(() => find(runId, key)),
      next,
    );

  /** Sealed for the question that it was given to. */
  const closedAnswer = (row: GateRow, key: string, answer: unknown): string =>
    seal.close(JSON.stringify(answer), [row.run_id, "answer", key, ...(row.digest === undefined ? [] : [row.digest])]);

  /** Put back when its question is asked anew, or asks something else, it is none. */
  function answerOf(row: GateRow, question: unknown): GivenAnswer {
    if (row.answer === null) return undefined;
    const key = keys.keyOf(row);
    const place = [row.run_id, "answer", key];
    try {
      return { answer: openValue(seal, row.answer, [...place, digestOf(question)]) };
    } catch (problem) {
      if (isUnreadable(problem) || !seal.isSealed) throw problem;
      if (isAskedAnew(question)) throw notToThis(row, key, problem);
      // Given before answers were sealed for their question: what an older Segno asked has no time at which it was asked anew.
      return { answer: openValue(seal, row.answer, place) };
    }
  }

  const answerTo = (row: GateRow | undefined, question: unknown): GivenAnswer =>
    row && !row.closed && isAbout(row, question) ? answerOf(row, question) : undefined;

  function* answering(runId: string, key: string, { answer, question }: AnswerTo, drive?: number): SqlWork<Heard> {
    const row = yield* find(runId, key, host.forUpdate);
    if (!row) return "unknown";
    if (row.answer !== null || row.closed) return "late";
    if (!isAbout(row, question ?? questionOf(row))) return "changed";
    const ofDrive = fleetOnly(host, sql`, drive = ${drive ?? null}`);
    yield* run(
      sql`update ${gates} set answer = ${closedAnswer(row, key, answer)}${ofDrive} where run_id = ${runId} and key = ${row.key}`,
    );
    return "ok";
  }

  return {
    answering,

    present: (runId, key, question) =>
      host.do(function* () {
        const text = seal.close(JSON.stringify(question), [runId, "question", key]);
        const kept = keys.kept(key);
        const [, ...earlier] = keys.compared(key);
        // A question that stands there under an earlier form of its key is the same one.
        if (earlier.length > 0)
          yield* run(
            sql`update ${gates} set key = ${kept.key}, whole = ${kept.whole} where run_id = ${runId} and ${host.among(raw("key"), earlier)}
              and not exists (select 1 from ${gates} b where b.run_id = ${runId} and b.key = ${kept.key})`,
          );
        yield* run(
          sql`insert into ${gates} as a (run_id, key, presented, closed, question${fleetOnly(host, sql`, whole, digest`)})
            values (${runId}, ${kept.key}, ${host.now()}, false, ${text}${fleetOnly(host, sql`, ${kept.whole}, ${digestOf(question)}`)})
            on conflict (run_id, key) do update set closed = false, question = excluded.question${fleetOnly(host, sql`, digest = excluded.digest`)},
              answer = case when a.${compared} = excluded.${compared} and not a.closed then a.answer end`,
        );
      }),

    answer: (runId, key, answer, question) => host.transaction(() => answering(runId, key, { answer, question })),

    get: (runId, key) => found(runId, key, (row) => (row && !row.closed ? answerOf(row, questionOf(row)) : undefined)),

    answered: (runId, wanted) =>
      mapMaybe(
        read<KeptKey>(
          host,
          sql`select key${fleetOnly(host, sql`, whole`)} from ${gates} where run_id = ${runId} and answer is not null
            and ${isNotClosed} and ${host.among(raw("key"), wanted.flatMap(keys.compared))}`,
        ),
        (all) => all.map(keys.keyOf),
      ),

    answerTo: (runId, key, question) => found(runId, key, (row) => answerTo(row, question)),

    settle: (runId, key, question, answer) =>
      host.transaction(function* (): SqlWork<GivenAnswer> {
        const row = yield* find(runId, key, host.forUpdate);
        const earlier = answerTo(row, question);
        if (!row || earlier) return earlier;
        const given = answer === undefined ? null : closedAnswer(row, key, answer);
        yield* run(
          sql`update ${gates} set closed = true, answer = ${given} where run_id = ${runId} and key = ${row.key}`,
        );
        return undefined;
      }),

    counted: (runId, key) => found(runId, key, (row) => row && answerOf(row, questionOf(row))),

    withdraw: (runId) => write(host, sql`update ${gates} set closed = true where run_id = ${runId} and ${isOpen}`),

    asking: () =>
      mapMaybe(read<{ run_id: string }>(host, sql`select distinct run_id from ${gates} where ${isOpen}`), (all) =>
        all.map(({ run_id }) => run_id),
      ),

    pending: (runId) =>
      mapMaybe(
        read<GateRow>(
          host,
          sql`select * from ${gates} where ${isOpen}${runId === undefined ? raw("") : sql` and run_id = ${runId}`} order by presented, key`,
        ),
        (all) =>
          host.readable(
            all,
            (row) => `a question of run ${row.run_id}`,
            (row) => ({
              runId: row.run_id,
              key: keys.keyOf(row),
              question: questionOf(row),
              presented: isoTime(row.presented),
            }),
          ),
      ),

    forget: (runId, key) =>
      write(host, sql`delete from ${gates} where ${key === undefined ? sql`run_id = ${runId}` : ofKey(runId, key)}`),
  };
}

const isAskedAnew = (question: unknown): boolean =>
  (question as { readonly asked_at?: unknown }).asked_at !== undefined;

const notToThis = (row: GateRow, key: string, problem: unknown): StoreError =>
  new ChangedInDatabase(
    `The answer to ${key} of run ${row.run_id} in the database was given to another question: it was put there by hand. Segno does not use it. A resume from that step asks again.`,
    row.run_id,
    { cause: problem },
  );

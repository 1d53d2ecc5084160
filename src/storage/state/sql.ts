// The port through which what runs share is read and written: one set of statements for SQLite and Postgres.
//
// What is done is a generator that yields statements. On Postgres each is awaited. On SQLite all of them are answered within one
// call, so that a transaction never spans a turn of the event loop: two of one process cannot interleave, and no process
// blocks while it waits for a lock that it holds itself.
import type { Awaitable } from "../../base/awaitable.ts";
import type { ProcessName } from "../liveness.ts";
import type { Seal } from "./seal.ts";

export type SqlParameter = string | number | bigint | boolean | null | undefined | Date | Buffer | readonly unknown[];

/** A part of a statement, or all of it: `values` stand between `texts`. */
export class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly SqlParameter[],
  ) {}

  /** `parameter`: how all of them are written, or the one of that number, from 1. */
  text(parameter: string | ((number: number) => string)): string {
    if (typeof parameter === "string") return this.texts.join(parameter);
    let all = this.texts[0] ?? "";
    for (let at = 1; at < this.texts.length; at++) all += parameter(at) + this.texts[at];
    return all;
  }
}

/**
 * What stands in braces is a parameter, or part of the text if it is SQL itself.
 *
 * @example
 * const isOurs = sql`owner = ${name}`;
 * yield* run(sql`delete from ${slots} where scope = ${scope} and ${isOurs}`);
 */
export function sql(texts: readonly string[], ...parts: readonly (SqlParameter | Sql)[]): Sql {
  // Statements are few and short-lived, and mostly run in code that is not warm: no iterators, no closures.
  const all: string[] = [];
  const values: SqlParameter[] = [];
  let text = texts[0] ?? "";
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part instanceof Sql) {
      text += part.texts[0] ?? "";
      for (let nth = 1; nth < part.texts.length; nth++) {
        all.push(text);
        text = part.texts[nth] ?? "";
        values.push(part.values[nth - 1]);
      }
    } else {
      all.push(text);
      text = "";
      values.push(part);
    }
    text += texts[at + 1] ?? "";
  }
  all.push(text);
  return new Sql(all, values);
}

export const raw = (text: string): Sql => new Sql([text], []);

/** Of a text in which parameters are written `$1`, `$2`. */
export function numbered(text: string, values: readonly SqlParameter[]): Sql {
  const parts = text.split(/\$(\d+)/);
  return new Sql(
    parts.filter((_, at) => at % 2 === 0),
    parts.filter((_, at) => at % 2 === 1).map((number) => values[Number(number) - 1]),
  );
}

/** A table with one row, for parts of a statement that depend on another's. */
export const ONE_ROW = raw("(select 1) once");

export const commaSeparated = (parts: readonly Sql[]): Sql => parts.reduce((all, one) => sql`${all}, ${one}`);

export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw("true") : conditions.reduce((all, one) => sql`${all} and ${one}`);

/** `written`: rows of a statement that writes. */
export interface SqlStep {
  readonly statement: Sql;
  readonly gives: "rows" | "first" | "written" | "count";
}

export type SqlWork<Result> = Generator<SqlStep, Result, unknown>;

/** `Row` is taken on trust: only SQL that is written beside its row type is asked, over tables of ours. */
export function* rows<Row>(statement: Sql): SqlWork<readonly Row[]> {
  return (yield { statement, gives: "rows" }) as readonly Row[];
}

export function* first<Row>(statement: Sql): SqlWork<Row | undefined> {
  return (yield { statement, gives: "first" }) as Row | undefined;
}

export function* writtenRows<Row>(statement: Sql): SqlWork<readonly Row[]> {
  return (yield { statement, gives: "written" }) as readonly Row[];
}

/** How many rows it touched. */
export function* run(statement: Sql): SqlWork<number> {
  return (yield { statement, gives: "count" }) as number;
}

/** What takes no statement. */
// biome-ignore lint/correctness/useYield: it stands where another host has to ask.
export function* known<Value>(value: Value): SqlWork<Value> {
  return value;
}

export interface KeyForms {
  /** In two columns: what is compared, and the whole key where that is only its digest. */
  kept(key: string): KeptKey;
  /** What a row may have, the newest form first. */
  compared(key: string): readonly [string, ...string[]];
  keyOf(kept: KeptKey): string;
}

export interface KeptKey {
  readonly key: string;
  readonly whole?: string | null;
}

/** A database with the tables of what runs share, and all in which the two differ. */
export interface StateHost {
  /** Whether many machines use it. Then values are sealed, keys have digests, and runs wait in a queue: tables have columns for that. */
  readonly isFleet: boolean;
  /** Statement by statement. */
  do<Result>(work: () => SqlWork<Result>): Awaitable<Result>;
  transaction<Result>(work: () => SqlWork<Result>): Awaitable<Result>;
  /** Two writes, or none of them; neither sees what the other does. */
  both(one: Sql, other: Sql): Awaitable<void>;
  /** Until the end of the transaction, by who uses the same text. */
  lock(what: string): SqlWork<void>;
  readonly forUpdate: Sql;
  /** `owners`: a table, and a condition. Gives a condition for rows of it: their `owner` is a process that lives. */
  living(owners: Sql): SqlWork<Sql>;
  /** This process, from now on giving signs of life. */
  self(): Awaitable<ProcessName>;
  now(): number;
  table(name: string): Sql;
  among(value: Sql, values: readonly string[]): Sql;
  /** Values as a table with a column `value`. */
  each(values: readonly string[]): Sql;
  /** Pairs as a table with two columns: `id` and `text`. */
  pairs(pairs: readonly (readonly [id: string, text: string])[]): Sql;
  readonly seal: Seal;
  /** Keys with data of a run in them; names out of a workflow file. */
  readonly keys: KeyForms;
  readonly names: KeyForms;
  /** What can be compared without being read. */
  digest(text: string): string;
  /** What can be read of the rows; `what` one is, and what to do about one that cannot be. */
  readable<Row, Item>(
    rows: readonly Row[],
    what: (row: Row) => string,
    read: (row: Row) => Item,
    options?: { readonly ifSealed?: "throw" | "leave out"; readonly todo?: string },
  ): readonly Item[];
}

type Asked = Pick<StateHost, "do">;

export const read = <Row>(host: Asked, statement: Sql): Awaitable<readonly Row[]> =>
  host.do(() => rows<Row>(statement));

export const readFirst = <Row>(host: Asked, statement: Sql): Awaitable<Row | undefined> =>
  host.do(() => first<Row>(statement));

export const writeCounted = (host: Asked, statement: Sql): Awaitable<number> => host.do(() => run(statement));

export const write = (host: Asked, statement: Sql): Awaitable<void> =>
  host.do(function* () {
    yield* run(statement);
  });

/** A part that only tables of a fleet have. */
export const fleetOnly = ({ isFleet }: StateHost, part: Sql): Sql => (isFleet ? part : raw(""));

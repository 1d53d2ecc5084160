// The tables of what runs share, over either host; the index of runs is each host's own, since only a fleet has drives and leases.
import { mapMaybe } from "../../base/awaitable.ts";
import type { NamedStates, OutcomeTable, RunningSteps, SharedState, Slot, Slots } from "../shared-state.ts";
import { ChangedInDatabase } from "../store-error.ts";
import { type FiringTableOptions, firingTable } from "./firings.ts";
import { type GateTable, gateTable } from "./gates.ts";
import { letterTable } from "./letters.ts";
import { isOpenTo, openValue, sealingKey } from "./seal.ts";
import {
  first,
  fleetOnly,
  type KeptKey,
  read,
  readFirst,
  rows,
  run,
  type Sql,
  type SqlWork,
  type StateHost,
  sql,
  write,
  writeCounted,
} from "./sql.ts";

export interface SharedTables extends Required<Omit<SharedState, "runs" | "liveness">> {
  readonly gates: GateTable;
}

export const sharedTables = (host: StateHost, firings: FiringTableOptions): SharedTables => ({
  breakers: namedStateTable(host, "breakers"),
  limits: namedStateTable(host, "limits"),
  letters: letterTable(host),
  cache: cacheTable(host),
  gates: gateTable(host),
  slots: slotTable(host),
  running: runningTable(host),
  firings: firingTable(host, firings),
});

/** Of a host that has done everything when it returns. */
export type SyncTables = {
  readonly [Name in keyof SharedTables]: Sync<SharedTables[Name]>;
};

type Sync<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Awaited<Answer>
    : Table[Name];
};

// Places for a limited number of steps at a time, over all runs. Two can never take the last one.

function slotTable(host: StateHost): Slots {
  const slots = host.table("slots");
  const keyOf = (scope: string): string => host.names.compared(scope)[0];

  return {
    acquire: (scope, max, owner) =>
      mapMaybe(owner ?? host.self(), (name) =>
        host.transaction(function* (): SqlWork<Slot | undefined> {
          const key = keyOf(scope);
          yield* host.lock(`segno slots ${key}`);
          const lives = yield* host.living(sql`${slots} where scope = ${key}`);
          yield* run(sql`delete from ${slots} where scope = ${key} and not ${lives}`);
          const found = yield* rows<{ slot: number }>(sql`select slot from ${slots} where scope = ${key}`);
          const taken = new Set(found.map(({ slot }) => slot));
          if (taken.size >= max) return undefined;
          let slot = 1;
          while (taken.has(slot)) slot += 1;
          yield* run(sql`insert into ${slots} (scope, slot, owner) values (${key}, ${slot}, ${name})`);
          return { scope, slot, owner: name };
        }),
      ),

    release: ({ scope, slot, owner }) =>
      write(host, sql`delete from ${slots} where scope = ${keyOf(scope)} and slot = ${slot} and owner = ${owner}`),

    taken: (scope) =>
      host.do(function* () {
        const inScope = sql`${slots} where scope = ${keyOf(scope)}`;
        const lives = yield* host.living(inScope);
        const row = yield* first<{ taken: number | string }>(
          sql`select count(*) as taken from ${inScope} and ${lives}`,
        );
        return Number(row?.taken ?? 0);
      }),
  };
}

// Outcomes of steps with `cache:`, shared by all runs and found by hash.

function cacheTable(host: StateHost): OutcomeTable {
  const { seal } = host;
  const cache = host.table("cache");
  /** Kept under a key that was taken away since, or before there was one: not used, and nothing that a run may wait for. */
  const isOfOthers = (value: string): boolean =>
    !isOpenTo(seal, value) && (sealingKey(value) !== null || isJson(value));

  return {
    get: (hash) =>
      mapMaybe(
        readFirst<{ value: string }>(
          host,
          sql`select value from ${cache} where hash = ${hash} and (expires is null or expires > ${host.now()})`,
        ),
        (row) => (row && !isOfOthers(row.value) ? { value: openValue(seal, row.value, ["cache", hash]) } : undefined),
      ),

    /** And drops what has run out. */
    put(hash, value, { ttl } = {}) {
      const now = host.now();
      return host.both(
        sql`delete from ${cache} where expires <= ${now} and hash <> ${hash}`,
        sql`insert into ${cache} (hash, expires, value)
          values (${hash}, ${ttl === undefined ? null : now + ttl}, ${seal.close(JSON.stringify(value), ["cache", hash])})
          on conflict (hash) do update set expires = excluded.expires, value = excluded.value`,
      );
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// Which steps run in which run right now, and how each went last: what the `agent_availability` policy asks.

function runningTable(host: StateHost): RunningSteps {
  const running = host.table("running");
  const outcomes = host.table("last_outcomes");

  return {
    begin: (stepName, runId, ofAttempt, owner) =>
      mapMaybe(owner ?? host.self(), (name) =>
        host.transaction(function* () {
          const step = host.names.compared(stepName)[0];
          const [key] = host.keys.compared(ofAttempt);
          yield* host.lock(`segno step ${step}`);
          const elsewhere = sql`${running} where step = ${step} and run_id <> ${runId}`;
          const lives = yield* host.living(elsewhere);
          const others = yield* rows<{ run_id: string }>(
            sql`select distinct run_id from ${elsewhere} and ${lives} order by run_id`,
          );
          if (others.length === 0)
            yield* run(
              sql`insert into ${running} (step, run_id, key, owner) values (${step}, ${runId}, ${key}, ${name})
                on conflict (step, run_id, key) do update set owner = excluded.owner`,
            );
          const last = yield* first<{ ok: boolean | number }>(sql`select ok from ${outcomes} where step = ${step}`);
          return { runningIn: others.map(({ run_id }) => run_id), lastFailed: last !== undefined && !last.ok };
        }),
      ),

    end(stepName, runId, ofAttempt, ok) {
      const step = host.names.compared(stepName)[0];
      const ended = sql`delete from ${running}
        where step = ${step} and run_id = ${runId} and key = ${host.keys.compared(ofAttempt)[0]}`;
      if (ok === undefined) return write(host, ended);
      return host.both(
        ended,
        sql`insert into ${outcomes} (step, ok) values (${step}, ${ok}) on conflict (step) do update set ok = excluded.ok`,
      );
    },

    clear: (runId) => write(host, sql`delete from ${running} where run_id = ${runId}`),
  };
}

/** Workers of the version before lock breakers by the same name. */
const LOCKS = { breakers: "segno breaker ", limits: "segno limit " } as const;
const WORDS = { breakers: "the circuit breaker", limits: "the limit" } as const;

function namedStateTable(host: StateHost, table: keyof typeof WORDS): NamedStates {
  const { names } = host;
  const states = host.table(table);
  const ofKey = (key: string): Sql => sql`select state from ${states} where name = ${key}`;

  return {
    get: (name) =>
      mapMaybe(
        readFirst<{ state: string }>(host, ofKey(names.compared(name)[0])),
        (row) => row && stateOf(table, name, row.state),
      ),

    /** Under a lock of its name: a state that is not there yet has no row to lock. */
    update(name, change) {
      const { key, whole } = names.kept(name);
      return host.transaction(function* () {
        yield* host.lock(`${LOCKS[table]}${key}`);
        const row = yield* first<{ state: string }>(ofKey(key));
        const before = row && stateOf(table, name, row.state);
        const after = change(before);
        if (after !== before)
          yield* run(
            sql`insert into ${states} (name, state${fleetOnly(host, sql`, whole`)})
              values (${key}, ${JSON.stringify(after)}${fleetOnly(host, sql`, ${whole}`)})
              on conflict (name) do update set state = excluded.state`,
          );
        return after;
      });
    },

    list: () =>
      mapMaybe(
        read<KeptKey & { state: string }>(
          host,
          sql`select name as key, state${fleetOnly(host, sql`, whole`)} from ${states} order by name`,
        ),
        (all) =>
          host.readable(
            all,
            ({ key }) => `${WORDS[table]} ${key}`,
            (row) => ({ name: names.keyOf(row), state: stateOf(table, names.keyOf(row), row.state) }),
          ),
      ),

    reset: (name) =>
      mapMaybe(
        writeCounted(host, sql`delete from ${states} where name = ${names.compared(name)[0]}`),
        (gone) => gone === 1,
      ),
  };
}

function stateOf(table: keyof typeof WORDS, name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (problem) {
    throw new ChangedInDatabase(
      `The state of ${WORDS[table]} ${name} in the database is not what Segno wrote. ${table === "breakers" ? `\`segno breakers reset ${name}\` closes it.` : "Remove its row from segno.limits: it then begins anew."}`,
      name,
      { cause: problem },
    );
  }
}

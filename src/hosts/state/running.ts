// Which steps run in which run right now, and how each went last: what the `agent_availability` policy asks.
import { mapMaybe } from "../../engine/awaitable.ts";
import type { RunningSteps } from "../shared-state.ts";
import { first, rows, run, type StateHost, sql, write } from "./sql.ts";

export function runningTable(host: StateHost): RunningSteps {
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

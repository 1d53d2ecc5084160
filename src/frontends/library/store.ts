// The store as the library shows it: which runs there are, how each ended, and what happened in it.
import { NO_HOME, runHome } from "../../base/results/run-home.ts";
import { environmentHere } from "../../services/session/session.ts";
import type { Store, StoreAddress } from "./options.ts";
import { LIBRARY_USER } from "./reader.ts";
import { checkGiven, checkText } from "./wrong-call.ts";

/**
 * Opens the store in a folder: the one of the command line (`SEGNO_HOME`, else `~/.segno`) when none is given. Nothing is
 * read or made before it is asked for something, and any number of processes may use it at once. The address of a Postgres
 * (`postgres://…`) opens the store of a fleet; that needs the packages `pg` and `@dbos-inc/dbos-sdk`.
 *
 * @example
 * const store = openStore("/var/lib/my-service/segno");
 * const failed = await store.runs({ status: "failed", limit: 10 });
 * for await (const { type } of store.events(failed[0]?.run_id ?? "")) console.log(type);
 */
export function openStore(folder?: string): Store {
  if (folder !== undefined) checkText("openStore", "the path of a folder, or the address of a Postgres", folder);
  const cwd = process.cwd();
  const fleet = folder !== undefined && /^([a-z][\w/-]*=)?postgres(ql)?:\/\//i.test(folder) ? folder : undefined;
  const named = folder === undefined || fleet !== undefined ? {} : { home: folder || "." };
  const all = environmentHere();
  const home = runHome({ cwd, env: all, ...named });
  if (home === undefined) throw new Error(`${NO_HOME}. Name one: openStore("/a/folder"), or SEGNO_HOME.`);
  // A folder that is named is meant, whatever SEGNO_ON says.
  const { SEGNO_ON: _, ...own } = all;
  const env = "home" in named ? own : all;
  const session = { cwd, env, home, reader: LIBRARY_USER, ...(fleet ? { fleet } : {}) };
  const services = () => import("../../services/runs/runs.ts");
  return {
    home,
    ...(fleet ? { fleet } : {}),
    async runs(filter = {}) {
      await checkGiven("runs of a store", filter, ["status", "workflow", "inputs", "limit"]);
      const answer = await (await services()).listRuns(session, filter);
      if (!answer.success) throw new Error(answer.error ?? "the store cannot be read");
      return answer.runs;
    },
    async result(run) {
      checkText("result of a store", "the id of a run", run);
      return (await services()).showRun(session, { run });
    },
    async *events(run, options = {}) {
      checkText("events of a store", "the id of a run", run);
      await checkGiven("events of a store", options, ["after", "follow", "signal"]);
      yield* (await services()).runEvents(session, { ...options, run });
    },
    async cancel(run) {
      checkText("cancel of a store", "the id of a run", run);
      return (await import("../../services/runs/cancel.ts")).cancelRun(session, { run });
    },
  };
}

/** Where a store that was named is, and what is to be seen of the environment there. */
export function placeOf(store: StoreAddress, env: Readonly<Record<string, string | undefined>> = process.env) {
  const { home, fleet } = typeof store === "string" ? openStore(store) : store;
  // A folder that is named is meant, whatever SEGNO_ON says.
  const { SEGNO_ON: _, ...own } = env;
  return { store: { home, ...(fleet ? { fleet } : {}) }, env: fleet ? env : own };
}

// Lists, filters and searches of the page over many runs, in either store.
import { setTimeout as pause } from "node:timers/promises";
import { errorsAcrossRuns } from "../../src/frontends/server/views/errors-across-runs.ts";
import type { ShownRuns } from "../../src/frontends/server/views/run-list.ts";
import type { WatchedRuns } from "../../src/frontends/server/views/watched-runs.ts";
import type { Session } from "../../src/services/session/session.ts";
import { median, processor, type Row } from "./measured.ts";

interface Listed {
  readonly session: Session;
  readonly watched: WatchedRuns;
  readonly list: ShownRuns;
}

type Took = Readonly<Record<string, number>>;

async function allRead(ask: () => Promise<{ readonly unread: number }>): Promise<void> {
  for (const until = Date.now() + 120_000; (await ask()).unread > 0; await pause(100))
    if (Date.now() > until) throw new Error("runs are still unread after two minutes");
}

/** Milliseconds of processor of each question, the median of nine. Closes what it was given. */
export async function listsTook({ session, watched, list }: Listed): Promise<Took> {
  const part = (await list.page({ limit: 1 })).runs[0]?.run_id.slice(-8) ?? "";
  const asked: Readonly<Record<string, () => Promise<unknown>>> = {
    page: () => list.page({}),
    status: () => list.page({ status: "failed" }),
    kind: () => list.page({ kind: "external.*" }),
    workflow: () => list.page({ workflow: "w7" }),
    text: () => list.page({ text: part.toLowerCase() }),
    errors: () => errorsAcrossRuns(list, watched, {}, session),
    id: async () => watched.store.findRun(part),
  };
  // How runs failed is read once, a part with each answer and the rest after it: the first answers say that they lack it.
  await allRead(() => list.page({ text: part.toLowerCase() }));
  await allRead(() => errorsAcrossRuns(list, watched, {}, session));
  const took: Record<string, number> = {};
  for (const [name, ask] of Object.entries(asked)) {
    const times: number[] = [];
    for (let turn = 0; turn < 9; turn++) times.push(await processor(ask));
    took[name] = median(times);
  }
  await watched.close();
  return took;
}

/** Of 100 000 runs; beside it how often what it takes of 1 000, where that is long enough to compare. */
export function listsRow(few: Took, many: Took): Row {
  const each = Object.entries(many).map(([name, ms]) => {
    const before = few[name] ?? 0;
    return `${name} ${ms.toFixed(1)}${before < 1 ? "" : ` (${(ms / before).toFixed(1)} ×)`}`;
  });
  const floor = "50 ms; 100 000 runs of 20 workflows, one of ten failed; in brackets against 1 000 runs";
  const ratio = Math.max(...Object.values(many)) / 50;
  return { direction: "at most", target: 1, ratio, subject: `${each.join(", ")} ms`, floor };
}

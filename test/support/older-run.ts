// A run as Segno 0.3 would have left it: both dialects meant the same, and the run did not record what its file means.
import { join } from "node:path";
import { SEMANTICS, semanticsOf } from "../../src/language/schema/semantics.ts";
import { openFile } from "../../src/storage/sqlite/open.ts";
import type { Played, Playground } from "./play.ts";

export async function runAsIn03(ground: Playground, file: string): Promise<Played> {
  const now = { agents: { ...SEMANTICS.agents }, steps: { ...SEMANTICS.steps } };
  try {
    for (const dialect of ["agents", "steps"] as const) Object.assign(SEMANTICS[dialect], semanticsOf(dialect, {}));
    const played = await ground.run(file);
    const journal = openFile(join(ground.session.home, "runs", played.result.run_id ?? "", "journal.db"), {
      busyMs: 1000,
    });
    journal.prepare("UPDATE batches SET data = replace(data, ?, '{}')").run([JSON.stringify(SEMANTICS)]);
    journal.close();
    return played;
  } finally {
    for (const dialect of ["agents", "steps"] as const) Object.assign(SEMANTICS[dialect], now[dialect]);
  }
}

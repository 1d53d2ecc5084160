// `segno workers drain`: asks a worker to hand over what it drives, and to leave.
import { drainWorker } from "../../services/fleet/workers.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { plain } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";

/** It has only been asked: what runs there may end first. */
const handing = (runs: number): string => (runs === 0 ? "" : `, hands over ${amount(runs, "run")} between two steps`);

export default async function workersDrain({ asked, output }: Call): Promise<number> {
  const answer = await drainWorker({ ...asked.surroundings, worker: asked.required(0) });
  return answerWith(answer, output, ({ workers }) =>
    workers.map(({ id, runs }) => `${plain(id)} takes nothing more${handing(runs.length)}, and leaves.\n`).join(""),
  );
}

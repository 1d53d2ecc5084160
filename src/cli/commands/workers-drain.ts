// `segno workers drain`: asks a worker to hand over what it drives, and to leave.
import { drainWorker } from "../../services/fleet/workers.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";

export default async function workersDrain({ asked, output }: Call): Promise<number> {
  const answer = await drainWorker({ ...asked.surroundings, worker: asked.required(0) });
  return answerWith(answer, output, ({ workers }) =>
    workers.map(({ id, runs }) => `${id} takes nothing more; ${runs.length} runs are handed over.\n`).join(""),
  );
}

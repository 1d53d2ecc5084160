// `segno workers`: the workers of a fleet, and how one is drained.
import { drainWorker, listWorkers, type WorkersAnswer } from "../../services/fleet/workers.ts";
import type { Call } from "../command.ts";
import { plain } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";
import { answerWith } from "../usage-error.ts";

export async function workers({ asked, output }: Call): Promise<number> {
  return answerWith(await listWorkers(asked.session), output, shown);
}

export function shown({ workers: all, queue }: WorkersAnswer): string {
  const lines = all.map(
    ({ id, cell, runs, concurrency, draining, version }) =>
      `${plain(id)}${cell === undefined ? "" : ` in ${plain(cell)}`}  ${runs.length} of ${concurrency ?? "?"} runs${draining ? ", leaving" : ""}  (${plain(version)})${runs.map((run) => `\n  ${run}`).join("")}`,
  );
  const oldest = queue.oldest_ms === null ? "" : `, the oldest for ${Math.round(queue.oldest_ms / 1000)} s`;
  const waiting = `${amount(queue.waiting, "run")} waiting for a worker${oldest}; ${queue.delayed} waiting for their time`;
  return `${[...(lines.length > 0 ? lines : ["No worker is there."]), waiting].join("\n")}\n`;
}

/** It has only been asked: what runs there may end first. */
const handing = (runs: number): string => (runs === 0 ? "" : `, hands over ${amount(runs, "run")} between two steps`);

export async function workersDrain({ asked, output }: Call): Promise<number> {
  const answer = await drainWorker(asked.session, { worker: asked.required(0) });
  return answerWith(answer, output, ({ workers }) =>
    workers.map(({ id, runs }) => `${plain(id)} takes nothing more${handing(runs.length)}, and leaves.\n`).join(""),
  );
}

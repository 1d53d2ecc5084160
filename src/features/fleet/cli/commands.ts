// `segno worker`: drives runs of a fleet until it is stopped. `segno workers` lists those there are, and drains one.
import { leaveProcess } from "../../../base/errors/leave-process.ts";
import type { Call } from "../../../frontends/cli/command.ts";
import { plain } from "../../../frontends/cli/text/harmless.ts";
import { amount } from "../../../frontends/cli/text/phrases.ts";
import { answerWith } from "../../../frontends/cli/usage-error.ts";
import { asRefusal, Refused } from "../../../services/refusals.ts";
import type { DoorOfWorker } from "../work/worker.ts";
import { drainWorker, listWorkers, type WorkersAnswer } from "../work/workers.ts";

export async function worker({ asked, output, faces }: Call): Promise<number> {
  const { runWorker } = await import("../work/worker.ts");
  // Deprecation warnings about how DBOS uses its driver do not belong in a worker's log.
  Reflect.set(process, "noDeprecation", true);
  const stop = new AbortController();
  let isThere = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      // It waits for its database, and has nothing to hand over.
      if (!isThere) leaveProcess(130);
      stop.abort();
      // A second signal ends it at once: other workers take over what is left here.
      process.once(signal, () => leaveProcess(130));
    });
  }
  const port = asked.number("port");
  const host = asked.text("host") ?? "127.0.0.1";
  const trouble = (problem: unknown): void => {
    if (asked.env.SEGNO_DEBUG === "1")
      output.say(problem instanceof Error ? (problem.stack ?? problem.message) : String(problem));
  };
  const openDoor = async (door: DoorOfWorker) => {
    const token = asked.env.SEGNO_SERVE_TOKEN;
    const opened = await (await faces.server()).openDoor({
      ...door,
      host,
      port: port ?? 0,
      token,
      env: asked.env,
      defect: trouble,
    });
    const what = door.deliver ? "Metrics and webhooks" : "Metrics";
    return { said: `${what}: http://${host}:${opened.port}/`, close: () => opened.close() };
  };
  try {
    return await runWorker(asked.session, {
      signal: stop.signal,
      said: (text) => {
        isThere = true;
        output.say(text);
      },
      trouble,
      project: asked.drives,
      openDoor: port === undefined ? undefined : openDoor,
      concurrency: asked.number("concurrency"),
      id: asked.text("id"),
      cell: asked.text("cell"),
    });
  } catch (problem) {
    const refused = asRefusal(problem, asked.reader);
    if (!(refused instanceof Refused)) throw problem;
    return answerWith(refused.result, output, () => "");
  }
}

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
    workers.map(({ id, runs }) => `${plain(id)} takes no more runs${handing(runs.length)}, and exits.\n`).join(""),
  );
}

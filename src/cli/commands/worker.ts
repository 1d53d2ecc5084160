// `segno worker`: drives runs of a fleet until it is stopped.

import { leaveProcess } from "../../errors/leave-process.ts";
import { type DoorOfWorker, runWorker } from "../../services/fleet/worker.ts";
import { asRefusal, Refused } from "../../services/refusals.ts";
import type { Call } from "../command.ts";
import { answerWith } from "../usage-error.ts";

export default async function worker({ asked, output, faces }: Call): Promise<number> {
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
    if (asked.env.SEGNO_DEBUG)
      output.say(problem instanceof Error ? (problem.stack ?? problem.message) : String(problem));
  };
  const openDoor = async (door: DoorOfWorker) => {
    const token = asked.env.SEGNO_SERVE_TOKEN;
    const opened = await (await faces.server()).openDoor({ ...door, host, port: port ?? 0, token, defect: trouble });
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
      ...(asked.drives ? { project: asked.drives } : {}),
      ...(port === undefined ? {} : { openDoor }),
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

// `segno worker`: drives runs of a fleet until it is stopped.

import { runWorker } from "../../services/fleet/worker.ts";
import { Refused } from "../../services/refusals.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";

export default async function worker({ asked, output }: Call): Promise<number> {
  // What DBOS asks of its driver is not for whoever reads the log of a worker.
  Reflect.set(process, "noDeprecation", true);
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      stop.abort();
      // Somebody is in a hurry: the others take over what is left here.
      process.once(signal, () => process.exit(130));
    });
  }
  const concurrency = asked.number("concurrency");
  const id = asked.text("id");
  try {
    const code = await runWorker({
      ...asked.surroundings,
      signal: stop.signal,
      said: (text) => output.say(text),
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(id === undefined ? {} : { id }),
    });
    return code;
  } catch (problem) {
    const { asRefusal } = await import("../../services/refusals.ts");
    const refused = asRefusal(problem);
    if (!(refused instanceof Refused)) throw problem;
    return answerWith(refused.result, output, () => "");
  }
}

// `segno triggers resume`.
import { pauseTrigger } from "../../services/triggers/index.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { plain } from "../text/harmless.ts";

export default async function triggersResume({ asked, output }: Call): Promise<number> {
  const request = { ...asked.surroundings, name: asked.required(0), now: Date.now(), paused: false };
  return answerWith(await pauseTrigger(request), output, ({ triggers: [trigger] }) =>
    trigger ? `${plain(trigger.name)} fires again.\n` : "",
  );
}

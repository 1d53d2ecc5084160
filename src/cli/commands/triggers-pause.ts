// `segno triggers pause`.
import { shellWord } from "../../events/typeable.ts";
import { pauseTrigger } from "../../services/triggers/index.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { plain } from "../text/harmless.ts";

export default async function triggersPause({ asked, output }: Call): Promise<number> {
  const request = { ...asked.surroundings, name: asked.required(0), now: Date.now(), paused: true };
  return answerWith(await pauseTrigger(request), output, ({ triggers: [trigger] }) =>
    trigger
      ? `${plain(trigger.name)} is paused. segno triggers resume ${shellWord(plain(trigger.name))} lets it fire again.\n`
      : "",
  );
}

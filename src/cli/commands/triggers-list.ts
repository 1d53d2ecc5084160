// `segno triggers list`: a line for each trigger.
import { listTriggers, type TriggerView } from "../../services/triggers/index.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { columns, WHOLE_LINES } from "../text/columns.ts";
import { plain } from "../text/harmless.ts";
import { ago } from "../text/time.ts";

export default async function triggersList({ asked, output }: Call): Promise<number> {
  const answer = await listTriggers({ ...asked.surroundings, now: Date.now() });
  return answerWith(answer, output, ({ triggers }) =>
    triggersTable(triggers, output.outColors, output.stdout.columns ?? WHOLE_LINES, asked.now),
  );
}

export function triggersTable(triggers: readonly TriggerView[], colors: Colors, width: number, now: number): string {
  if (triggers.length === 0) return "This project has no triggers.\n";
  const head = ["TRIGGER", "FIRES", "WORKFLOW", "NEXT", "LAST"].map((word) => colors.dim(word));
  const rows = triggers.map(({ name, fires, workflow, paused, next_at, last }) => [
    plain(name),
    plain(fires),
    plain(workflow),
    paused ? colors.yellow("paused") : (next_at ?? ""),
    last ? `${last.status}, ${ago(last.fired_at, now)}` : "never",
  ]);
  return `${columns([head, ...rows], width)}\n`;
}

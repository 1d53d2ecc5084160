// `segno triggers history`: what was fired, newest first.
import { triggerHistory } from "../../services/triggers/index.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { columns } from "../text/columns.ts";
import { plain } from "../text/harmless.ts";

export default async function triggersHistory({ asked, output }: Call): Promise<number> {
  const name = asked.argument(0);
  const answer = await triggerHistory({
    ...asked.surroundings,
    limit: asked.number("limit") ?? 20,
    ...(name === undefined ? {} : { name }),
  });
  const { dim } = output.outColors;
  return answerWith(answer, output, ({ firings }) => {
    if (firings.length === 0) return "Nothing was fired yet.\n";
    const head = ["FIRED", "TRIGGER", "STATUS", "RUN", ""].map((word) => dim(word));
    const rows = firings.map(({ fired_at, trigger, status, run_id, reason }) => [
      fired_at,
      plain(trigger),
      status,
      run_id ?? "",
      dim(plain(reason ?? "")),
    ]);
    return `${columns([head, ...rows], output.stdout.columns ?? 120)}\n`;
  });
}

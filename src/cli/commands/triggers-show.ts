// `segno triggers show`: all there is to say of one.
import { showTrigger } from "../../services/triggers/index.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { plain } from "../text/harmless.ts";
import { ago } from "../text/time.ts";

export default async function triggersShow({ asked, output }: Call): Promise<number> {
  const answer = await showTrigger({ ...asked.surroundings, name: asked.required(0), now: Date.now() });
  const { now } = asked;
  const { bold, dim } = output.outColors;
  return answerWith(answer, output, ({ triggers: [trigger], trusted }) => {
    if (!trigger) return "";
    const { name, fires, workflow, paused, paused_by, paused_at, next_at, last, overlap, catch_up } = trigger;
    const { when, dedupe, concurrency, left_out } = trigger;
    const inputs = Object.entries(trigger.inputs).map(([input, value]) => [
      `input ${input}`,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    const pausedBy = paused_by && paused_at ? ` by ${paused_by}, ${ago(paused_at, now)}` : "";
    const rows: readonly (readonly [string, string])[] = [
      ["workflow", workflow],
      ["fires", fires],
      ...(paused ? ([["paused", `yes${pausedBy}`]] as const) : []),
      ...(when ? ([["when", when]] as const) : []),
      ...(inputs as [string, string][]),
      ...(dedupe ? ([["dedupe", dedupe]] as const) : []),
      ...(concurrency ? ([["at a time", `${concurrency.limit} of ${concurrency.key}`]] as const) : []),
      ...(next_at ? ([["next", next_at]] as const) : []),
      ...(overlap ? ([["overlap", overlap]] as const) : []),
      ...(catch_up ? ([["catch up", catch_up]] as const) : []),
      ["last", last ? `${last.status}, ${ago(last.fired_at, now)}${last.reason ? ` (${last.reason})` : ""}` : "never"],
      ...(last?.run_id ? ([["run", last.run_id]] as const) : []),
      ...(left_out?.reason ? ([["left out", left_out.reason]] as const) : []),
      ...(trusted ? [] : ([["acts", "no: the project is not trusted"]] as const)),
    ];
    const wide = Math.max(...rows.map(([what]) => what.length));
    return `${bold(plain(name))}\n${rows.map(([what, text]) => `  ${dim(plain(what).padEnd(wide))} ${plain(text)}\n`).join("")}`;
  });
}

// Which triggers a server or a worker drives, in the words of its first lines: how many, which of them are paused, and when
// the first of their moments comes.
import type { Firings } from "../../hosts/firings.ts";
import { nextDue } from "../../triggers/due.ts";
import type { KnownTrigger } from "./known-trigger.ts";

/** `file`: whose triggers they are, as it is shown. */
export async function drivenTriggers(
  triggers: readonly KnownTrigger[],
  firings: Firings,
  { file, now }: { readonly file: string; readonly now: number },
): Promise<string> {
  const states = await Promise.all(
    triggers.map(async (trigger) => ({ trigger, paused: (await firings.state(trigger.id)).paused })),
  );
  const paused = states.filter((one) => one.paused).map(({ trigger }) => trigger.name);
  const moments = states
    .flatMap(({ trigger: { name, schedule, timezone }, paused: isPaused }) => {
      const at = schedule === undefined || isPaused ? undefined : nextDue({ schedule, timezone }, now);
      return at === undefined ? [] : [{ name, at }];
    })
    .sort((a, b) => a.at - b.at);
  const [next] = moments;
  const count = triggers.length > 1 ? `${triggers.length} ` : "";
  return [
    `It drives the ${count}triggers of ${file}: ${triggers.map(({ name }) => name).join(", ")}.`,
    ...(paused.length > 0 ? [`Paused: ${paused.join(", ")}.`] : []),
    ...(next ? [`The next moment is that of ${next.name}: ${new Date(next.at).toISOString().slice(0, 16)}Z.`] : []),
  ].join(" ");
}

// `segno triggers`: what starts runs by itself, and what each has started.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { shellWord } from "../../../base/events/typeable.ts";
import { numbersAsWritten, parseJson } from "../../../base/json/bounded.ts";
import type { Call } from "../../../frontends/cli/command.ts";
import { drive } from "../../../frontends/cli/drive.ts";
import type { Colors } from "../../../frontends/cli/output.ts";
import { plain, plainLineOf } from "../../../frontends/cli/text/harmless.ts";
import { ago, amount } from "../../../frontends/cli/text/phrases.ts";
import { table } from "../../../frontends/cli/text/width.ts";
import { answerWith, UsageError } from "../../../frontends/cli/usage-error.ts";
import { type FireRequest, fireTrigger } from "../fire-by-hand.ts";
import {
  type FiringView,
  listTriggers,
  pauseTrigger,
  showTrigger,
  type TriggerView,
  triggerHistory,
} from "../index.ts";

export async function triggersList({ asked, output }: Call): Promise<number> {
  const answer = await listTriggers(asked.session, { now: Date.now() });
  return answerWith(answer, output, ({ triggers }) =>
    triggersTable(triggers, output.outColors, output.width, asked.now),
  );
}

export function triggersTable(triggers: readonly TriggerView[], colors: Colors, width: number, now: number): string {
  if (triggers.length === 0) return "This project has no triggers.\n";
  const rows = triggers.map(({ name, fires, workflow, cell = "", paused, next_at, last }) => [
    plain(name),
    plain(fires),
    plain(workflow),
    paused === null
      ? colors.yellow(`not known: the cell ${plain(cell)} is away`)
      : paused
        ? colors.yellow("paused")
        : (next_at ?? ""),
    last ? `${last.status}, ${ago(last.fired_at, now)}` : paused === null ? "not known" : "never",
  ]);
  return `${table(["TRIGGER", "FIRES", "WORKFLOW", "NEXT", "LAST"], rows, colors, width)}\n`;
}

export async function triggersShow({ asked, output }: Call): Promise<number> {
  const answer = await showTrigger(asked.session, { name: asked.required(0), now: Date.now() });
  const { now } = asked;
  const { bold, dim } = output.outColors;
  return answerWith(answer, output, ({ triggers: [trigger], trusted }) => {
    if (!trigger) return "";
    const { name, paused_by, paused_at, last, concurrency } = trigger;
    const inputs = Object.entries(trigger.inputs).map(
      ([input, value]) => [`input ${input}`, typeof value === "string" ? value : JSON.stringify(value)] as const,
    );
    const pausedBy = paused_by && paused_at ? ` by ${paused_by}, ${ago(paused_at, now)}` : "";
    const fact = (what: string, text: string | null | undefined) => (text ? [[what, text] as const] : []);
    const rows: readonly (readonly [string, string])[] = [
      ["workflow", trigger.workflow],
      ["fires", trigger.fires],
      ...fact("cell", trigger.cell),
      ...fact("paused", trigger.paused ? `yes${pausedBy}` : null),
      ...fact("when", trigger.when),
      ...inputs,
      ...fact("dedupe", trigger.dedupe),
      ...fact("at a time", concurrency && `${concurrency.limit} of ${concurrency.key}`),
      ...fact("next", trigger.next_at),
      ...fact("overlap", trigger.overlap),
      ...fact("catch up", trigger.catch_up),
      ["last", last ? `${last.status}, ${ago(last.fired_at, now)}${last.reason ? ` (${last.reason})` : ""}` : "never"],
      ...fact("run", last?.run_id),
      ...fact("left out", trigger.left_out?.reason),
      ...fact("acts", trusted ? null : "no: the project is not trusted"),
    ];
    const wide = Math.max(...rows.map(([what]) => what.length));
    return `${bold(plain(name))}\n${rows.map(([what, text]) => `  ${dim(plain(what).padEnd(wide))} ${plain(text)}\n`).join("")}`;
  });
}

export function triggersFire(call: Call): Promise<number> {
  const { asked } = call;
  const body = bodyOf(asked.text("body"), asked.cwd);
  const run = asked.text("run");
  return drive(call, (driving) =>
    fireTrigger(asked.session, { name: asked.required(0), now: Date.now(), ...body, run }, driving),
  );
}

function bodyOf(file: string | undefined, cwd: string): Pick<FireRequest, "body" | "writtenBody"> {
  if (file === undefined) return {};
  try {
    const text = readFileSync(resolve(cwd, file), "utf8");
    return { body: parseJson(text), writtenBody: numbersAsWritten(text) };
  } catch (problem) {
    throw new UsageError(`${file} cannot be read as JSON: ${(problem as Error).message}.`);
  }
}

const pausing =
  (paused: boolean) =>
  async ({ asked, output }: Call): Promise<number> => {
    const request = { name: asked.required(0), now: Date.now(), paused };
    return answerWith(await pauseTrigger(asked.session, request), output, ({ triggers: [trigger] }) => {
      const name = plain(trigger?.name ?? "");
      const said = paused
        ? `is paused. ${asked.program} triggers resume ${shellWord(name)} lets it fire again`
        : "fires again";
      return trigger ? `${name} ${said}.\n` : "";
    });
  };

export const triggersPause = pausing(true);
export const triggersResume = pausing(false);

export async function triggersHistory({ asked, output }: Call): Promise<number> {
  const answer = await triggerHistory(asked.session, { limit: asked.number("limit") ?? 20, name: asked.argument(0) });
  const { outColors, width } = output;
  return answerWith(answer, output, ({ firings, warnings }) => {
    const warned = warnings.map(({ message }) => `${outColors.yellow("▲")} ${plainLineOf(message)}\n`);
    return historyText(firings, outColors, width) + warned.join("");
  });
}

export function historyText(firings: readonly FiringView[], colors: Colors, width: number): string {
  if (firings.length === 0) return "Nothing was fired yet.\n";
  const titles = ["FIRED", "FOR", "TRIGGER", "STATUS", "RUN", ""];
  const rows = firings.map(({ fired_at, cause, trigger, status, run_id, reason }) => [
    fired_at,
    plain(causeText(cause)),
    plain(trigger),
    status,
    run_id ?? "",
    colors.dim(plain(reason ?? "")),
  ]);
  // Printed in full below the table, whose rows are cut at the line's end.
  const leftOut = firings
    .filter(({ cause }) => causeOf(cause).left_out)
    .map(({ trigger, reason }) => `${colors.yellow("▲")} ${plainLineOf(`${trigger}: ${reason ?? ""}`)}\n`);
  return `${table(titles, rows, colors, width)}\n${leftOut.length > 0 ? `\n${leftOut.join("")}` : ""}`;
}

interface ShownCause {
  readonly by?: string;
  readonly person?: string;
  readonly scheduled_at?: string;
  readonly left_out?: { readonly count: number };
  readonly run?: { readonly run_id?: string };
}

const causeOf = (cause: unknown): ShownCause => (cause ?? {}) as ShownCause;

/** What it was fired for: a moment of a schedule, the moments that one record stands for, a run that ended, or the person who fired it. */
function causeText(cause: unknown): string {
  const { by, person, scheduled_at, left_out, run } = causeOf(cause);
  if (left_out) return amount(left_out.count, "moment");
  return scheduled_at ?? run?.run_id ?? (by !== "hand" ? "" : person === undefined ? "by hand" : `by ${person}`);
}

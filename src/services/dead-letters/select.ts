// Which letters are meant: by id, or by what they are about. And which kinds a pattern means.

import { COMMAND_LINE, type Reader } from "../../base/results/index.ts";
import { parseDuration } from "../../steps/schema/readings.ts";
import type { Letter, LetterStatus } from "../../storage/shared-state.ts";
import type { RunStore } from "../../storage/store.ts";
import { refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { findRun, nowOf } from "../session/store.ts";

/** Which letters are meant. With no field set a list has them all; a retry or a drop is refused. */
export interface LetterSelection {
  /** Ids, or beginnings of ids that only one letter has. */
  readonly ids?: readonly string[];
  /** A kind, or a pattern with `*`. */
  readonly kind?: string;
  readonly workflow?: string;
  readonly run?: string;
  /** `1d`, `2h`: last seen no longer ago than that. */
  readonly since?: string;
}

/** Newest first; those named by id in the order they were named. */
export async function selectLetters(
  store: RunStore,
  selection: LetterSelection,
  statuses: readonly LetterStatus[],
  { reader }: Pick<Session, "reader">,
): Promise<readonly Letter[]> {
  const { ids = [], kind, workflow, run, since } = selection;
  if (ids.length > 0) return Promise.all([...new Set(ids)].map((id) => letterOf(store, id, reader)));
  const runId = run === undefined ? undefined : await findRun(store, run);
  if (run !== undefined && runId === undefined) throw refusal(`there is no run ${run}`);
  // The store knows `prefix.*` and `*`; any other pattern is looked for here.
  const pattern = kind?.replace(/\.\*$|^\*$/, "").includes("*") ? kindPattern(kind) : undefined;
  const letters = await store.state.letters.list({
    ...(kind === undefined || pattern ? {} : { kind }),
    workflow,
    runId,
    ...(since === undefined ? {} : { since: nowOf(store) - ageOf(since) }),
    ...(statuses.length === 0 ? {} : { status: statuses }),
  });
  return pattern ? letters.filter((letter) => pattern(letter.kind)) : letters;
}

async function letterOf(store: RunStore, id: string, reader: Reader = COMMAND_LINE): Promise<Letter> {
  const wanted = id.toUpperCase();
  const exact = await store.state.letters.get(wanted);
  if (exact) return exact;
  const all = wanted === "" ? [] : await store.state.letters.list();
  const found = all.filter((letter) => letter.id.startsWith(wanted));
  if (found.length === 1 && found[0]) return found[0];
  if (found.length === 0)
    throw refusal(`there is no dead letter ${id}`, {
      hint: `\`${reader.ask({ to: "list letters" })}\` shows those that are kept.`,
    });
  const some = found.slice(0, 2).map((letter) => letter.id);
  throw refusal(`several letters begin with ${id}: ${some.join(", ")} …`, { hint: "Give more of the id." });
}

function ageOf(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw refusal(`${JSON.stringify(text)} is no age; write 30m, 2h or 1d`);
  return seconds * 1000;
}

/** Refuses a request that selects none: selecting all letters must be explicit. */
export function requireSelection(
  { ids = [], kind, workflow, run, since }: LetterSelection,
  { reader = COMMAND_LINE }: Pick<Session, "reader">,
): void {
  if (ids.length > 0 || [kind, workflow, run, since].some((filter) => filter !== undefined)) return;
  const option = (name: string, value?: string): string =>
    reader.give({ what: "option", name, ...(value === undefined ? {} : { value }) });
  const some = ["kind", "workflow", "run", "since"].map((name) => option(name)).join(", ");
  throw refusal(`say which letters: ids, or ${some} (${option("kind", "*")} for all)`);
}

/**
 * Each part is searched for once, from where the last one was found: matching takes linear time, which a regular
 * expression would not guarantee.
 * @example kindPattern("external.*.timeout")("external.http.timeout") // true
 */
export function kindPattern(pattern: string): (kind: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (kind) => kind === pattern;
  return (kind) => {
    const end = kind.length - last.length;
    if (!kind.startsWith(first) || !kind.endsWith(last)) return false;
    let place = first.length;
    for (const part of rest) {
      const found = kind.indexOf(part, place);
      if (found < 0) return false;
      place = found + part.length;
    }
    return place <= end;
  };
}

// Phrases that many commands print: counts, lists, the name of an item, what leaving a run means.
import type { Reader } from "../../results/reader.ts";

/** `1 error`, `2 errors`. */
export const amount = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `a, b and c`. */
export function enumerated(words: readonly string[], last = "and"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** Of a run that another process drives: to leave it does not stop it. */
export const goesOn = (run: string, reader: Reader): string =>
  `The run goes on. To stop it: ${reader.ask({ to: "cancel", run })}`;

interface Place {
  readonly node_id: string;
  readonly group?: string | undefined;
  readonly item_key?: string | undefined;
}

/** `each[eu]`: an item of a for_each has one name everywhere, its group's with its key. Any other step has its own name. */
export const itemName = ({ node_id, group, item_key }: Place): string =>
  item_key === undefined ? node_id : `${group ?? node_id}[${item_key}]`;

// Keys: each view says what those of its group do while it is shown; the latest that knows a key gets it.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { KEY_TABLE, type KeyEntry, type KeyGroupName } from "./key-table.ts";

interface Key {
  readonly keys: readonly string[];
  readonly run: () => void;
}

/** What each key of a group does, by its name in the table. */
export type KeyActs<Name extends KeyGroupName> = Readonly<
  Record<keyof (typeof KEY_TABLE)[Name]["keys"] & string, () => void>
>;

const layers = signal<readonly (readonly Key[])[]>([]);
/** A dialog takes all keys but its own. */
export const isDialogOpen = signal(false);

/** Keys that work while the component is there. */
export function useKeys<Name extends KeyGroupName>(name: Name, acts: KeyActs<Name>): void {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    const entries = Object.entries(KEY_TABLE[name].keys) as [keyof KeyActs<Name>, KeyEntry][];
    const layer = entries.map(([act, [keys]]): Key => ({ keys, run: () => latest.current[act]?.() }));
    layers.value = [...layers.peek(), layer];
    return () => {
      layers.value = layers.peek().filter((other) => other !== layer);
    };
  }, [name]);
}

let first: { readonly key: string; readonly at: number } | null = null;
const TOGETHER_MS = 1200;

export function listenForKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isDialogOpen.value) return;
    const mod = event.ctrlKey || event.metaKey;
    if (leaveFilter(event)) return;
    if (isTyping(event.target) && !mod) return;
    if (event.altKey) return;
    const pressed = mod ? `mod+${event.key.toLowerCase()}` : event.key;
    const both = first && event.timeStamp - first.at < TOGETHER_MS ? `${first.key} ${pressed}` : null;
    const found = (both ? find(both) : undefined) ?? find(pressed);
    first = found || mod ? null : { key: pressed, at: event.timeStamp };
    if (!found) return;
    // Space and Enter on a button are the button's.
    if (
      (pressed === " " || pressed === "Enter") &&
      event.target instanceof Element &&
      event.target.closest("button, a, summary, [role=button]")
    )
      return;
    event.preventDefault();
    found.run();
  });
}

/** In every filter, Escape leaves the field as it is, and Enter goes on to the first line of the list. */
function leaveFilter(event: KeyboardEvent): boolean {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || !target.matches("[data-filter]")) return false;
  if (key !== "Escape" && key !== "Enter") return false;
  event.preventDefault();
  target.blur();
  if (key === "Enter") find("j")?.run();
  return true;
}

const find = (pressed: string): Key | undefined => layers.value.flat().findLast(({ keys }) => keys.includes(pressed));

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

// Keys: each view says which it knows while it is shown; the latest that knows a key gets it. The list behind `?` is made
// of the same table, so that no key exists that it does not name.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export interface Key {
  /** As `KeyboardEvent.key`; two for one after the other (`g r`); `mod+k` for Ctrl or ⌘. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly run: () => void;
}

const layers = signal<readonly (readonly Key[])[]>([]);
/** A dialog takes all keys but its own. */
export const isDialogOpen = signal(false);

/** Keys that work while the component is there. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const layer = keys.map((key, index) => ({ ...key, run: () => latest.current[index]?.run() }));
    layers.value = [...layers.peek(), layer];
    return () => {
      layers.value = layers.peek().filter((other) => other !== layer);
    };
  }, [keys.map((key) => key.keys.join()).join(" ")]);
}

/** Those that work now, without the ones that another view has taken over. */
export const knownKeys = (): readonly Key[] => {
  const seen = new Set<string>();
  return layers.value
    .toReversed()
    .flat()
    .filter(({ keys }) => {
      const isNew = keys.some((key) => !seen.has(key));
      for (const key of keys) seen.add(key);
      return isNew;
    });
};

let first: { readonly key: string; readonly at: number } | null = null;
const TOGETHER_MS = 1200;

export function listenForKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isDialogOpen.value) return;
    const mod = event.ctrlKey || event.metaKey;
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

const find = (pressed: string): Key | undefined => layers.value.flat().findLast(({ keys }) => keys.includes(pressed));

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

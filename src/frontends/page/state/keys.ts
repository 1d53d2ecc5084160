// Keys: each view says what those of its group do while it is shown; the latest that knows a key gets it. The list behind
// `?` is made of the same table, and docs/dashboard.md is held to it.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { PAGES } from "../pages.ts";

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

export interface KeyGroup {
  /** Where they work. */
  readonly where: string;
  /** By what they are for in code: the keys, and what they do in words. */
  readonly keys: Readonly<Record<string, KeyEntry>>;
}

/**
 * As `KeyboardEvent.key`; several that do the same; two for one after the other (`g r`); `mod+k` for Ctrl or ⌘.
 */
type KeyEntry = readonly [keys: readonly string[], does: string];

const group = <Keys extends KeyGroup["keys"]>(where: string, keys: Keys) => ({ where, keys });

const lines = {
  next: [["j", "ArrowDown"], "Next line"],
  before: [["k", "ArrowUp"], "Line before"],
} satisfies KeyGroup["keys"];

const KEY_TABLE = {
  everywhere: group("Everywhere", {
    find: [["mod+k"], "Find anything"],
    list: [["?"], "This list"],
    theme: [["t"], "Dark or light"],
    filter: [["/"], "Filter"],
  }),
  pages: group(
    "Everywhere",
    Object.fromEntries(PAGES.map(({ name, letter }): [string, KeyEntry] => [name, [[`g ${letter}`], name]])),
  ),
  runs: group("Runs", {
    ...lines,
    open: [["Enter"], "Open the run"],
    goOn: [["r"], "Answer what the run asks, or resume it"],
    cancel: [["c"], "Cancel the run"],
    again: [["a"], "Again with these inputs"],
    start: [["s"], "Start a run"],
  }),
  run: group("A run", {
    graph: [["1"], "Graph"],
    time: [["2"], "Timeline"],
    log: [["3"], "Log"],
    story: [["4"], "Story"],
    output: [["5"], "Output"],
    close: [["Escape"], "Close the step"],
    goOn: [["r"], "Answer what it asks, or resume"],
    cancel: [["c"], "Cancel"],
    again: [["a"], "Again with these inputs"],
    replay: [["p"], "Replay"],
    test: [["m"], "Make a test of this run"],
  }),
  graph: group("A run's graph", {
    down: [["ArrowDown"], "Along the edge"],
    up: [["ArrowUp"], "Back along the edge"],
    left: [["ArrowLeft"], "To the left"],
    right: [["ArrowRight"], "To the right"],
    fit: [["f"], "Fit the graph"],
    nearer: [["+", "="], "Nearer"],
    further: [["-"], "Further"],
    unfold: [["e"], "Unfold or fold the sub-workflow"],
    nextItem: [["n"], "Next item, failed ones first"],
  }),
  timeline: group("A run's timeline", lines),
  log: group("A run's log", { ...lines, follow: [["G"], "To the end, and follow"] }),
  step: group("A step", { before: [["["], "Visit before"], next: [["]"], "Next visit"] }),
  replay: group("A replay", {
    play: [[" "], "Play or pause"],
    on: [["."], "One event on; what is printed or said is passed over"],
    back: [[","], "One event back, likewise"],
  }),
  gates: group("Gates", { next: [["j"], "Next question"], before: [["k"], "Question before"] }),
  // The forms' own: they work while one types.
  answer: group("An answer", { send: [["mod+Enter"], "Send it"] }),
  inputs: group("A workflow's inputs", {
    start: [["Enter"], "Start, from a text of one line"],
    line: [["Shift+Enter"], "A line break in a text"],
    startAnyway: [["mod+Enter"], "Start, from any field"],
  }),
  workflows: group("Workflows", { ...lines, open: [["Enter"], "Open the workflow"] }),
} as const satisfies Readonly<Record<string, KeyGroup>>;

type KeyGroupName = keyof typeof KEY_TABLE;

const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  " ": "space",
  Escape: "Esc",
  mod: "Ctrl",
};

/** The keys of one combination, as they stand on a keyboard. */
export const keyNames = (combination: string): readonly string[] =>
  combination
    .split(/(?<=.)[+ ](?=.)/)
    .map((key) => NAMES[key] ?? (/^mod\+.$/.test(combination) ? key.toUpperCase() : key));

export interface ShownKey {
  readonly combinations: readonly string[];
  readonly does: string;
}

/** By where they work, those that work everywhere first. */
export function allKeys(): ReadonlyMap<string, readonly ShownKey[]> {
  const places = new Map<string, ShownKey[]>();
  for (const { where, keys } of Object.values<KeyGroup>(KEY_TABLE))
    places.set(where, [
      ...(places.get(where) ?? []),
      ...Object.values(keys).map(([combinations, does]) => ({ combinations, does })),
    ]);
  return places;
}

// A line about an event: whom it is about and how much it weighs, and its text, in colour for a terminal or bare for a log.
import { callerOfSlot, isHandlerKey, nodePath, visitNumber } from "../../../base/events/key.ts";
import type { EventData, RunEvent } from "../../../base/events/registry.ts";
import { printedIn } from "../../../base/events/secrets-in-events.ts";
import type { Colors } from "../output.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { type Glyph, paint, signOf } from "../text/phrases.ts";
import { hang } from "../text/width.ts";

/** `✓ plan/build  done in 3.2s`; deeper paths are indented, and what is wider than the terminal is broken at words. */
export function paintLine({ glyph, label, text, depth }: EventLine, colors: Colors, terminal?: number): string {
  const sign = signOf(glyph, colors);
  const words =
    glyph.tone === "bad"
      ? colors.red(text)
      : glyph.tone === "good"
        ? colors.dim(text)
        : paint(glyph.tone, text, colors);
  if (!label) return hang(sign, glyph.tone === "dim" ? text : words, terminal);
  return hang(`${"  ".repeat(depth)}${sign}`, `${colors.bold(label)}  ${words}`, terminal);
}

/** `plan/build: done in 3.2s`. */
export const plainLine = ({ label, text }: EventLine): string => (label ? `${label}: ${text}` : text);

export const scriptLine = ({ label, text }: ScriptLine, colors: Colors): string =>
  `${colors.dim(`${label} |`)} ${text}`;

/** Whatever shows a run while it goes on. */
export interface ProgressView {
  on(event: RunEvent): void;
  /** A line that belongs to no event. */
  say(text: string): void;
  /** Steps aside while a question is asked. */
  pause(): void;
  resume(): void;
  /** Nothing more will come; what was redrawn is taken away. `isReported`: whether the report that follows has a message. */
  end(isReported?: (message: string) => boolean): void;
  /** The messages of errors and warnings that were shown; absent where nothing is kept. */
  readonly said?: ReadonlySet<string>;
}

// What scripts print, line by line, each with the name of its step before it; a line that comes in pieces is put together.

/** An unfinished line longer than this is shown as it is. */
const LONGEST = 4000;

interface ScriptLine {
  readonly label: string;
  readonly text: string;
}

export class ScriptText {
  readonly #unfinished = new Map<string, string>();

  /** The lines that an event completes. */
  take(event: RunEvent): readonly ScriptLine[] {
    return printedIn(event).flatMap((printed) => this.#takePiece(event.path, printed));
  }

  #takePiece(path: RunEvent["path"], printed: EventData<"script_output">): readonly ScriptLine[] {
    const label = plainLineOf(nodePath(path, nameIn(printed) ?? printed.node));
    const key = `${printed.stream} ${label}`;
    const lines = ((this.#unfinished.get(key) ?? "") + printed.text).split(/\r?\n/);
    const rest = lines.pop() ?? "";
    if (rest.length > LONGEST) lines.push(rest);
    if (rest === "" || rest.length > LONGEST) this.#unfinished.delete(key);
    else this.#unfinished.set(key, rest);
    return lines.map((text) => ({ label, text: plain(text) }));
  }

  /** What was still unfinished when the run ended. */
  rest(): readonly ScriptLine[] {
    const lines = [...this.#unfinished].map(([key, text]) => ({
      label: key.slice(key.indexOf(" ") + 1),
      text: plain(text),
    }));
    this.#unfinished.clear();
    return lines;
  }
}

export interface EventLine {
  readonly glyph: Glyph;
  /** Whom it is about: `plan/build[3]`. Nothing: the run itself. */
  readonly label: string;
  readonly text: string;
  /** How far it stands in: sub-workflows, items and members stand under theirs. */
  readonly depth: number;
  /** Of a member: the label of its group, under which it stands. */
  readonly group?: string;
  /** `begin`: the live tree shows it anyway. `item`: one of many that went well. `detail`: only with -v. */
  readonly weight: "always" | "begin" | "item" | "detail";
}

/** Whether the line is shown only with -v; so is an event without a line. */
export const isDetail = (line: EventLine | undefined): boolean => line === undefined || line.weight === "detail";

/** `loop#2` is the second visit; the first goes without a number, as most steps have no other. */
const visited = (name: string, key: string | undefined): string => {
  const visit = key === undefined ? 1 : visitNumber(key);
  return visit === 1 ? name : `${name} #${visit}`;
};

type Place = { readonly key?: string; readonly group?: string; readonly item_key?: string };
type Named = { readonly [Field in "slot" | "from_agent" | "group_name" | "agent_name" | "node"]?: string | null };

/**
 * Whom an event is about, by the field that its data has for it; nothing: the run itself. An item is named by its group
 * and key, and the handler that stands in for one (`all#1[2].get.mend`) by its own name too. A member of a parallel group
 * has its own name, any other step its name and which visit it is.
 */
export function nameIn(data: RunEvent["data"]): string | undefined {
  const { slot, from_agent, group_name, agent_name, node, key, group, item_key } = data as Named & Place;
  const name = slot ?? from_agent ?? group_name ?? agent_name ?? node ?? undefined;
  if (name === undefined || name === slot || name === from_agent) return name;
  if (!group) return visited(name, key);
  if (item_key === undefined) return name;
  const item = `${group}[${item_key}]`;
  return key !== undefined && isHandlerKey(key, name) ? `${item} ${name}` : item;
}

/** An item's sub-workflow stands under the item, which stands under its group. */
export const depthOf = (path: readonly string[]): number =>
  path.reduce((depth, slot) => depth + (callerOfSlot(slot) === slot ? 1 : 2), 0);

/** Many alike: the items of a for_each, and what happens inside one. */
export const isAmongMany = (event: RunEvent): boolean =>
  ("item_key" in event.data && event.data.item_key !== undefined) ||
  event.path.some((slot) => callerOfSlot(slot) !== slot);

// What a process printed: any number of lines, coloured as a terminal would, searched, followed until one scrolls up.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { styledLine, withoutEscapes } from "./ansi.ts";
import { Icon } from "./icon.tsx";
import { Rows, type RowsHandle } from "./rows.tsx";
import { countText, plural } from "./text.ts";

interface PrintedProps {
  readonly lines: readonly string[];
  /** More is coming: the end is kept in sight. */
  readonly isLive: boolean;
  readonly label: string;
}

const LINE = 18;
const MOST_ROWS = 22;

export function PrintedLines({ lines, isLive, label }: PrintedProps) {
  const handle = useRef<RowsHandle>(null);
  const isFollowing = useSignal(isLive);
  const wanted = useSignal("");
  const current = useSignal(0);
  const given = useSignal(lines);
  given.value = lines;
  const found = useComputed(() => linesWith(given.value, wanted.value)).value;
  const shown = found[current.value];
  useEffect(() => {
    if (isLive && isFollowing.value) handle.current?.scrollToIndex(lines.length - 1, { align: "end" });
  }, [lines.length, isLive]);
  const move = (by: number): void => {
    if (found.length === 0) return;
    isFollowing.value = false;
    current.value = (current.value + by + found.length) % found.length;
    handle.current?.scrollToIndex(found[current.value] ?? 0, { align: "center" });
  };
  return (
    <div class="printed">
      <div class="row printed-tools">
        <input
          class="field low"
          type="search"
          aria-label={`Search ${label}`}
          placeholder="Search"
          value={wanted.value}
          onInput={(event) => {
            wanted.value = event.currentTarget.value;
            current.value = 0;
            const [first] = linesWith(lines, wanted.value);
            if (first !== undefined) handle.current?.scrollToIndex(first, { align: "center" });
          }}
          onKeyDown={(event) => event.key === "Enter" && move(event.shiftKey ? -1 : 1)}
        />
        {wanted.value && (
          <span class="small soft number">
            {found.length === 0 ? "none" : `${countText(current.value + 1)} of ${countText(found.length)}`}
          </span>
        )}
        <span class="grow" />
        <span class="small soft">{plural(lines.length, "line")}</span>
        {isLive && !isFollowing.value && (
          <button type="button" class="button low" onClick={() => (isFollowing.value = true)}>
            <Icon name="down" /> Follow
          </button>
        )}
      </div>
      <div
        class="printed-lines mono"
        style={{ height: `${Math.min(MOST_ROWS, Math.max(1, lines.length)) * LINE + 8}px` }}
      >
        <Rows
          items={lines}
          height={LINE}
          handle={handle}
          tabIndex={0}
          onScroll={({ scrollOffset, scrollSize, viewportSize }) => {
            isFollowing.value = scrollOffset + viewportSize >= scrollSize - LINE;
          }}
        >
          {(line, index) => (
            <div class={index === shown ? "printed-line found" : "printed-line"} key={index}>
              {styledLine(line).map((part, at) => (
                <span class={part.look || undefined} key={at}>
                  {part.text}
                </span>
              ))}
              {"\n"}
            </div>
          )}
        </Rows>
      </div>
    </div>
  );
}

const MOST_FOUND = 100_000;

function linesWith(lines: readonly string[], wanted: string): readonly number[] {
  if (wanted === "") return [];
  const text = wanted.toLowerCase();
  const found: number[] = [];
  for (const [index, line] of lines.entries()) {
    const plain = line.includes("\x1b") ? withoutEscapes(line) : line;
    if (plain.toLowerCase().includes(text)) found.push(index);
    if (found.length >= MOST_FOUND) break;
  }
  return found;
}

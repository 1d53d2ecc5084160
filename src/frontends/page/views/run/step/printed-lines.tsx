// What a process printed: any number of lines, coloured as a terminal would, searched, followed until one scrolls up.
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { styledLine } from "../../../parts/ansi.ts";
import { Button, IconButton } from "../../../parts/button.tsx";
import { countText, plural } from "../../../text.ts";

export interface FoundIn {
  readonly count: number;
  /** Their numbers, as many as can be stepped through. */
  readonly rows: readonly number[];
}

export interface PrintedRows {
  readonly rowCount: ReadonlySignal<number>;
  /** False while more may come. */
  readonly isAll: ReadonlySignal<boolean>;
  /** Changes when rows have come that were not there. */
  readonly version: ReadonlySignal<number>;
  row(index: number): string | undefined;
  want(from: number, to: number): void;
  find(text: string): Promise<FoundIn>;
}

interface PrintedProps {
  readonly rows: PrintedRows;
  /** More is coming: the end is kept in sight. */
  readonly isLive: boolean;
  readonly label: string;
}

const LINE = 18;
const MOST_ROWS = 22;
/** Shorter than it takes to type a word. */
const TYPING_MS = 150;
const NOTHING: FoundIn = { count: 0, rows: [] };

export function PrintedLines({ rows, isLive, label }: PrintedProps) {
  const list = useRef<HTMLDivElement>(null);
  const isFollowing = useSignal(isLive);
  const scrolled = useSignal(0);
  const found = useSignal<FoundIn>(NOTHING);
  const current = useSignal(0);
  const count = rows.rowCount.value;
  const viewport = list.current?.clientHeight || Math.min(MOST_ROWS, Math.max(1, count)) * LINE;
  const { height, first, last, top, scale } = rowWindow(count, LINE, viewport, scrolled.value);
  // Read, so that rows that come late are drawn.
  void rows.version.value;
  useEffect(() => rows.want(first, last), [rows, first, last, count]);
  useLayoutEffect(() => {
    if (isFollowing.value && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [count, isFollowing.value]);
  const show = (index: number): void => {
    isFollowing.value = false;
    if (list.current) list.current.scrollTop = scrollTo(index, count, LINE, viewport);
  };
  const { wanted, search } = useSearch(rows, found, (result) => {
    current.value = 0;
    if (result.rows[0] !== undefined) show(result.rows[0]);
  });
  const move = (by: number): void => {
    const { length } = found.value.rows;
    if (length === 0) return;
    current.value = (current.value + by + length) % length;
    show(found.value.rows[current.value] ?? 0);
  };
  // A wheel's pixel would be many rows where the scroll bar is a scale.
  useEffect(() => {
    const element = list.current;
    if (!element || scale === 1) return;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      element.scrollTop += event.deltaY / scale;
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [scale]);
  const shown = found.value.rows[current.value];
  return (
    <div class="printed">
      <div class="row printed-tools">
        <input
          class="field low"
          type="search"
          aria-label={`Search ${label}`}
          placeholder="Search"
          value={wanted}
          onInput={(event) => search(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && move(event.shiftKey ? -1 : 1)}
        />
        {wanted && <FoundCount found={found.value} current={current.value} move={move} />}
        <span class="grow" />
        <span class="small soft">{plural(count, "line")}</span>
        {isLive && !isFollowing.value && (
          <Button is="low" icon="down" label="Follow" onClick={() => (isFollowing.value = true)} />
        )}
      </div>
      <div
        class="printed-lines column mono"
        style={{ height: `${Math.min(MOST_ROWS, Math.max(1, count)) * LINE + 8}px` }}
      >
        <div
          class="rows"
          ref={list}
          tabIndex={0}
          role="region"
          aria-label={label}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            scrolled.value = scrollTop;
            isFollowing.value = scrollTop + clientHeight >= scrollHeight - LINE;
          }}
        >
          <div class="printed-all" style={{ height: `${height}px` }}>
            <div style={{ transform: `translateY(${top}px)` }}>
              {Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (
                <PrintedLine text={rows.row(first + at)} isFound={first + at === shown} key={first + at} />
              ))}
            </div>
          </div>
        </div>
      </div>
    </div>
  );
}

/** Looks for what was typed, and again while there is more to look through. */
function useSearch(
  rows: PrintedRows,
  found: { value: FoundIn },
  show: (result: FoundIn) => void,
): { readonly wanted: string; readonly search: (text: string) => void } {
  const wanted = useSignal("");
  const isShown = useRef(false);
  const isAll = rows.isAll.value;
  const version = rows.version.value;
  useEffect(() => {
    if (wanted.value === "") {
      found.value = NOTHING;
      return;
    }
    let isGone = false;
    const timer = setTimeout(() => {
      rows.find(wanted.value).then(
        (result) => {
          if (isGone) return;
          found.value = result;
          if (!isShown.current) show(result);
          isShown.current ||= result.rows.length > 0;
        },
        () => undefined,
      );
    }, TYPING_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [rows, wanted.value, isAll ? "all" : version]);
  return {
    wanted: wanted.value,
    search(text) {
      isShown.current = false;
      wanted.value = text;
    },
  };
}

interface FoundCountProps {
  readonly found: FoundIn;
  readonly current: number;
  readonly move: (by: number) => void;
}

function FoundCount({ found, current, move }: FoundCountProps) {
  if (found.count === 0) return <span class="small soft number">none</span>;
  return (
    <>
      <span class="small soft number">
        {countText(current + 1)} of {countText(found.count)}
      </span>
      <IconButton icon="back" label="The one before" title="Shift Enter" onClick={() => move(-1)} />
      <IconButton icon="forward" label="The next" title="Enter" onClick={() => move(1)} />
    </>
  );
}

function PrintedLine({ text, isFound }: { readonly text: string | undefined; readonly isFound: boolean }) {
  return (
    <div class={isFound ? "printed-line found" : "printed-line"}>
      {text === undefined
        ? "…"
        : styledLine(text).map((part, at) => (
            <span class={part.look || undefined} key={at}>
              {part.text}
            </span>
          ))}
      {"\n"}
    </div>
  );
}

// Which rows of a very long list are in sight. A browser draws no element that is higher than some millions of pixels: then
// the scroll bar is a scale, and a wheel still moves row by row.

/** Every browser draws elements as high as this. */
export const HIGHEST = 8_000_000;

interface RowWindow {
  readonly height: number;
  readonly first: number;
  readonly last: number;
  readonly top: number;
  /** How many pixels of rows one pixel of scrolling is. */
  readonly scale: number;
}

export function rowWindow(count: number, row: number, viewport: number, scrolled: number): RowWindow {
  const whole = count * row;
  const height = Math.min(whole, HIGHEST);
  const scale = height === whole || height <= viewport ? 1 : (whole - viewport) / (height - viewport);
  const offset = Math.max(0, Math.min(scrolled * scale, whole - viewport));
  const first = Math.max(0, Math.floor(offset / row));
  const last = Math.min(count - 1, Math.ceil((offset + viewport) / row));
  return { height, first, last, top: scrolled - (offset - first * row), scale };
}

/** How far to scroll so that a row stands in the middle. */
export function scrollTo(index: number, count: number, row: number, viewport: number): number {
  const { scale } = rowWindow(count, row, viewport, 0);
  return Math.max(0, (index * row - (viewport - row) / 2) / scale);
}

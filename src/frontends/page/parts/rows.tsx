// A list of any length of which only the rows in sight are in the page.
import type { ComponentChildren, Ref } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { VList } from "virtua";

/** How a list is controlled from outside. */
export interface RowsHandle {
  scrollToIndex(index: number, options?: { align?: "start" | "center" | "end" | "nearest" }): void;
  scrollTo(offset: number): void;
  readonly scrollOffset: number;
  readonly scrollSize: number;
  readonly viewportSize: number;
  findItemIndex(offset: number): number;
}

interface RowsProps<Item> {
  readonly items: readonly Item[];
  readonly height: number;
  readonly children: (item: Item, index: number) => ComponentChildren;
  /** Brought into sight when another one is chosen. */
  readonly chosen?: number;
  /** What is chosen, where its number changes as rows come before it. */
  readonly chosenName?: string | number;
  readonly handle?: Ref<RowsHandle>;
  readonly onScroll?: (handle: RowsHandle) => void;
  /** The list has another height, or its rows have: what it said of itself before may be wrong. */
  readonly onResize?: (handle: RowsHandle) => void;
  readonly class?: string;
  /** Rows were put before the others: what is in sight stays. */
  readonly shift?: boolean;
  /** 0 for rows that hold nothing a keyboard could reach: then the list itself can be scrolled by it. */
  readonly tabIndex?: number;
}

// Written for React, which the build replaces; its types are not there.
const List = VList as unknown as (props: {
  readonly data: readonly unknown[];
  readonly itemSize: number;
  readonly class: string;
  readonly ref: Ref<RowsHandle>;
  readonly tabIndex: number | undefined;
  readonly shift: boolean;
  readonly onScroll: () => void;
  readonly onResize: () => void;
  readonly children: (item: never, index: number) => ComponentChildren;
}) => preact.VNode;

export function Rows<Item>({
  items,
  height,
  children,
  chosen,
  chosenName = chosen,
  handle,
  onScroll,
  onResize,
  class: more = "",
  shift = false,
  tabIndex,
}: RowsProps<Item>) {
  const own = useRef<RowsHandle>(null);
  useEffect(() => {
    if (typeof handle === "function") handle(own.current);
    else if (handle) handle.current = own.current;
  }, [handle]);
  useEffect(() => {
    if (chosen !== undefined && chosen >= 0) own.current?.scrollToIndex(chosen, { align: "nearest" });
  }, [chosenName, chosen !== undefined && chosen >= 0]);
  return (
    <List
      data={items}
      itemSize={height}
      class={`rows ${more}`}
      ref={own}
      tabIndex={tabIndex}
      shift={shift}
      onScroll={() => own.current && onScroll?.(own.current)}
      onResize={() => own.current && onResize?.(own.current)}
    >
      {children as (item: never, index: number) => ComponentChildren}
    </List>
  );
}

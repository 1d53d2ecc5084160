// A step that is chosen elsewhere, or by the address, is looked for in the log: its last line is the chosen one.
import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RunEvent } from "../../../../events/registry.ts";
import { itemMeant } from "../../../state/item-meant.ts";
import type { RunMoment } from "../../../state/run-model.ts";
import { selection } from "../../../state/selection.ts";
import { stepText } from "../../../state/step-address.ts";
import { logLine } from "./describe.ts";
import type { LogPages } from "./log-pages.ts";

/** Of a very long log so many pages are read for it. */
const MOST_PAGES = 10;

/** @param take told of the line's event, once for each step that is chosen */
export function useChosenStep(
  pages: LogPages,
  moment: RunMoment,
  take: (seq: number) => void,
  taken: number | null,
): void {
  const { step, item } = useComputed(() => selection.value).value;
  const name = step ? stepText(step) : null;
  // Which item is meant is asked once: while the run goes on, the line that is chosen does not move by itself.
  const wanted = useMemo(() => (step ? nameOf(stepText(step), item ?? itemMeant(moment, step)) : null), [name, item]);
  const search = useRef({ wanted: null as string | null, pages: 0 });
  const events = pages.events.value;
  useEffect(() => {
    if (search.current.wanted !== wanted) search.current = { wanted, pages: 0 };
    if (!events || wanted === null || search.current.pages > MOST_PAGES) return;
    const isWanted = (event: RunEvent | undefined): boolean => {
      const { step, item } = event ? logLine(event) : { step: null, item: null };
      return step !== null && nameOf(stepText(step), item) === wanted;
    };
    // A line of the log was chosen itself.
    const found = isWanted(events.find(({ seq }) => seq === taken)) ? undefined : events.findLast(isWanted);
    if (found) take(found.seq);
    if (found || taken !== null) search.current.pages = MOST_PAGES + 1;
    else {
      search.current.pages++;
      void pages.earlier();
    }
  }, [wanted, events]);
}

const nameOf = (step: string, item: string | null): string => `${step} ${item ?? ""}`;

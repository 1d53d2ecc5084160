// The log: every event as a line, as far as it was read. A line is a step: choosing one chooses it in all views.
import { computed, signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RunEvent } from "../../../../../base/events/registry.ts";
import { Button, Cut } from "../../../parts/button.tsx";
import { ChoiceField, Search } from "../../../parts/field.tsx";
import { PaneTrouble } from "../../../parts/pane.tsx";
import { Rows, type RowsHandle } from "../../../parts/rows.tsx";
import { change, query } from "../../../state/address.ts";
import { useKeys } from "../../../state/keys.ts";
import { itemMeant } from "../../../state/run-lights.ts";
import { EventReader, type RunModel, type RunMoment, type RunViewProps } from "../../../state/run-model.ts";
import { chooseStep, selection } from "../../../state/selection.ts";
import { stepText } from "../../../state/step-address.ts";
import { clock } from "../../../text.ts";
import { goesOnFollowing, isEndInSight, logLine, withoutRepetition } from "./describe.ts";

const LINE = 22;
const ALL = "all";
const GROUPS: readonly (readonly [types: string, words: string])[] = [
  ["", "what happened"],
  [ALL, "all events"],
  [
    "error_raised,error_routed,error_unhandled,error_recovered,retry_scheduled,agent_failed,dead_lettered",
    "errors and routes",
  ],
  ["agent_started,agent_completed,agent_failed,agent_reused,agent_cancelled", "steps"],
  ["script_output", "output"],
  ["agent_message,agent_reasoning,agent_tool_start,agent_tool_complete,agent_prompt_rendered", "models"],
  ["gate_presented,gate_resolved,questions_presented,questions_answered", "people"],
];

export function EventLog({ model, moment }: RunViewProps) {
  const { find = "", type = "" } = useComputed(() => query.value).value as { find?: string; type?: string };
  const at = useComputed(() => selection.value.at).value;
  const chosenStep = useComputed(() => (selection.value.step ? stepText(selection.value.step) : null)).value;
  const pages = useMemo(
    () => new LogPages(model, at, { text: find, type: type === ALL ? "" : type, isWhole: type !== "" }),
    [model, find, type, at],
  );
  useEffect(() => () => pages.stop(), [pages]);
  const handle = useRef<RowsHandle>(null);
  const isToFollow = useSignal(true);
  const offset = useRef(0);
  const events = pages.lines.value;
  /** By its number in the run: earlier pages move the lines. */
  const chosen = useSignal<number | null>(null);
  // A chosen line holds the log where it is: whether its end is in sight too depends on the height of the window.
  const isFollowing = useComputed(() => isToFollow.value && chosen.value === null);
  const showEnd = (): void => handle.current?.scrollToIndex((events?.length ?? 1) - 1, { align: "end" });
  const line = events && chosen.value !== null ? events.findIndex(({ seq }) => seq === chosen.value) : -1;
  useChosenStep(pages, moment, (seq) => (chosen.value = seq), chosen.value);
  useEffect(() => {
    if (events && isFollowing.value) showEnd();
    // Too few lines to scroll: nothing else would ask for the earlier ones.
    if (events && events.length < LEAST_LINES) void pages.earlier();
  }, [events]);
  const take = (event: RunEvent | undefined): void => {
    if (!event) return;
    chosen.value = event.seq;
    const { step, item } = logLine(event);
    if (step) chooseStep(step, { item });
  };
  const move = (by: number): void => {
    if (events) take(events[Math.max(0, Math.min(events.length - 1, (line < 0 ? events.length : line) + by))]);
  };
  useKeys("log", { next: () => move(1), before: () => move(-1), follow: () => follow() });
  const follow = (): void => {
    chosen.value = null;
    isToFollow.value = true;
    showEnd();
  };
  return (
    <div class="log column">
      <div class="row log-tools">
        <Search
          label="Find in the log"
          placeholder="Find  /"
          value={find}
          changed={(text) => change({ find: text })}
          isLow
        />
        <ChoiceField label="Kind of event" value={type} options={GROUPS} choose={(types) => change({ type: types })} />
        <span class="grow" />
        {!isFollowing.value && <Button is="low" icon="down" label="Follow" onClick={follow} />}
      </div>
      {pages.problem.value && (
        <PaneTrouble message={`The log: ${pages.problem.value}`} retry={() => void pages.earlier()} />
      )}
      {!events && !pages.problem.value && <p class="quiet">Loading the log …</p>}
      {events?.length === 0 && <p class="quiet">No event is like that.</p>}
      {events && events.length > 0 && (
        <Rows
          items={events}
          height={LINE}
          handle={handle}
          chosen={line}
          chosenName={chosen.value ?? -1}
          shift={pages.isPrepended}
          class="log-lines"
          onScroll={(list) => {
            const before = { isFollowing: isToFollow.value, offset: offset.current };
            isToFollow.value = goesOnFollowing(before, list, LINE);
            offset.current = list.scrollOffset;
            if (list.scrollOffset < list.viewportSize) void pages.earlier();
          }}
          onResize={(list) => {
            if (isEndInSight(list, LINE)) isToFollow.value = true;
            else if (isFollowing.value) showEnd();
          }}
        >
          {(event, index) => (
            <Line
              event={event}
              isChosen={index === line}
              chosenStep={chosenStep}
              choose={() => take(event)}
              key={event.seq}
            />
          )}
        </Rows>
      )}
    </div>
  );
}

interface LineProps {
  readonly event: RunEvent;
  readonly isChosen: boolean;
  readonly chosenStep: string | null;
  readonly choose: () => void;
}

function Line({ event, isChosen, chosenStep, choose }: LineProps) {
  const { what, more, state, step, item } = logLine(event);
  const name = step ? stepText(step) : "";
  const look = `log-line${state ? ` is-${state}` : ""}${isChosen ? " chosen" : ""}${name !== "" && name === chosenStep ? " of-step" : ""}`;
  return (
    <button type="button" class={look} tabIndex={-1} title={`event ${event.seq}`} onClick={choose}>
      <span class="log-time">{clock(event.ts)}</span>
      <span class="log-step cut">
        {name}
        {item !== null && <span class="soft"> [{item}]</span>}
      </span>
      <span class="log-what">{what}</span>
      <Cut is="log-more" text={more.slice(0, 400)} />
    </button>
  );
}

// A step that is chosen elsewhere, or by the address, is looked for in the log: its last line is the chosen one, of the
// visit that is chosen.

/** Of a very long log so many pages are read for it. */
const MOST_PAGES = 10;

/** @param take called with the number of the line's event, once for each step that is chosen */
function useChosenStep(pages: LogPages, moment: RunMoment, take: (seq: number) => void, taken: number | null): void {
  const { step, item, visit } = useComputed(() => selection.value).value;
  const name = step ? stepText(step) : null;
  // Which item is meant is asked once: while the run goes on, the line that is chosen does not move by itself.
  const wanted = useMemo(
    () => (step ? nameOf(stepText(step), item ?? itemMeant(moment, step), visit) : null),
    [name, item, visit],
  );
  const search = useRef({ wanted: null as string | null, pages: 0 });
  const events = pages.lines.value;
  useEffect(() => {
    if (search.current.wanted !== wanted) search.current = { wanted, pages: 0 };
    if (!events || wanted === null || search.current.pages > MOST_PAGES) return;
    const isWanted = (event: RunEvent | undefined): boolean => {
      if (!event) return false;
      const line = logLine(event);
      return line.step !== null && nameOf(stepText(line.step), line.item, visit && line.visit) === wanted;
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

const nameOf = (step: string, item: string | null, visit: number | null): string =>
  `${step} ${item ?? ""} ${visit ?? ""}`;

const PAGE = 1000;
/** More than this is not kept; scrolling up fetches it again. */
const MOST = 20_000;

/** As many lines as the tallest window shows. */
const LEAST_LINES = 100;

interface LogFilter {
  readonly text: string;
  readonly type: string;
  /** Shows every event that matches, also those that say again what another one says. */
  readonly isWhole: boolean;
}

/** The newest page first, earlier ones as one scrolls up, new events as they come. */
class LogPages extends EventReader {
  readonly read = signal<readonly RunEvent[] | undefined>(undefined);
  readonly lines = computed(() => {
    const events = this.read.value;
    return events && !this.filter.isWhole ? withoutRepetition(events) : events;
  });
  /** The last change put events before the others: the list keeps its place. */
  isPrepended = false;
  #hasEarlier = true;
  #isLoading = false;

  constructor(
    model: RunModel,
    until: number | null,
    readonly filter: LogFilter,
  ) {
    super(model, until);
    void this.earlier();
  }

  async earlier(): Promise<void> {
    if (this.#isLoading || !this.#hasEarlier) return;
    this.#isLoading = true;
    const [first] = this.read.peek() ?? [];
    const before = first?.seq ?? (this.until ?? this.model.live.peek()?.seq ?? 0) + 1;
    await this.attempt(async () => {
      const { text, type } = this.filter;
      const { events } = await this.events({ before, limit: PAGE, text, type });
      this.isPrepended = true;
      this.#hasEarlier = events.length === PAGE;
      this.read.value = [...events, ...(this.read.peek() ?? [])];
    });
    this.#isLoading = false;
  }

  protected heard(events: readonly RunEvent[]): void {
    const { text, type } = this.filter;
    const known = this.read.peek();
    if (!known) return;
    const wanted = events.filter(
      (event) =>
        event.seq > (known.at(-1)?.seq ?? 0) &&
        (type === "" || type.split(",").includes(event.type)) &&
        (text === "" || JSON.stringify(event.data).toLowerCase().includes(text.toLowerCase())),
    );
    if (wanted.length === 0) return;
    this.isPrepended = false;
    const all = [...known, ...wanted];
    if (all.length > MOST) this.#hasEarlier = true;
    this.read.value = all.length > MOST ? all.slice(-MOST / 2) : all;
  }
}

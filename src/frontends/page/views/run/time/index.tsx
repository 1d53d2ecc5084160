// The timeline: attempts as segments, waits hatched, what was taken over marked, idle time folded; one drive or all.
import { signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RunEvent } from "../../../../../base/events/registry.ts";
import { VisitFold } from "../../../../../base/events/visits/visit-fold.ts";
import { serverNow } from "../../../api/clock.ts";
import { ChoiceField } from "../../../parts/field.tsx";
import { PaneTrouble } from "../../../parts/pane.tsx";
import { Rows } from "../../../parts/rows.tsx";
import { change, query } from "../../../state/address.ts";
import { useKeys } from "../../../state/keys.ts";
import { EventReader, type RunModel, type RunViewProps } from "../../../state/run-model.ts";
import { chooseStep, selection } from "../../../state/selection.ts";
import { stepText } from "../../../state/step-address.ts";
import { durationText, roughText } from "../../../text.ts";
import { type TimeRow, type TimeScale, type TimeSpan, timeRows, timeScale } from "./spans.ts";

const ROW = 26;
/** A tick needs so much room to be read. */
const TICK_WIDTH = 84;
/** Folded time is wide enough for its length to be written on it. */
const FOLD_WIDTH = 52;

export function Timeline({ model, about, moment }: RunViewProps) {
  const at = useComputed(() => selection.value.at).value;
  const chosen = useComputed(
    () => `${selection.value.step ? stepText(selection.value.step) : ""} ${selection.value.item ?? ""}`,
  ).value;
  const history = useMemo(() => new HistoryOfVisits(model, at), [model, at]);
  useEffect(() => () => history.stop(), [history]);
  const drive = Number(query.value["drive"]) || null;
  const version = history.version.value;
  const isRunning = moment.state.status === "running" && about.status === "running";
  const now = isRunning && at === null ? serverNow.value : Date.parse(moment.state.lastAt ?? "") || serverNow.peek();
  const cutOffAt = moment.state.isCutOff ? Date.parse(moment.state.lastAt ?? "") || null : null;
  const rows = useMemo(() => timeRows(history.fold, now, drive, cutOffAt), [history, version, now, drive, cutOffAt]);
  const longest = useMemo(
    () => rows.reduce((most, row) => Math.max(most, rowName(row).length + 2 * row.depth), 0),
    [rows],
  );
  const { track, width } = useWidth();
  const scale = useMemo(() => timeScale(rows, FOLD_WIDTH / Math.max(width, 1)), [rows, width]);
  const line = rows.findIndex(({ id }) => id === chosen);
  const move = (by: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, line + by))];
    if (row) chooseStep(row.step, { item: row.item });
  };
  useKeys("timeline", { next: () => move(1), before: () => move(-1) });
  return (
    <div class="timeline column" style={{ "--longest": longest }}>
      {history.problem.value && (
        <PaneTrouble message={`The timeline: ${history.problem.value}`} retry={() => void history.load()} />
      )}
      <div class="time-head">
        <div class="time-name">
          {about.drives.length > 1 && (
            <ChoiceField
              label="Drive"
              value={drive ?? ""}
              options={[["", "all drives"], ...about.drives.map((one) => [one.drive, `drive ${one.drive}`] as const)]}
              choose={(one) => change({ drive: one })}
            />
          )}
        </div>
        <div class="time-track" ref={track}>
          <Folded scale={scale} look="fold-length" />
          {scale.ticks(Math.floor(width / TICK_WIDTH)).map(({ at: place, text }) => (
            <span class="tick" style={{ left: percent(place) }} key={place}>
              {text}
            </span>
          ))}
        </div>
      </div>
      {version === 0 && !history.problem.value && <p class="quiet">Loading the timeline …</p>}
      {rows.length === 0 && version > 0 && <p class="quiet">Nothing has run yet.</p>}
      <Rows items={rows} height={ROW} chosen={line} chosenName={chosen}>
        {(row) => <Line row={row} scale={scale} isChosen={row.id === chosen} key={row.id} />}
      </Rows>
    </div>
  );
}

function useWidth() {
  const track = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    const element = track.current;
    if (!element) return;
    const read = (): void => {
      width.value = element.clientWidth;
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { track, width: width.value };
}

interface FoldedProps {
  readonly scale: TimeScale;
  readonly look: "fold-length" | "time-fold";
}

/** Idle time; above the rows, how long it was. */
const Folded = ({ scale, look }: FoldedProps) => (
  <>
    {scale.folded.map(({ from, to, left, width }) => (
      <span
        class={look}
        style={{ left: percent(left), width: percent(width) }}
        title={`nothing ran for ${durationText(to - from)}`}
        key={from}
      >
        {look === "fold-length" && roughText(to - from)}
      </span>
    ))}
  </>
);

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;

interface LineProps {
  readonly row: TimeRow;
  readonly scale: TimeScale;
  readonly isChosen: boolean;
}

function Line({ row, scale, isChosen }: LineProps) {
  const { step, item, items, depth, spans } = row;
  return (
    <div class={isChosen ? "time-row chosen" : "time-row"}>
      <button
        type="button"
        class="time-name cut"
        style={{ paddingLeft: `${12 + depth * 12}px` }}
        title={rowName(row)}
        onClick={() => chooseStep(step, { item })}
      >
        {step.node}
        {items.length > 0 && <span class="soft"> {inBrackets(items)}</span>}
      </button>
      <div class="time-track">
        <Folded scale={scale} look="time-fold" />
        {spans.map((span) => (
          <Segment span={span} row={row} scale={scale} key={`${span.from} ${span.isWait} ${span.visit}`} />
        ))}
      </div>
    </div>
  );
}

const inBrackets = (items: readonly string[]): string => items.map((item) => `[${item}]`).join(" ");

const rowName = ({ step, items }: TimeRow): string =>
  [step.node, ...(items.length > 0 ? [inBrackets(items)] : [])].join(" ");

function Segment({ span, row, scale }: { readonly span: TimeSpan; readonly row: TimeRow; readonly scale: TimeScale }) {
  const { from, to, state, isWait, visit, attempt, drive, about } = span;
  const left = scale.place(from);
  const said = `${rowName(row)}: ${about}, ${durationText(to - from)}`;
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`segment is-${state}${isWait ? " wait" : ""}${to === from ? " mark" : ""}`}
      style={{ left: percent(left), width: percent(scale.place(to) - left) }}
      title={said}
      aria-label={said}
      onClick={() =>
        chooseStep(row.step, { item: row.item, visit, attempt: attempt === null ? null : { drive, attempt } })
      }
    />
  );
}

/** What scripts print and models say is most of a log, and no part of this. */
const TYPES = [
  "workflow_started,run_resumed,workflow_completed,workflow_failed,run_paused,run_cancelled",
  "agent_started,agent_completed,agent_failed,agent_cancelled,agent_reused",
  "error_raised,error_routed,error_unhandled,error_recovered,retry_scheduled,route_taken",
  "parallel_started,for_each_started,parallel_completed,for_each_completed",
  "subworkflow_started,subworkflow_failed,gate_presented,gate_resolved",
].join(",");
const KNOWN: ReadonlySet<string> = new Set(TYPES.split(","));
const PAGE = 5000;

/** The visits of a run with their history, folded from the events that tell of them, and on as they come. */
class HistoryOfVisits extends EventReader {
  readonly fold = new VisitFold({ history: true });
  readonly version = signal(0);
  #position = 0;
  #waiting: RunEvent[] | null = [];

  constructor(model: RunModel, until: number | null) {
    super(model, until);
    void this.load();
  }

  load(): Promise<void> {
    return this.attempt(async () => {
      for (let after: number | null = this.#position; after !== null; ) {
        const page = await this.events({ after, limit: PAGE, type: TYPES, to: this.until });
        this.#add(page.events);
        after = page.next;
      }
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      this.#add(waiting);
    });
  }

  protected heard(events: readonly RunEvent[]): void {
    if (this.#waiting) this.#waiting.push(...events);
    else this.#add(events);
  }

  #add(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.#position || !KNOWN.has(event.type)) continue;
      this.fold.add(event);
      this.#position = event.seq;
    }
    this.version.value += 1;
  }
}

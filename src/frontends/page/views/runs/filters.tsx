// What stands above the list: the days as stacked bars by status, and the filters as chips.
import { useRef } from "preact/hooks";
import type { DayJson } from "../../../server/contract/runs.ts";
import { Button, FILTERED_STATUSES, Icon, runStatus } from "../../parts/button.tsx";
import { ChoiceField, Search } from "../../parts/field.tsx";
import { change, path } from "../../state/address.ts";
import { type Filters, isFiltered, type RunList } from "../../state/runs.ts";
import { plural } from "../../text.ts";

const SINCE: Options = [
  ["1h", "last hour"],
  ["1d", "last day"],
  ["7d", "last 7 days"],
  ["30d", "last 30 days"],
];
const TYPING_MS = 200;

export function FilterBar({ filters, list }: { readonly filters: Filters; readonly list: RunList }) {
  const counts = new Map<string, number>();
  for (const day of list.days.value)
    for (const [status, n] of Object.entries(day.counts)) counts.set(status, (counts.get(status) ?? 0) + n);
  const toggle = (status: string): void => {
    const next = filters.status.includes(status)
      ? filters.status.filter((one) => one !== status)
      : [...filters.status, status];
    change({ status: next.join(",") });
  };
  return (
    <div class="filters middle">
      <SearchField value={filters.text} />
      {FILTERED_STATUSES.filter((status) => counts.has(status) || filters.status.includes(status)).map((status) => (
        <button
          type="button"
          class={`chip is-${runStatus(status).state}`}
          key={status}
          aria-pressed={filters.status.includes(status)}
          onClick={() => toggle(status)}
        >
          <span class="status">
            <Icon name={runStatus(status).icon} />
          </span>
          {runStatus(status).word.toLowerCase()}
        </button>
      ))}
      <Filter name="workflow" all="any workflow" value={filters.workflow} options={pairs(list.workflows.value)} />
      <Filter name="kind" all="any kind" value={filters.kind} options={pairs(list.kinds.value)} />
      <Filter name="since" all="any time" value={filters.since} options={SINCE} />
      {filters.day && (
        <button type="button" class="chip" aria-pressed="true" onClick={() => change({ day: null })}>
          {filters.day} <Icon name="close" />
        </button>
      )}
      {isFiltered(filters) && (
        <Button
          is="plain low"
          label="Clear"
          onClick={() => change({ status: null, workflow: null, kind: null, text: null, since: null, day: null })}
        />
      )}
    </div>
  );
}

function SearchField({ value }: { readonly value: string }) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const search = (text: string): void => {
    clearTimeout(timer.current);
    const typedOn = path.peek();
    // The address of another page is not for what was typed on this one.
    timer.current = setTimeout(() => path.peek() === typedOn && change({ text }), TYPING_MS);
  };
  return (
    <Search
      label="Filter runs by text, or by an input: name=value"
      placeholder="Text, or input=value  /"
      value={value}
      typed={search}
    />
  );
}

type Options = readonly (readonly [string, string])[];

const pairs = (names: readonly string[]): Options => names.map((name) => [name, name]);

interface FilterProps {
  readonly name: string;
  readonly all: string;
  readonly value: string;
  readonly options: Options;
}

function Filter({ name, all, value, options }: FilterProps) {
  if (options.length === 0 && value === "") return null;
  const isKnown = value === "" || options.some(([one]) => one === value);
  return (
    <ChoiceField
      label={name}
      value={value}
      isOn={value !== ""}
      options={[["", all], ...(isKnown ? [] : pairs([value])), ...options]}
      choose={(next) => change({ [name]: next })}
    />
  );
}

/** From below: what ended badly stands at the foot of a bar. */
const ORDER = [
  "failed",
  "crashed",
  "terminated:failed",
  "cancelled",
  "paused",
  "degraded",
  "queued",
  "running",
  "terminated:success",
  "completed",
];
const NAME = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });
const SHOWN = 30;

const nameOf = (day: string): string => NAME.format(new Date(`${day}T12:00:00`));

interface DaysProps {
  readonly days: readonly DayJson[];
  readonly chosen: string;
  readonly choose: (day: string) => void;
}

/** The days as stacked bars by status. A click shows that day alone; a second click all of them. */
export function Days({ days, chosen, choose }: DaysProps) {
  const shown = withoutGaps(days).slice(-SHOWN);
  const most = Math.max(1, ...shown.map(({ total }) => total));
  const focusable = shown.some(({ day }) => day === chosen) ? chosen : shown.at(-1)?.day;
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (event.target as Element)[step as "nextElementSibling"];
    if (next instanceof HTMLElement) next.focus();
  };
  const [first, last] = [shown[0], shown.at(-1)];
  return (
    <figure class="days-figure">
      <div class="days" role="group" aria-label="Runs by day" onKeyDown={onKeyDown}>
        {shown.map((day) => (
          <button
            type="button"
            class="day"
            key={day.day}
            tabIndex={day.day === focusable ? 0 : -1}
            aria-pressed={day.day === chosen}
            aria-label={saying(day)}
            title={saying(day)}
            onClick={() => choose(day.day === chosen ? "" : day.day)}
          >
            <span class="bar" style={{ height: `${(day.total / most) * 100}%` }}>
              {statusesOf(day).map(([status, count]) => (
                <span
                  class={`part column is-${runStatus(status).state}`}
                  key={status}
                  style={{ flexGrow: String(count) }}
                />
              ))}
            </span>
          </button>
        ))}
      </div>
      {first && last && (
        <figcaption class="days-ends small soft" aria-hidden="true">
          <span>{nameOf(first.day)}</span>
          <span>up to {plural(most, "run")} a day</span>
          <span>{nameOf(last.day)}</span>
        </figcaption>
      )}
    </figure>
  );
}

const statusesOf = ({ counts }: DayJson): readonly (readonly [string, number])[] =>
  ORDER.flatMap((status) => (counts[status] ? [[status, counts[status]]] : []));

function saying(day: DayJson): string {
  const parts = statusesOf(day).map(([status, count]) => `${count} ${runStatus(status).word.toLowerCase()}`);
  return `${nameOf(day.day)}: ${plural(day.total, "run")}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`;
}

/** A day without runs is a gap in the bars, not a day that is not there. */
function withoutGaps(days: readonly DayJson[]): readonly DayJson[] {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return days;
  const known = new Map(days.map((day) => [day.day, day]));
  const all: DayJson[] = [];
  const end = new Date(`${last.day}T12:00:00`);
  for (const at = new Date(end.getTime() - (SHOWN - 1) * 24 * 3600 * 1000); at <= end; at.setDate(at.getDate() + 1)) {
    const day = `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}-${String(at.getDate()).padStart(2, "0")}`;
    all.push(known.get(day) ?? { day, counts: {}, total: 0 });
  }
  return all;
}

// The days as stacked bars by status. A click shows that day alone; a second click all of them.
import type { DayJson } from "../../../server/contract/runs.ts";
import { runStatus, type State } from "../../parts/status.tsx";
import { plural } from "../../parts/text.ts";

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

const stateOf = (status: string): State => runStatus(status).state;
const nameOf = (day: string): string => NAME.format(new Date(`${day}T12:00:00`));

interface DaysProps {
  readonly days: readonly DayJson[];
  readonly chosen: string;
  readonly choose: (day: string) => void;
}

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
              {ORDER.filter((status) => day.counts[status]).map((status) => (
                <span
                  class={`part is-${stateOf(status)}`}
                  key={status}
                  style={{ flexGrow: String(day.counts[status]) }}
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

function saying({ day, counts, total }: DayJson): string {
  const parts = ORDER.filter((status) => counts[status]).map(
    (status) => `${counts[status]} ${runStatus(status).word.toLowerCase()}`,
  );
  return `${nameOf(day)}: ${plural(total, "run")}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`;
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

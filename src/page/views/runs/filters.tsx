// Filters as chips: what is on is seen, one click takes it away.
import { useSignal } from "@preact/signals";
import { Icon } from "../../parts/icon.tsx";
import { RUN_STATUSES, runStatus } from "../../parts/status.tsx";
import { change, path } from "../../state/address.ts";
import { type Filters, isFiltered, type RunList } from "../../state/runs.ts";

const SINCE: readonly (readonly [string, string])[] = [
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
    <div class="filters">
      <SearchField value={filters.text} />
      {RUN_STATUSES.filter((status) => counts.has(status) || filters.status.includes(status)).map((status) => (
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
      <Choice
        name="workflow"
        label="any workflow"
        value={filters.workflow}
        options={list.workflows.value.map((one) => [one, one])}
      />
      <Choice name="kind" label="any kind" value={filters.kind} options={list.kinds.value.map((one) => [one, one])} />
      <Choice name="since" label="any time" value={filters.since} options={SINCE} />
      {filters.day && (
        <button type="button" class="chip" aria-pressed="true" onClick={() => change({ day: null })}>
          {filters.day} <Icon name="close" />
        </button>
      )}
      {isFiltered(filters) && (
        <button
          type="button"
          class="button plain low"
          onClick={() => change({ status: null, workflow: null, kind: null, text: null, since: null, day: null })}
        >
          Clear
        </button>
      )}
    </div>
  );
}

function SearchField({ value }: { readonly value: string }) {
  const timer = useSignal<ReturnType<typeof setTimeout> | undefined>(undefined);
  return (
    <input
      class="field search"
      type="search"
      data-filter
      aria-label="Filter runs by text"
      placeholder="Filter  /"
      value={value}
      onInput={(event) => {
        const { value: typed } = event.currentTarget;
        clearTimeout(timer.peek());
        const typedOn = path.peek();
        // The address of another page is not for what was typed on this one.
        timer.value = setTimeout(() => path.peek() === typedOn && change({ text: typed }), TYPING_MS);
      }}
    />
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
}

function Choice({ name, label, value, options }: ChoiceProps) {
  if (options.length === 0 && value === "") return null;
  const known =
    options.some(([one]) => one === value) || value === "" ? options : [[value, value] as const, ...options];
  return (
    <select
      class={`chip choice${value ? " on" : ""}`}
      aria-label={name}
      value={value}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    >
      <option value="">{label}</option>
      {known.map(([one, shown]) => (
        <option value={one} key={one}>
          {shown}
        </option>
      ))}
    </select>
  );
}

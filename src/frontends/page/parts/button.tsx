// Icons, drawn as lines, and what is shown with one: buttons, and statuses, which are said three ways at once: by colour, by
// icon, by word.
import type { ComponentChildren, ComponentProps } from "preact";
import type { LightState } from "../../../graph/lights.ts";
import { ICON_SIZE, ICONS } from "../../../graph/look/text.ts";

export interface ButtonProps extends Omit<ComponentProps<"button">, "label" | "icon" | "is"> {
  /** Its look: `main`, `low`, `plain icon-only`. */
  readonly is?: string;
  readonly icon?: IconName;
  readonly label?: string;
}

export const Button = ({ is, icon, label, ...rest }: ButtonProps) => (
  <button type="button" class={is ? `button ${is}` : "button"} {...rest}>
    {icon && <Icon name={icon} />}
    {icon && label ? ` ${label}` : label}
  </button>
);

interface IconButtonProps extends ButtonProps {
  readonly icon: IconName;
  readonly label: string;
}

/** Its label is heard, and not seen. */
export const IconButton = ({ is = "plain", label, ...rest }: IconButtonProps) => (
  <Button is={`${is} icon-only`} aria-label={label} {...rest} />
);

/** A button within a sentence, that leads to another part of the view. */
export const TextLink = ({ go, children }: { readonly go: () => void; readonly children: ComponentChildren }) => (
  <button type="button" class="link" onClick={go}>
    {children}
  </button>
);

/** A text that is cut where there is no room for it: all of it is its title. */
export const Cut = ({ text, is = "" }: { readonly text: string; readonly is?: string }) => (
  <span class={`${is} cut`} title={text}>
    {text}
  </span>
);

/** On a grid of 16. */
const PATHS = {
  endedWell: "M5.7 2.5h4.6l3.2 3.2v4.6l-3.2 3.2H5.7l-3.2-3.2V5.7zM5.5 8.2l1.8 1.8 3.2-3.8",
  endedBadly: "M5.7 2.5h4.6l3.2 3.2v4.6l-3.2 3.2H5.7l-3.2-3.2V5.7zM6.1 6.1l3.8 3.8M9.9 6.1l-3.8 3.8",
  paused: "M5.5 3.5v9M10.5 3.5v9",
  degraded: "M8 2.5l6 10.5H2zM8 6.5v3M8 11.4v.1",
  play: "M5 3.2l8 4.8-8 4.8z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  stop: "M4 4h8v8H4z",
  back: "M10 3.5L5.5 8l4.5 4.5",
  forward: "M6 3.5l4.5 4.5L6 12.5",
  down: "M3.5 6L8 10.5 12.5 6",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3l3.2 3.2",
  close: "M4 4l8 8M12 4l-8 8",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z",
  copy: "M5.5 5.5h7v7h-7zM3.5 10.5v-7h7",
  fit: "M2.5 6v-3.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  again: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v2.7h2.7",
  person: "M8 2.5a2.6 2.6 0 1 0 0 5.2a2.6 2.6 0 1 0 0-5.2M3 13.5c.4-2.6 2.4-4 5-4s4.6 1.4 5 4",
  key: "M2.5 4.5h11v7h-11zM5 7h.1M8 7h.1M11 7h.1M5.5 9.5h5",
  letter: "M2.5 4h11v8h-11zM2.5 4.5L8 8.8l5.5-4.3",
  file: "M4 1.5h5l3 3v10H4zM9 1.5v3h3",
} as const;

type IconName = keyof typeof PATHS | LightState;

const isState = (name: string): name is LightState => Object.hasOwn(ICONS, name);

/** A little air around those of states: they fill their grid. */
const STATE_BOX = `-1 -1 ${ICON_SIZE + 2} ${ICON_SIZE + 2}`;

export function Icon({ name }: { readonly name: IconName }) {
  return isState(name) ? (
    <svg class="icon" viewBox={STATE_BOX} aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  ) : (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export type State = LightState;

interface Said {
  readonly state: State;
  readonly icon: IconName;
  readonly word: string;
}

/** The statuses of runs, as the store and the results name them. */
const RUNS: Readonly<Record<string, Said>> = {
  queued: { state: "pending", icon: "pending", word: "Queued" },
  running: { state: "running", icon: "running", word: "Running" },
  completed: { state: "completed", icon: "completed", word: "Completed" },
  degraded: { state: "recovered", icon: "degraded", word: "Degraded" },
  "terminated:success": { state: "completed", icon: "endedWell", word: "Terminated: success" },
  "terminated:failed": { state: "failed", icon: "endedBadly", word: "Terminated: failed" },
  failed: { state: "failed", icon: "failed", word: "Failed" },
  paused: { state: "waiting", icon: "paused", word: "Paused" },
  cancelled: { state: "cancelled", icon: "cancelled", word: "Cancelled" },
  crashed: { state: "failed", icon: "stop", word: "Crashed" },
};

export const runStatus = (status: string): Said =>
  RUNS[status] ?? { state: "pending", icon: "pending", word: status.charAt(0).toUpperCase() + status.slice(1) };

export const FILTERED_STATUSES = [
  "queued",
  "running",
  "paused",
  "failed",
  "crashed",
  "degraded",
  "completed",
  "terminated:success",
  "terminated:failed",
  "cancelled",
];

export const canBeCancelled = (status: string | undefined): boolean =>
  status === "running" || status === "queued" || status === "paused";

/** A test is made of a run that has ended, or that waits for a person. */
export const canBeTested = (status: string | undefined): boolean =>
  status !== undefined && status !== "running" && status !== "queued" && status !== "crashed";

/** A workflow that ended itself did so well or badly: two ends, not one. */
export const shownStatus = ({ status, termination }: { status: string; termination: string | null }): string =>
  status === "terminated" ? `terminated:${termination ?? "success"}` : status;

interface MarkProps {
  readonly state: State;
  /** That of the state when left out. */
  readonly icon?: IconName;
  readonly word: ComponentChildren;
  readonly pill?: boolean;
}

const Mark = ({ state, icon = state, word, pill }: MarkProps) => (
  <span class={`status is-${state}${pill ? " pill" : ""}`}>
    <Icon name={icon} />
    {word}
  </span>
);

export const RunStatusMark = ({ status, pill }: { readonly status: string; readonly pill?: boolean }) => (
  <Mark {...runStatus(status)} pill={pill} />
);

export const StepState = ({ word, ...rest }: Omit<MarkProps, "word"> & { readonly word?: ComponentChildren }) => (
  <Mark word={word ?? (rest.state === "pending" ? "not reached" : rest.state)} {...rest} />
);

/** How a step is shown that stands so. */
export function stepState(status: string): State {
  if (status === "cut_off") return "failed";
  if (status === "paused") return "waiting";
  return isState(status) ? status : "pending";
}

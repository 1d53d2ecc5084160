// What is chosen in a run: one step, visit, attempt and item for all views, the view itself, and the moment of a replay.
// All of it is the address.
import { computed } from "@preact/signals";
import { change, query } from "./address.ts";
import { type StepAddress, stepAddressOf, stepText } from "./step-address.ts";

export const VIEWS = ["graph", "time", "log", "story", "output"] as const;
export type ViewName = (typeof VIEWS)[number];

/** Attempts are counted anew with every drive: `attempt=2` is the second of the last, `attempt=1.2` that of the first. */
export interface ChosenAttempt {
  readonly drive: number | null;
  readonly attempt: number;
}

export interface Selection {
  readonly view: ViewName;
  readonly step: StepAddress | null;
  readonly visit: number | null;
  readonly attempt: ChosenAttempt | null;
  readonly item: string | null;
  /** The event of a replay; null: live. */
  readonly at: number | null;
}

const whole = (text: string | undefined): number | null => (text && /^\d+$/.test(text) ? Number(text) : null);

function attemptIn(text: string | undefined): ChosenAttempt | null {
  const [, drive, attempt] = /^(?:(\d+)\.)?(\d+)$/.exec(text ?? "") ?? [];
  return attempt === undefined ? null : { drive: whole(drive), attempt: Number(attempt) };
}

const attemptText = (chosen: ChosenAttempt | null | undefined): string | null =>
  chosen ? [chosen.drive, chosen.attempt].filter((part) => part !== null).join(".") : null;

export const selection = computed((): Selection => {
  const { view, step, visit, attempt, item, at } = query.value;
  return {
    view: VIEWS.find((name) => name === view) ?? "graph",
    step: step ? stepAddressOf(step) : null,
    visit: whole(visit),
    attempt: attemptIn(attempt),
    item: item ?? null,
    at: whole(at),
  };
});

interface Choice {
  readonly visit?: number | null;
  readonly attempt?: ChosenAttempt | null;
  readonly item?: string | null;
}

/** Chooses a step, or none. What was chosen inside the one before is forgotten. */
export function chooseStep(step: StepAddress | string | null, { visit, attempt, item }: Choice = {}): void {
  const text = step === null || typeof step === "string" ? step : stepText(step);
  change({ step: text, visit, attempt: attemptText(attempt), item });
}

export const chooseVisit = (visit: number | null): void => change({ visit, attempt: null });
export const chooseAttempt = (attempt: ChosenAttempt | null): void => change({ attempt: attemptText(attempt) });
export const chooseView = (view: ViewName): void =>
  change({ view: view === "graph" ? null : view }, { replace: false });
export const chooseMoment = (at: number | null): void => change({ at });

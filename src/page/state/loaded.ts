// Something that is asked of the server once, and again on demand.
import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { followList } from "../api/stream.ts";

export interface Loaded<Value> {
  readonly value: ReadonlySignal<Value | undefined>;
  readonly problem: ReadonlySignal<string | null>;
  readonly reload: () => void;
}

export interface Loading<Value> extends Loaded<Value> {
  readonly stop: () => void;
}

/** Asks at once. A later answer wins over an earlier question's. */
export function load<Value>(ask: (signal: AbortSignal) => Promise<Value>): Loading<Value> {
  const value = signal<Value | undefined>(undefined);
  const problem = signal<string | null>(null);
  let current = new AbortController();
  const reload = (): void => {
    current.abort();
    const asked = new AbortController();
    current = asked;
    ask(asked.signal).then(
      (answer) => {
        if (asked.signal.aborted) return;
        value.value = answer;
        problem.value = null;
      },
      (error: unknown) => {
        if (!asked.signal.aborted) problem.value = error instanceof Error ? error.message : String(error);
      },
    );
  };
  reload();
  return { value, problem, reload, stop: () => current.abort() };
}

/** The same for a component, asked again when one of `given` changes. */
export function useLoaded<Value>(
  ask: (signal: AbortSignal) => Promise<Value>,
  given: readonly unknown[],
): Loaded<Value> {
  const loaded = useMemo(() => load(ask), given);
  useEffect(() => loaded.stop, [loaded]);
  return loaded;
}

// Asked again when something may have changed, while the page is looked at.

export function useRepeated(run: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && run(), everyMs);
    return () => clearInterval(timer);
  }, [run, everyMs]);
}

const TOGETHER_MS = 300;

/** Asks again as soon as a run has changed, as one does that a retry has driven to its end. */
export function useRepeatedWithRuns(run: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = followList(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        run();
      }, TOGETHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [run]);
}

// What is asked of the server once, and again on demand; and what is sent to it, one at a time.
import { type ReadonlySignal, type Signal, signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { get, type QueryValues } from "../api/client.ts";
import { followList } from "../api/stream.ts";
import { messageOf } from "../text.ts";

/** Asks until it is stopped, and keeps why the last question failed. */
export class ServerAsking {
  readonly problem = signal<string | null>(null);
  readonly #leaving = new AbortController();

  stop(): void {
    this.#leaving.abort();
  }

  protected get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  protected async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.problem.value = null;
    } catch (error) {
      if (!this.signal.aborted) this.problem.value = messageOf(error);
    }
  }
}

export interface Loaded<Value> {
  readonly value: ReadonlySignal<Value | undefined>;
  readonly problem: ReadonlySignal<string | null>;
  readonly reload: () => void;
}

/** A later answer wins over an earlier question's. */
class Loading<Value> implements Loaded<Value> {
  readonly value = signal<Value | undefined>(undefined);
  readonly problem = signal<string | null>(null);
  #current = new AbortController();

  constructor(private readonly ask: (signal: AbortSignal) => Promise<Value>) {
    this.reload();
  }

  readonly stop = (): void => this.#current.abort();

  readonly reload = (): void => {
    this.stop();
    this.#current = new AbortController();
    const { signal: asked } = this.#current;
    this.ask(asked).then(
      (answer) => {
        if (asked.aborted) return;
        this.value.value = answer;
        this.problem.value = null;
      },
      (error: unknown) => {
        if (!asked.aborted) this.problem.value = messageOf(error);
      },
    );
  };
}

/** For a component: asked at once, and again when one of `given` changes. */
export function useLoaded<Value>(
  ask: (signal: AbortSignal) => Promise<Value>,
  given: readonly unknown[],
): Loaded<Value> {
  const loaded = useMemo(() => new Loading(ask), given);
  useEffect(() => loaded.stop, [loaded]);
  return loaded;
}

/** What an address answers, asked again every `everyMs` while the page is looked at. */
export function useAnswer<Answer>(path: string, query: QueryValues = {}, everyMs?: number): Loaded<Answer> {
  const loaded = useLoaded((signal) => get<Answer>(path, query, signal), [path, ...Object.values(query)]);
  useRepeated(loaded.reload, everyMs);
  return loaded;
}

export function useRepeated(run: () => void, everyMs: number | undefined): void {
  useEffect(() => {
    if (everyMs === undefined) return undefined;
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

export interface Sending {
  readonly isSending: ReadonlySignal<boolean>;
  /** Why the last one was refused. */
  readonly problem: Signal<string | null>;
  /** One at a time: what is asked meanwhile is left. */
  readonly send: (act: () => Promise<void>) => Promise<void>;
}

export function useSending(): Sending {
  const isSending = useSignal(false);
  const problem = useSignal<string | null>(null);
  const send = async (act: () => Promise<void>): Promise<void> => {
    if (isSending.value) return;
    isSending.value = true;
    problem.value = null;
    try {
      await act();
    } catch (error) {
      problem.value = messageOf(error);
    }
    isSending.value = false;
  };
  return { isSending, problem, send };
}

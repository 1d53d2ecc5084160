// Asked again when something may have changed, while the page is looked at.
import { useEffect } from "preact/hooks";
import { followList } from "../api/stream.ts";

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

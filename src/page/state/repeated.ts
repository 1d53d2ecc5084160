// Asked again now and then, while the page is looked at.
import { useEffect } from "preact/hooks";

export function useRepeated(run: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && run(), everyMs);
    return () => clearInterval(timer);
  }, [run, everyMs]);
}

// Two panes and the line between them, which can be moved with the mouse and with arrows. Its place is remembered.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface SplitProps {
  readonly name: string;
  readonly main: ComponentChildren;
  /** Nothing: the main pane has all the room. */
  readonly side: ComponentChildren;
}

const NARROWEST = 300;
const WIDEST = 1100;

export function Split({ name, main, side }: SplitProps) {
  const kept = `segno.width.${name}`;
  const width = useSignal(Number(localStorage.getItem(kept)) || 460);
  const set = (next: number): void => {
    width.value = Math.max(NARROWEST, Math.min(WIDEST, next, innerWidth - 320));
    localStorage.setItem(kept, String(Math.round(width.value)));
  };
  const onPointerDown = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement;
    handle.setPointerCapture(event.pointerId);
    const [from, before] = [event.clientX, width.value];
    handle.onpointermove = (moved) => set(before + from - moved.clientX);
    handle.onpointerup = () => {
      handle.onpointermove = null;
    };
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(width.value + step);
  };
  return (
    <div class="split">
      <section class="split-main column">{main}</section>
      {side && (
        <>
          <div
            class="split-handle"
            role="separator"
            tabIndex={0}
            aria-orientation="vertical"
            aria-label="Width of the step"
            aria-valuenow={Math.round(width.value)}
            aria-valuemin={NARROWEST}
            aria-valuemax={WIDEST}
            onPointerDown={onPointerDown}
            onKeyDown={onKeyDown}
          />
          <aside class="split-side" style={{ "--side": `${width.value}px` }}>
            {side}
          </aside>
        </>
      )}
    </div>
  );
}

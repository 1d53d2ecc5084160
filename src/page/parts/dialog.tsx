// A dialog: the rest of the page is out of reach while it is open, Escape closes it, focus returns to where it was.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isDialogOpen } from "../state/keys.ts";
import { Button } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly more?: string;
}

export function Dialog({ title, close, children, footer, more }: DialogProps) {
  return (
    <Veil label={title} close={close} {...(more === undefined ? {} : { more })}>
      <div class="dialog-head">
        <h2>{title}</h2>
        <Button is="plain icon-only" icon="close" aria-label="Close" onClick={close} />
      </div>
      <div class="body">{children}</div>
      {footer && <div class="dialog-foot">{footer}</div>}
    </Veil>
  );
}

interface VeilProps {
  readonly label: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
  readonly more?: string;
}

export function Veil({ label, close, children, more = "" }: VeilProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    isDialogOpen.value = true;
    const find = (selector: string) => box.current?.querySelector<HTMLElement>(selector);
    (find("[data-first]") ?? find("input, textarea, select, button") ?? box.current)?.focus();
    return () => {
      isDialogOpen.value = false;
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Tab") keepInside(event, box.current);
  };
  return (
    <div
      class="veil"
      role="presentation"
      onMouseDown={(event) => event.target === event.currentTarget && close()}
      onKeyDown={onKeyDown}
    >
      <div class={`dialog ${more}`} role="dialog" aria-modal="true" aria-label={label} tabIndex={-1} ref={box}>
        {children}
      </div>
    </div>
  );
}

function keepInside(event: KeyboardEvent, box: HTMLElement | null): void {
  const all = [
    ...(box?.querySelectorAll<HTMLElement>("a[href], button:not(:disabled), input, textarea, select, summary") ?? []),
  ];
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last) return;
  const leaves = event.shiftKey ? document.activeElement === first : document.activeElement === last;
  if (!leaves) return;
  event.preventDefault();
  (event.shiftKey ? last : first).focus();
}

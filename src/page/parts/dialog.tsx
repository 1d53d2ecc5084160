// A dialog: the rest of the page is out of reach while it is open, Escape closes it, focus returns to where it was. And the
// one that asks before a run is cancelled.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { cancel, newestOf } from "../state/actions.ts";
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

interface CancelDialogProps {
  readonly run: string;
  readonly workflow: string;
  readonly seq?: number | undefined;
  readonly close: () => void;
}

function seenNow(run: string, seq: number | undefined): Promise<number> {
  if (seq !== undefined) return Promise.resolve(seq);
  const newest = newestOf(run);
  // The error is shown on confirming; without that it does not matter.
  newest.catch(() => undefined);
  return newest;
}

export function CancelDialog({ run, workflow, seq, close }: CancelDialogProps) {
  // As it was when the dialog opened: while it is open, another user may cancel the run and resume it.
  const seen = useMemo(() => seenNow(run, seq), [run]);
  const confirm = (): void => {
    close();
    void cancel(run, seen);
  };
  return (
    <Dialog
      title={`Cancel ${workflow}?`}
      close={close}
      footer={
        <>
          <Button label="Leave it as it is" onClick={close} />
          <Button is="danger" icon="stop" label="Cancel the run" onClick={confirm} />
        </>
      }
    >
      <p>
        What runs now is stopped, and what is asked is not waited for. What is done is kept, and the run can be resumed.
      </p>
    </Dialog>
  );
}

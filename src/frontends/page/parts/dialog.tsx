// A dialog: the rest of the page is out of reach while it is open, Escape closes it, focus returns to where it was. And the
// one that asks before a run is cancelled.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { cancel, newestOf } from "../state/actions.ts";
import { isDialogOpen } from "../state/keys.ts";
import { Button, type ButtonProps, IconButton } from "./button.tsx";

interface DialogProps extends Omit<VeilProps, "label"> {
  readonly title: string;
  /** What the button says that closes it, or that button. */
  readonly no?: string | ButtonProps;
  /** The button that does it; `isFirst`: it has the focus, so that Enter does it. */
  readonly yes?: ButtonProps & { readonly isFirst?: boolean };
}

export function Dialog({ title, close, children, no, yes, more }: DialogProps) {
  const { isFirst, ...act } = yes ?? {};
  return (
    <Veil label={title} close={close} more={more}>
      <div class="dialog-head">
        <h2>{title}</h2>
        <IconButton icon="close" label="Close" onClick={close} />
      </div>
      <div class="body">{children}</div>
      {yes && (
        <div class="dialog-foot">
          <Button {...(typeof no === "string" ? { label: no, onClick: close } : no)} />
          <Button is="main" data-first={isFirst} {...act} />
        </div>
      )}
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
      <div class={`dialog column ${more}`} role="dialog" aria-modal="true" aria-label={label} tabIndex={-1} ref={box}>
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

/** Since one key asks for it, nothing that Enter alone does confirms it: the focus is on closing. */
export function CancelDialog({ run, workflow, seq, close }: CancelDialogProps) {
  // As it was when the dialog opened: while it is open, another user may cancel the run and resume it.
  const seen = useMemo(() => (seq === undefined ? newestOf(run) : Promise.resolve(seq)), [run]);
  // The error is shown on confirming; without that it does not matter.
  seen.catch(() => undefined);
  const confirm = (): void => {
    close();
    void cancel(run, seen);
  };
  return (
    <Dialog
      title={`Cancel ${workflow}?`}
      close={close}
      no="Leave it as it is"
      yes={{ is: "danger", icon: "stop", label: "Cancel the run", onClick: confirm }}
    >
      <p>
        What runs now is stopped, and what is asked is not waited for. What is done is kept, and the run can be resumed.
      </p>
    </Dialog>
  );
}

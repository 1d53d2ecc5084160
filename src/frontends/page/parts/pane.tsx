// A view, and parts of it that are loaded, or failed to: then they alone say so, with a way to try again.

import { signal } from "@preact/signals";
import type { ComponentChildren, ComponentType, JSX } from "preact";
import { typed } from "../api/client.ts";
import type { Loaded } from "../state/loaded.ts";
import { Button } from "./button.tsx";

interface ViewProps {
  readonly title?: string;
  /** What stands in a row with the title. */
  readonly tools?: ComponentChildren;
  readonly isNarrow?: boolean;
  readonly children: ComponentChildren;
}

export const View = ({ title, tools, isNarrow, children }: ViewProps) => (
  <main class="view">
    <div class={isNarrow ? "padded stack narrow" : "padded stack"}>
      {tools ? (
        <div class="row wrap">
          <h1>{title}</h1>
          {tools}
        </div>
      ) : (
        title && <h1>{title}</h1>
      )}
      {children}
    </div>
  </main>
);

export function PaneTrouble({ message, retry }: { readonly message: string; readonly retry?: () => void }) {
  return (
    <div class="trouble column" role="alert">
      <div>{message}</div>
      {retry && <Button is="low" label="Try again" onClick={retry} />}
    </div>
  );
}

interface PartProps {
  readonly title: ComponentChildren;
  readonly head?: "h2" | "h3";
  readonly label?: string;
  readonly children: ComponentChildren;
}

export const Part = ({ title, head: Head = "h2", label, children }: PartProps) => (
  <section class="part column" aria-label={label}>
    <Head>{title}</Head>
    {children}
  </section>
);

interface FoldProps {
  readonly title: ComponentChildren;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

/** What is shown on demand. */
export const Fold = ({ title, isOpen = false, children }: FoldProps) => (
  <details class="fold" open={isOpen}>
    <summary>{title}</summary>
    {children}
  </details>
);

/** Why what was sent is refused, where it was written. */
export const RefusalNote = ({ text }: { readonly text: string | null }) =>
  text ? (
    <p class="note" role="alert">
      {text}
    </p>
  ) : null;

interface PaneProps<Value> {
  readonly loaded: Loaded<Value>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows the value when it is there. What was there before stays while it is asked for again. */
export function Pane<Value>({ loaded, what, children }: PaneProps<Value>) {
  const value = loaded.value.value;
  const problem = loaded.problem.value;
  if (problem === null && value === undefined) return <p class="quiet">Loading {what.toLowerCase()} …</p>;
  return (
    <>
      {problem !== null && <PaneTrouble message={`${what}: ${problem}`} retry={loaded.reload} />}
      {value !== undefined && children(value)}
    </>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly command: string;
  readonly children: ComponentChildren;
}

/** What a view says while it has nothing to show: why, and the command that fills it. */
export const Empty = ({ title, command, children }: EmptyProps) => (
  <div class="empty column">
    <h2>{title}</h2>
    <p>{children}</p>
    <CommandText>{command}</CommandText>
  </div>
);

/** Commands for a terminal, a line each. */
export const CommandText = ({ children }: { readonly children: string }) => <pre class="code">{typed(children)}</pre>;

/** A view that is loaded when it is first shown, so that a first visit is small. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const view = signal<ComponentType<Props> | null>(null);
  const problem = signal<string | null>(null);
  let isAsked = false;
  const ask = (): void => {
    isAsked = true;
    problem.value = null;
    load().then(
      (loaded) => {
        view.value = loaded;
      },
      () => {
        problem.value = "This part of the page could not be loaded. The server may be away, or newer than this page.";
      },
    );
  };
  return function Lazy(props: Props): JSX.Element {
    if (!isAsked) ask();
    const Shown = view.value;
    if (Shown) return <Shown {...props} />;
    return problem.value ? <PaneTrouble message={problem.value} retry={ask} /> : <p class="quiet">Loading …</p>;
  };
}

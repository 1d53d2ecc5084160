// A part of a view that is loaded, or failed to: then it alone says so, with a way to try again.

import { signal } from "@preact/signals";
import type { ComponentChildren, ComponentType, JSX } from "preact";
import type { Loaded } from "../state/loaded.ts";
import { Button } from "./button.tsx";

export function PaneTrouble({ message, retry }: { readonly message: string; readonly retry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <div>{message}</div>
      {retry && <Button is="low" label="Try again" onClick={retry} />}
    </div>
  );
}

interface PaneProps<Value> {
  readonly loaded: Loaded<Value>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows the value when it is there. What was there before stays while it is asked for again. */
export function Pane<Value>({ loaded, what, children }: PaneProps<Value>) {
  const value = loaded.value.value;
  const problem = loaded.problem.value;
  if (problem !== null && value === undefined)
    return <PaneTrouble message={`${what}: ${problem}`} retry={loaded.reload} />;
  if (value === undefined) return <p class="quiet">Loading {what.toLowerCase()} …</p>;
  return (
    <>
      {problem !== null && <PaneTrouble message={`${what}: ${problem}`} retry={loaded.reload} />}
      {children(value)}
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
  <div class="empty">
    <h2>{title}</h2>
    <p>{children}</p>
    <pre class="code">{command}</pre>
  </div>
);

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
    const View = view.value;
    if (View) return <View {...props} />;
    return problem.value ? <PaneTrouble message={problem.value} retry={ask} /> : <p class="quiet">Loading …</p>;
  };
}

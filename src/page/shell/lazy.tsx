// A view that is loaded when it is first shown, so that a first visit is small.
import { signal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { PaneTrouble } from "../parts/pane.tsx";

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

// Find anything by typing a part of it: steps and kinds of the run, runs, workflows, actions, pages.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Veil } from "../parts/dialog.tsx";
import { go } from "../state/address.ts";
import { switchTheme } from "../state/theme.ts";
import { findEverywhere } from "./everywhere.ts";
import { allFindable, type Findable, matching, withoutTwins } from "./found.ts";
import { PAGES } from "./pages.ts";

interface PaletteProps {
  readonly close: () => void;
  readonly showKeys: () => void;
}

export function Palette({ close, showKeys }: PaletteProps) {
  const typed = useSignal("");
  const chosen = useSignal(0);
  const elsewhere = useSignal<readonly Findable[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    findEverywhere((found) => (elsewhere.value = [...elsewhere.peek(), ...found]), leaving.signal);
    return () => leaving.abort();
  }, []);
  const here = useMemo(
    (): readonly Findable[] => [
      ...allFindable(),
      ...PAGES.map(({ name, path, letter }) => ({ text: name, what: `page · g ${letter}`, run: () => go(path) })),
      { text: "Dark or light", what: "action · t", run: switchTheme },
      { text: "Keys", what: "action · ?", run: showKeys },
    ],
    [],
  );
  const all = useMemo(() => withoutTwins([...here, ...elsewhere.value]), [here, elsewhere.value]);
  const found = matching(all, typed.value);
  const take = (one: Findable | undefined): void => {
    if (!one) return;
    close();
    one.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) chosen.value = Math.max(0, Math.min(found.length - 1, chosen.value + step));
    else if (event.key === "Enter") take(found[chosen.value]);
    else return;
    event.preventDefault();
  };
  return (
    <Veil label="Find" close={close} more="palette">
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${chosen.value}` : undefined}
        aria-label="Find a step, a kind, a run, an action"
        placeholder="Find a step, a kind, a run, an action"
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div class="list" role="listbox" id="found" aria-label="Found">
        {found.map((one, index) => (
          <div
            role="option"
            tabIndex={-1}
            id={`found-${index}`}
            key={`${one.what} ${one.text} ${index}`}
            aria-selected={index === chosen.value}
            onMouseMove={() => (chosen.value = index)}
            onClick={() => take(one)}
            onKeyDown={onKeyDown}
            ref={index === chosen.value ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
          >
            <span class="cut" title={one.text}>
              {one.text}
            </span>
            <span class="what">{one.what}</span>
          </div>
        ))}
        {found.length === 0 && <p class="soft">Nothing is called that.</p>}
      </div>
    </Veil>
  );
}

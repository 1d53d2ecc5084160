// Fields and choices that views are filtered with.
import type { ComponentChildren } from "preact";
import { change } from "../state/address.ts";

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  /** Called with every letter, or once the field is left. */
  readonly typed?: (text: string) => void;
  readonly changed?: (text: string) => void;
  readonly isLow?: boolean;
}

/** `/` leads to it. */
export const Search = ({ label, placeholder, value, typed, changed, isLow }: SearchProps) => (
  <input
    class={isLow ? "field low" : "field search"}
    type="search"
    data-filter
    aria-label={label}
    placeholder={placeholder}
    value={value}
    onInput={(event) => typed?.(event.currentTarget.value)}
    onChange={(event) => changed?.(event.currentTarget.value)}
  />
);

/** A kind of error to look for, kept in the address. */
export const KindField = ({ kind }: { readonly kind: string }) => (
  <Search label="Kind" placeholder="Kind, such as http.*  /" value={kind} changed={(text) => change({ kind: text })} />
);

interface AskedTextProps {
  readonly label: ComponentChildren;
  readonly rows: number;
  readonly value: string;
  /** Left out: it can only be read. */
  readonly set?: (text: string) => void;
}

export const AskedText = ({ label, rows, value, set }: AskedTextProps) => (
  <label class="asked column">
    <span class="soft">{label}</span>
    <textarea
      class="field"
      rows={rows}
      readOnly={!set}
      value={value}
      onInput={set && ((event) => set(event.currentTarget.value))}
    />
  </label>
);

interface ChoiceProps {
  readonly label?: string;
  readonly value: string | number | undefined;
  /** Each with its words. */
  readonly options: readonly (readonly [value: string | number, words: string])[];
  readonly choose: (value: string) => void;
  readonly isOn?: boolean;
}

export const ChoiceField = ({ label, value, options, choose, isOn }: ChoiceProps) => (
  <select
    class={isOn ? "chip choice on" : "chip choice"}
    aria-label={label}
    value={value}
    onChange={(event) => choose(event.currentTarget.value)}
  >
    {options.map(([one, words]) => (
      <option value={one} key={one}>
        {words}
      </option>
    ))}
  </select>
);

interface TabsProps<Name> {
  readonly label: string;
  readonly class?: string;
  readonly tabs: readonly {
    readonly name: Name;
    readonly words: ComponentChildren;
    readonly look?: string;
    readonly title?: string;
  }[];
  readonly chosen: Name;
  readonly choose: (name: Name) => void;
}

export const Tabs = <Name,>({ label, class: look = "row", tabs, chosen, choose }: TabsProps<Name>) => (
  <div role="tablist" aria-label={label} class={look}>
    {tabs.map((tab, index) => (
      <button
        type="button"
        role="tab"
        class={tab.look ? `tab ${tab.look}` : "tab"}
        aria-selected={tab.name === chosen}
        title={tab.title}
        onClick={() => choose(tab.name)}
        key={index}
      >
        {tab.words}
      </button>
    ))}
  </div>
);

// The items of a for_each, failed ones first.
import type { StepJson } from "../../../../server/contract/step.ts";
import { type State, StepState } from "../../../parts/status.tsx";
import { chooseStep } from "../../../state/selection.ts";

const STATES: Readonly<Record<string, State>> = {
  completed: "completed",
  failed: "failed",
  recovered: "recovered",
  running: "running",
  cancelled: "cancelled",
  reused: "reused",
  paused: "waiting",
};

interface ItemListProps {
  readonly items: StepJson["items"];
  readonly choose: (item: string) => void;
}

export function ItemList({ items }: ItemListProps) {
  return (
    <section class="part">
      <h3>Items</h3>
      <ul class="items">
        {items.map(({ item_key, key, status, kind }) => (
          <li key={key}>
            <button type="button" class="item" onClick={() => chooseStep(inlineStep(key), { item: item_key })}>
              <StepState state={STATES[status] ?? "pending"} word="" />
              <span class="cut">{item_key}</span>
              {kind && <span class="kind cut">{kind}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `package#1/each#2[blue].call` is the step `package/call`. */
function inlineStep(key: string): string {
  const slots = key.split(/\/(?![^[]*\])/);
  const last = /\]\.([^.#]+)/.exec(slots.at(-1) ?? "")?.[1] ?? "";
  return [...slots.slice(0, -1).map((slot) => slot.replace(/#\d+(~\d+)?$/, "")), last].join("/");
}

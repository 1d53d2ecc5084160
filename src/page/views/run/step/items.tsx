// The items of a for_each: those that failed with what they met, then the others in their order.
import type { StepJson } from "../../../../server/contract/step.ts";
import { type State, StepState } from "../../../parts/status.tsx";
import { plural } from "../../../parts/text.ts";
import { chooseStep } from "../../../state/selection.ts";

const STATES: Readonly<Record<string, State>> = {
  completed: "completed",
  failed: "failed",
  recovered: "recovered",
  running: "running",
  cancelled: "cancelled",
  cut_off: "failed",
  reused: "reused",
  paused: "waiting",
};

type Item = StepJson["items"][number];

export function ItemList({ items, chosen }: { readonly items: StepJson["items"]; readonly chosen: string | null }) {
  const [failed, others] = [items.filter(isFailed), items.filter((item) => !isFailed(item))];
  return (
    <>
      {failed.length > 0 && (
        <section class="part">
          <h3>{plural(failed.length, "failed item")}</h3>
          <ul class="items failed-items">
            {failed.map((item) => (
              <OneItem item={item} isChosen={item.item_key === chosen} key={item.key} />
            ))}
          </ul>
        </section>
      )}
      {others.length > 0 && (
        <section class="part">
          <h3>{failed.length > 0 ? "The others" : "Items"}</h3>
          <ul class="items">
            {others.map((item) => (
              <OneItem item={item} isChosen={item.item_key === chosen} key={item.key} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const isFailed = ({ status }: Item): boolean => status === "failed";

function OneItem({
  item: { item_key, key, status, kind },
  isChosen,
}: {
  readonly item: Item;
  readonly isChosen: boolean;
}) {
  return (
    <li>
      <button
        type="button"
        class={isChosen ? "item chosen" : "item"}
        title={[item_key, status, kind].filter(Boolean).join(" · ")}
        onClick={() => chooseStep(inlineStep(key), { item: item_key })}
      >
        <StepState state={STATES[status] ?? "pending"} word="" />
        <span class="cut" title={item_key}>
          {item_key}
        </span>
        {status === "failed" && kind && (
          <span class="kind cut" title={kind}>
            {kind}
          </span>
        )}
      </button>
    </li>
  );
}

/** `package#1/each#2[blue].call` is the step `package/call`. */
function inlineStep(key: string): string {
  const slots = key.split(/\/(?![^[]*\])/);
  const last = /\]\.([^.#]+)/.exec(slots.at(-1) ?? "")?.[1] ?? "";
  return [...slots.slice(0, -1).map((slot) => slot.replace(/#\d+(~\d+)?$/, "")), last].join("/");
}

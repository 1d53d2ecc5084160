// All keys of the page, by where they work.
import { Dialog } from "../parts/dialog.tsx";
import { allKeys, keyNames, type ShownKey } from "../state/key-table.ts";

export function KeyList({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keys" close={close} more="wide">
      <div class="key-groups">
        {[...allKeys()].map(([where, keys]) => (
          <section key={where}>
            <h3>{where}</h3>
            <ul class="keys">
              {keys.map((key) => (
                <li key={key.combinations.join()}>
                  <span>{key.does}</span>
                  <Combinations combinations={key.combinations} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

const Combinations = ({ combinations }: Pick<ShownKey, "combinations">) => (
  <span class="row">
    {combinations.flatMap((combination) =>
      keyNames(combination).map((key) => <kbd key={`${combination} ${key}`}>{key}</kbd>),
    )}
  </span>
);

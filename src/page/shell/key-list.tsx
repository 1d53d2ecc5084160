// All keys that work where one is.
import { Dialog } from "../parts/dialog.tsx";
import { type Key, knownKeys } from "../state/keys.ts";

const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  " ": "space",
  Enter: "↵",
  Escape: "esc",
};

/** Taken once, when it opens: a dialog has no keys of its own. */
export function KeyList({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <ul class="keys">
        {knownKeys().map((key) => (
          <li key={key.keys.join()}>
            <span>{key.does}</span>
            <Shown keys={key.keys} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Shown({ keys }: Pick<Key, "keys">) {
  return (
    <span class="row">
      {keys.flatMap((combination) =>
        combination
          .replace("mod+", "Ctrl+")
          .split(/(?<=.)[+ ](?=.)/)
          .map((key) => <kbd key={`${combination} ${key}`}>{NAMES[key] ?? (key.length === 1 ? key : key)}</kbd>),
      )}
    </span>
  );
}

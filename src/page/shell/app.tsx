// The whole page: the header, and under it the view that the address names.
import { useSignal } from "@preact/signals";
import { access } from "../api/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Toasts } from "../parts/toast.tsx";
import { go } from "../state/address.ts";
import { allKeys, keyNames, type ShownKey } from "../state/key-table.ts";
import { useKeys } from "../state/keys.ts";
import { resuming } from "../state/resuming.ts";
import { switchTheme } from "../state/theme.ts";
import { Header } from "./header.tsx";
import { lazy } from "./lazy.tsx";
import { NoSession } from "./no-session.tsx";
import { PAGES } from "./pages.ts";
import { Palette } from "./palette.tsx";
import { ViewOfAddress } from "./route.tsx";

const ResumeDialog = lazy(async () => (await import("../parts/resume.tsx")).ResumeDialog);

export function App() {
  const open = useSignal<"palette" | "keys" | null>(null);
  const close = (): void => {
    open.value = null;
  };
  useKeys("everywhere", {
    find: () => (open.value = "palette"),
    list: () => (open.value = "keys"),
    theme: switchTheme,
    filter: focusFilter,
  });
  useKeys("pages", Object.fromEntries(PAGES.map(({ name, path }) => [name, () => go(path)])));
  return (
    <div class="shell">
      <Header openPalette={() => (open.value = "palette")} openKeys={() => (open.value = "keys")} />
      {access.value === "granted" ? <ViewOfAddress /> : <NoSession />}
      {open.value === "palette" && <Palette close={close} showKeys={() => (open.value = "keys")} />}
      {open.value === "keys" && <KeyList close={close} />}
      {resuming.value && <ResumeDialog wanted={resuming.value} close={() => (resuming.value = null)} />}
      <Toasts />
    </div>
  );
}

function focusFilter(): void {
  const field = document.querySelector<HTMLInputElement>("[data-filter]");
  field?.focus();
  field?.select();
}

/** All keys of the page, by where they work. */
function KeyList({ close }: { readonly close: () => void }) {
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

// The whole page: the header, and under it the view that the address names.
import { useSignal } from "@preact/signals";
import { access } from "../api/session.ts";
import { Toasts } from "../parts/toast.tsx";
import { go } from "../state/address.ts";
import { useKeys } from "../state/keys.ts";
import { resuming } from "../state/resuming.ts";
import { switchTheme } from "../state/theme.ts";
import { Header } from "./header.tsx";
import { KeyList } from "./key-list.tsx";
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

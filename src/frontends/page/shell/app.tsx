// The whole page: the header, and under it the view that the address names.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { access, giveToken, openPageSession } from "../api/client.ts";
import { PAGES } from "../pages.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { lazy, PaneTrouble } from "../parts/pane.tsx";
import { Toasts } from "../parts/toast.tsx";
import { resuming } from "../state/actions.ts";
import { go, path } from "../state/address.ts";
import { allKeys, keyNames, type ShownKey, useKeys } from "../state/keys.ts";
import { RunsView } from "../views/runs/index.tsx";
import { Header, switchTheme } from "./header.tsx";
import { Palette } from "./palette.tsx";

const ResumeDialog = lazy(async () => (await import("../parts/drive-dialogs.tsx")).ResumeDialog);

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

/** The page has no access yet, or the server is not there. */
function NoSession() {
  if (access.value === "asking") return <main class="view quiet">Connecting …</main>;
  if (access.value === "unreachable")
    return (
      <Notice title="The server does not answer">
        <p>It may have been stopped. Start it with the command below, and open the address that it prints.</p>
        <pre class="code">segno serve</pre>
        <Button label="Try again" onClick={() => void openPageSession()} />
      </Notice>
    );
  return (
    <Notice title="This page has no session">
      <p>
        Open the address that <code>segno serve</code> printed, with everything after the #: it holds the token. A
        server that was started anew wants the token once more: the one it printed, or your own. Given here, it leads
        back to what you were looking at.
      </p>
      <TokenForm />
    </Notice>
  );
}

const Notice = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <main class="view">
    <div class="empty column">
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);

/** The token, or the whole address that ends with it. */
function TokenForm() {
  const problem = useSignal<string | null>(null);
  const onSubmit = async (event: Event & { readonly currentTarget: HTMLFormElement }): Promise<void> => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    problem.value = given === "" ? null : await giveToken(given.replace(/^.*#(token=)?/, ""));
  };
  return (
    <form class="stack tight" onSubmit={(event) => void onSubmit(event)}>
      <div class="row">
        <input
          class="field"
          type="password"
          name="token"
          autocomplete="off"
          aria-label="Token, or the printed address"
          placeholder="Token, or the printed address"
        />
        <Button type="submit" is="main" label="Go on" />
      </div>
      {problem.value !== null && <PaneTrouble message={problem.value} />}
    </form>
  );
}

interface PageViews {
  readonly All: ComponentType;
  readonly One?: ComponentType<{ readonly id: string }>;
}

/** By the first part of the address. Everything but the list of runs is loaded when it is first needed. */
const VIEWS: ReadonlyMap<string, PageViews> = new Map<string, PageViews>([
  ["", { All: RunsView }],
  ["runs", { All: ToAllRuns, One: lazy(() => import("../views/run/index.tsx").then((part) => part.RunView)) }],
  ["errors", { All: lazy(() => import("../views/errors.tsx").then((part) => part.ErrorsView)) }],
  ["gates", { All: lazy(() => import("../views/gates/index.tsx").then((part) => part.GatesView)) }],
  [
    "letters",
    {
      All: lazy(() => import("../views/letters.tsx").then((part) => part.LettersView)),
      One: lazy(() => import("../views/letters.tsx").then((part) => part.OneLetterView)),
    },
  ],
  ["limits", { All: lazy(() => import("../views/operations.tsx").then((part) => part.LimitsView)) }],
  ["breakers", { All: lazy(() => import("../views/operations.tsx").then((part) => part.BreakersView)) }],
  [
    "evals",
    {
      All: lazy(() => import("../../../features/evals/page/index.tsx").then((part) => part.EvalsView)),
      One: lazy(() => import("../../../features/evals/page/index.tsx").then((part) => part.OneEvalView)),
    },
  ],
  [
    "triggers",
    { All: lazy(() => import("../../../features/triggers/page/index.tsx").then((part) => part.TriggersView)) },
  ],
  ["workers", { All: lazy(() => import("../views/operations.tsx").then((part) => part.WorkersView)) }],
  [
    "workflows",
    {
      All: lazy(() => import("../views/workflows/index.tsx").then((part) => part.WorkflowsView)),
      One: lazy(() => import("../views/workflows/workflow.tsx").then((part) => part.WorkflowView)),
    },
  ],
]);

function ViewOfAddress() {
  const [, page = "", ...rest] = path.value.split("/").map(decode);
  const named = rest.join("/");
  const { All, One } = VIEWS.get(page) ?? { All: NoSuchPage };
  return named && One ? <One id={named} key={named} /> : <All />;
}

const NoSuchPage = () => (
  <Notice title="There is no such page">
    <p>
      <code>{path.value}</code> leads nowhere. It may be mistyped, or of a newer Segno.
    </p>
    <a class="button main" href="/">
      All runs
    </a>
  </Notice>
);

/** `/runs` is what people type; the address of all runs is `/`. */
function ToAllRuns() {
  useEffect(() => go("/", { replace: true }), []);
  return <RunsView />;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

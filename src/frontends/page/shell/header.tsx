// The header: where one can go, how many questions wait, whether there is a connection, and the switches.
import { effect, signal } from "@preact/signals";
import type { GatesJson } from "../../server/contract/gates.ts";
import type { ContentsJson } from "../../server/contract/operations.ts";
import { about, access, get, slowAnswers } from "../api/client.ts";
import { awaySince, followList } from "../api/stream.ts";
import { PAGES, type PageLink, pageOf } from "../pages.ts";
import { Icon, IconButton } from "../parts/button.tsx";
import { go, path } from "../state/address.ts";
import { clock } from "../text.ts";

const MOD = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl";

/** What a phone has room for; the others are in a list there. */
const ON_A_PHONE = 3;
const narrow = matchMedia("(max-width: 760px)");
const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => (isNarrow.value = narrow.matches));

const hasRoom = ({ shows }: PageLink, index: number): boolean =>
  isNarrow.value ? index < ON_A_PHONE : shows === undefined || contents.value?.[shows] === true;

export function Header({ openPalette, openKeys }: { readonly openPalette: () => void; readonly openKeys: () => void }) {
  const here = pageOf(path.value);
  const shown = PAGES.filter(hasRoom);
  const more = PAGES.filter((page) => !shown.includes(page));
  const isInMore = here !== undefined && more.includes(here);
  return (
    <header class="header middle">
      <a class="brand middle" href="/" aria-label="Segno, all runs">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <rect width="16" height="16" rx="4" />
          <path d="M10.8 5.2C10.3 4 9.2 3.6 8 3.6c-1.6 0-2.8.8-2.8 2.1C5.2 8.6 11 7.4 11 10.2c0 1.4-1.3 2.2-3 2.2-1.5 0-2.6-.6-3-1.8" />
        </svg>
        <span>Segno</span>
      </a>
      <nav class="pages" aria-label="Pages">
        {shown.map((page) => (
          <a
            class="page-link middle"
            href={page.path}
            aria-current={page === here ? "page" : undefined}
            title={`g ${page.letter}`}
            key={page.path}
          >
            {page.name}
            {page.path === "/gates" && gatesWaiting.value > 0 && (
              <span class="count">
                {gatesWaiting.value}
                <span class="only-heard"> waiting</span>
              </span>
            )}
          </a>
        ))}
        {more.length > 0 && (
          <select
            class={`page-link middle more-pages${isInMore ? " current" : ""}`}
            aria-label="More pages"
            value={isInMore ? here.path : ""}
            onChange={(event) => go(event.currentTarget.value)}
          >
            <option value="" hidden>
              More
            </option>
            {more.map(({ name, path: to }) => (
              <option value={to} key={to}>
                {name}
              </option>
            ))}
          </select>
        )}
      </nav>
      <div class="right middle">
        <SignedInAs />
        <ConnectionState />
        <button type="button" class="button find" onClick={openPalette}>
          <span class="row">
            <Icon name="search" /> Find
          </span>
          <kbd>{MOD} K</kbd>
        </button>
        <IconButton
          icon={theme.value === "dark" ? "sun" : "moon"}
          label={theme.value === "dark" ? "Light theme" : "Dark theme"}
          title="Dark or light (t)"
          onClick={switchTheme}
        />
        <IconButton is="plain key-list" icon="key" label="Keys" title="Keys (?)" onClick={openKeys} />
      </div>
      {slowAnswers.value > 0 && <div class="progress" role="progressbar" aria-label="Waiting for the server" />}
    </header>
  );
}

function SignedInAs() {
  const session = about.value;
  if (access.value !== "granted" || !session) return null;
  const { person, known_by, read_only } = session;
  const how = known_by === "token" ? "by a token of their own" : "by the token of this server";
  return (
    <div
      class="signed-in middle"
      title={`Signed in as ${person}, ${how}${read_only ? "; this server only shows" : ""}`}
    >
      <Icon name="person" />
      <span class="only-heard">Signed in as </span>
      <span class="cut">{person}</span>
    </div>
  );
}

function ConnectionState() {
  if (access.value !== "granted") return null;
  const since = awaySince.value;
  return (
    <div class={`connection middle${since === null ? "" : " away"}`} role="status">
      <span>{since === null ? "live" : `not connected since ${clock(since)}`}</span>
    </div>
  );
}

export type Theme = "light" | "dark";

const KEPT = "segno.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const read = (): Theme => (document.documentElement.dataset.theme === "dark" ? "dark" : "light");

const theme = signal<Theme>(read());

const show = (next: Theme): void => {
  document.documentElement.dataset.theme = next;
  theme.value = next;
};

export function switchTheme(): void {
  const next = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(KEPT, next);
  show(next);
}

system.addEventListener("change", () => {
  if (localStorage.getItem(KEPT) === null) show(system.matches ? "dark" : "light");
});
addEventListener("storage", ({ key, newValue }) => {
  if (key === KEPT && (newValue === "dark" || newValue === "light")) show(newValue);
});

const gatesWaiting = signal(0);
/** Which pages have something to show. */
const contents = signal<ContentsJson | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;

export function countGates(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    get<GatesJson>("/api/gates").then(
      ({ gates }) => {
        gatesWaiting.value = gates.length;
      },
      () => undefined,
    );
    get<ContentsJson>("/api/contents").then(
      (now) => {
        contents.value = now;
      },
      () => undefined,
    );
  }, 300);
}

export const watchGates = (): void =>
  void effect(() => {
    if (access.value !== "granted") return undefined;
    countGates();
    return followList(countGates);
  });

// The pages of the header, with the letter that follows `g`.
import type { ContentsJson } from "../server/contract/operations.ts";

export interface PageLink {
  readonly name: string;
  readonly path: string;
  readonly letter: string;
  /** What it shows, if there may be none: until there is some, its link stands under More. */
  readonly shows?: keyof ContentsJson;
}

export const PAGES: readonly PageLink[] = [
  { name: "Runs", path: "/", letter: "r" },
  { name: "Errors", path: "/errors", letter: "e" },
  { name: "Gates", path: "/gates", letter: "a" },
  { name: "Workflows", path: "/workflows", letter: "w" },
  { name: "Letters", path: "/letters", letter: "l", shows: "letters" },
  { name: "Breakers", path: "/breakers", letter: "b", shows: "breakers" },
  { name: "Limits", path: "/limits", letter: "i", shows: "limits" },
  { name: "Evals", path: "/evals", letter: "v", shows: "evals" },
  { name: "Triggers", path: "/triggers", letter: "t", shows: "triggers" },
  { name: "Workers", path: "/workers", letter: "o", shows: "workers" },
];

/** The page that an address belongs to; a run belongs to the runs. */
export const pageOf = (path: string): PageLink | undefined =>
  path === "/" || path.startsWith("/runs/")
    ? PAGES[0]
    : PAGES.find((page) => page.path !== "/" && (path === page.path || path.startsWith(`${page.path}/`)));

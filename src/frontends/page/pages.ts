// The pages of the header, with the letter that follows `g`.
export interface PageLink {
  readonly name: string;
  readonly path: string;
  readonly letter: string;
  /** There is nothing to see where runs have no workers: then no link leads there. */
  readonly isOfFleet?: true;
}

export const PAGES: readonly PageLink[] = [
  { name: "Runs", path: "/", letter: "r" },
  { name: "Errors", path: "/errors", letter: "e" },
  { name: "Gates", path: "/gates", letter: "a" },
  { name: "Letters", path: "/letters", letter: "l" },
  { name: "Breakers", path: "/breakers", letter: "b" },
  { name: "Limits", path: "/limits", letter: "i" },
  { name: "Workflows", path: "/workflows", letter: "w" },
  { name: "Evals", path: "/evals", letter: "v" },
  { name: "Triggers", path: "/triggers", letter: "t" },
  { name: "Workers", path: "/workers", letter: "o", isOfFleet: true },
];

/** The page that an address belongs to; a run belongs to the runs. */
export const pageOf = (path: string): PageLink | undefined =>
  path === "/" || path.startsWith("/runs/")
    ? PAGES[0]
    : PAGES.find((page) => page.path !== "/" && (path === page.path || path.startsWith(`${page.path}/`)));

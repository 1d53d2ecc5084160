// The generated pages, by file name. `npm run docs` writes them; a test holds what is in docs/ against them.
import { cliPage } from "./cli.ts";
import { eventsPage } from "./events.ts";
import { galleryPage } from "./gallery.ts";
import { kindsPage } from "./kinds.ts";
import { referencePage } from "./reference.ts";

export const PAGES: Readonly<Record<string, () => string>> = {
  "reference.md": referencePage,
  "cli.md": cliPage,
  "kinds.md": kindsPage,
  "events.md": eventsPage,
  "gallery.md": galleryPage,
};

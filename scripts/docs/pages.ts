// The generated pages, by file name. `npm run docs` writes them; a test holds what is in docs/ against them.
import { cliPage } from "./cli.ts";
import { eventTypes } from "./event-types.ts";
import { eventsPage } from "./events.ts";
import { galleryPage } from "./gallery.ts";
import { kindsPage } from "./kinds.ts";
import { referencePage } from "./reference.ts";
import { stepTypes } from "./step-types.ts";

export const PAGES: Readonly<Record<string, () => string>> = {
  "reference.md": referencePage,
  "cli.md": cliPage,
  "kinds.md": kindsPage,
  "events.md": eventsPage,
  "gallery.md": galleryPage,
};

/** The generated sources, by path. */
export const SOURCES: Readonly<Record<string, () => string>> = {
  "src/library/event-data.ts": eventTypes,
  "src/library/workflow/fields.ts": stepTypes,
};

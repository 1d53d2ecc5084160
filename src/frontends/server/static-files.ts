// The page's own files, out of the package: public, without data. Every address of a page is answered with index.html.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { extname, join, sep } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".map": "application/json",
  ".txt": "text/plain; charset=utf-8",
};

export interface StaticFile {
  readonly body: Uint8Array<ArrayBuffer> | string;
  readonly type: string;
  /** Its name carries its hash: a browser may keep it for ever. */
  readonly isForEver: boolean;
}

/** Addresses of the page itself. */
const PAGES = /^\/(?:$|(?:runs|errors|gates|letters|breakers|limits|evals|triggers|workers|workflows)(?:$|\/))/;

const NO_PAGE =
  "<!doctype html><title>Segno</title><p>This build of Segno has no page. The API is at /api/openapi.json.</p>";

export class StaticFiles {
  constructor(private readonly folder: string) {}

  /** The file of an address; nothing when there is none. `path` is decoded, and may hold anything. */
  find(path: string): StaticFile | undefined {
    if (PAGES.test(path)) return this.page();
    return /^\/(?:assets\/)?[\w.-]+$/.test(path) && !path.includes("..") ? this.#read(path.slice(1)) : undefined;
  }

  /** What says in the browser what an address shows, or that it leads nowhere. */
  page(): StaticFile {
    return this.#read("index.html") ?? { body: NO_PAGE, type: TYPES[".html"] ?? "", isForEver: false };
  }

  #read(name: string): StaticFile | undefined {
    const file = join(this.folder, name);
    const type = TYPES[extname(name)];
    if (type === undefined || !existsSync(file) || !statSync(file).isFile()) return undefined;
    // A link in the folder leads nowhere else.
    if (!realpathSync(file).startsWith(realpathSync(this.folder) + sep)) return undefined;
    return { body: new Uint8Array(readFileSync(file)), type, isForEver: name.startsWith("assets/") };
  }
}

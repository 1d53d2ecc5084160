// A world of files in memory, for tests.
import { resolve } from "node:path";
import type { LoadWorld } from "../../../src/language/loaded.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Paths are below `/w`; reading another one fails as it would on disk. */
export function memoryWorld(files: Files, env: LoadWorld["env"] = {}): LoadWorld {
  const byPath = new Map(Object.entries(files).map(([path, content]) => [resolve("/w", path), content]));
  const isFolder = (path: string): boolean => [...byPath.keys()].some((one) => one.startsWith(`${path}/`));
  return {
    env,
    exists: (path) => byPath.has(path) || isFolder(path),
    list: (folder) => [
      ...new Set(
        [...byPath.keys()].flatMap((path) =>
          path.startsWith(`${folder}/`) ? (path.slice(folder.length + 1).split("/")[0] ?? []) : [],
        ),
      ),
    ],
    read(path) {
      const content = byPath.get(path);
      if (content !== undefined) return typeof content === "string" ? new TextEncoder().encode(content) : content;
      throw Object.assign(new Error(`cannot read ${path}`), { code: isFolder(path) ? "EISDIR" : "ENOENT" });
    },
  };
}

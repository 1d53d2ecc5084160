// How a live preview sends an editor to a line. The language server of each editor has a folder below the home; a preview
// leaves a file with a place there. No socket, and nothing of the network.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMapping } from "../../errors/mapping.ts";
import { runHome } from "../../results/run-home.ts";
import { sharedWith } from "../project/exposure.ts";
import type { Surroundings } from "../request.ts";

type Placed = Pick<Surroundings, "cwd" | "env" | "home">;

/** The folder of all editors; nothing where there is no home, or where others may write it. */
function deskFolder(placed: Placed): string | undefined {
  const home = runHome(placed);
  return home === undefined || !existsSync(home) || sharedWith(home) !== undefined ? undefined : join(home, "desk");
}

/** Receives places until it is ended. `id` is the process's own. */
export function receiveLines(
  placed: Placed,
  id: number,
  roots: readonly string[],
  show: (file: string, line: number) => void,
): () => void {
  const desk = deskFolder(placed);
  if (desk === undefined) return () => {};
  const folder = join(desk, String(id));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "roots"), JSON.stringify(roots), { mode: 0o600 });
  const take = (): void => {
    for (const name of readdirSync(folder).filter((one) => one.endsWith(".line"))) {
      const file = join(folder, name);
      const place = placeIn(file);
      rmSync(file, { force: true });
      if (place) show(place.file, place.line);
    }
  };
  const watcher = watch(folder, () => {
    try {
      take();
    } catch {
      // Removed meanwhile: there is nothing to show.
    }
  });
  watcher.unref();
  return () => {
    watcher.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Sends every editor of this user there that has the file in its workspace; gives how many those are. */
export function sendLine(placed: Placed, file: string, line: number, isAlive: (id: number) => boolean): number {
  const desk = deskFolder(placed);
  if (desk === undefined || !existsSync(desk)) return 0;
  let sent = 0;
  for (const name of readdirSync(desk)) {
    const folder = join(desk, name);
    if (!isAlive(Number(name))) {
      rmSync(folder, { recursive: true, force: true });
      continue;
    }
    if (!rootsIn(folder).some((root) => file.startsWith(root))) continue;
    // Renamed into place: an editor never reads half of it.
    const written = join(folder, `${process.hrtime.bigint()}`);
    writeFileSync(written, JSON.stringify({ file, line }), { mode: 0o600 });
    renameSync(written, `${written}.line`);
    sent++;
  }
  return sent;
}

function rootsIn(folder: string): readonly string[] {
  const roots = json(join(folder, "roots"));
  return Array.isArray(roots) ? roots.filter((one) => typeof one === "string") : [];
}

function placeIn(file: string): { readonly file: string; readonly line: number } | undefined {
  const place = json(file);
  return isMapping(place) && typeof place.file === "string" && typeof place.line === "number"
    ? { file: place.file, line: place.line }
    : undefined;
}

function json(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

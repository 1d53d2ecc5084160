// Secrets of a run, in a file of their own that only the user can read; the journal refers to the secret inputs by name.
import { closeSync, existsSync, fstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openForReading } from "../../steps/process/open-file.ts";
import { guarded } from "../files/guarded.ts";
import { writePrivate } from "../files/private-files.ts";
import { type KeptSecrets, keptFrom, NOTHING_KEPT, textOfKept } from "../kept-secrets.ts";
import type { Connection } from "../sqlite/connection.ts";
import { StoreError } from "../store-error.ts";

const pathOf = (folder: string): string => join(folder, "secrets.json");

export function keepSecrets(folder: string, kept: KeptSecrets, flush: boolean): void {
  guarded("keeping secrets", pathOf(folder), () => writePrivate(pathOf(folder), textOfKept(kept), flush));
}

/** The journal says that there is such a file, so that it is missed when it is gone. After it: what it holds is recorded later. */
export function recordKept(connection: Connection): void {
  connection.prepare("INSERT OR IGNORE INTO meta VALUES ('secrets', 'kept')").run([]);
}

/** The run is done, and its events hold no secret any more: none is missed. */
export function recordForgotten(connection: Connection): void {
  connection.prepare("INSERT OR REPLACE INTO meta VALUES ('secrets', 'forgotten')").run([]);
}

export const recordedSecrets = (connection: Connection): "kept" | "forgotten" | undefined =>
  connection.prepare<{ value: "kept" | "forgotten" }>("SELECT value FROM meta WHERE key = 'secrets'").get([])?.value;

export const removeSecrets = (folder: string): void =>
  guarded("removing the secrets of a run", pathOf(folder), () => rmSync(pathOf(folder), { force: true }));

export const isKept = (folder: string): boolean => existsSync(pathOf(folder));

export function keptSecrets(folder: string): KeptSecrets {
  const path = pathOf(folder);
  return guarded("reading the secrets of a run", path, () => {
    const text = textIn(path);
    return text === undefined ? NOTHING_KEPT : keptFrom(text);
  });
}

/** Nothing when it is not there. */
function textIn(path: string): string | undefined {
  let file: number;
  try {
    file = openForReading(path);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw problem;
  }
  try {
    if (!fstatSync(file).isFile())
      throw new StoreError(
        "corrupt",
        `While reading the secrets of a run: ${path} is no file that Segno wrote, and without them nothing of the run can be shown. Put the file back, or remove the run.`,
        path,
      );
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

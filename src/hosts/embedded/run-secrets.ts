// Secret inputs of a run, in a file of their own that only the user can read; the journal refers to them by name.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SecretInputs } from "../run-reader.ts";
import { guarded } from "./guarded.ts";
import { writePrivate } from "./private-files.ts";

const pathOf = (folder: string): string => join(folder, "secrets.json");

export function saveSecrets(folder: string, secrets: SecretInputs, flush: boolean): void {
  guarded("keeping secret inputs", pathOf(folder), () => writePrivate(pathOf(folder), JSON.stringify(secrets), flush));
}

export function readSecrets(folder: string): SecretInputs {
  const path = pathOf(folder);
  return guarded("reading secret inputs", path, () =>
    existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as SecretInputs) : {},
  );
}

// A run's `errors.jsonl` as it is: what its drives so far have written there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function errorsText(folder: string): string {
  const file = join(folder, "errors.jsonl");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

// `segno/raise`: how a Node script raises a typed error. No dependencies, nothing happens on import.
import { writeFileSync } from "node:fs";

/**
 * Raises a typed error from a script step: writes the envelope to the file that Segno named in
 * `SEGNO_ERROR_OUT`. The script goes on; return or exit afterwards.
 *
 * @example
 * import { raise } from "segno/raise";
 * raise("external.git.drift", "the branch moved", { branch: "main" });
 */
export function raise(kind: string, message: string, details: Record<string, unknown> = {}): void {
  const file = process.env.SEGNO_ERROR_OUT ?? process.env.CONDUCTOR_ERROR_OUT;
  const text = JSON.stringify({ conductor_error: true, kind, message, details });
  if (file) writeFileSync(file, text);
  else throw new Error(`${kind}: ${message} (SEGNO_ERROR_OUT is not set: this script was not started by Segno)`);
}

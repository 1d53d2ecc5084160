// Changes a file so that it can be had back: a backup beside it first, then the new text in one move.
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** The files of one repair. */
export class WrittenFiles {
  readonly #backups = new Map<string, string>();

  /** Paths of the backups, for the report. */
  get backups(): readonly string[] {
    return [...this.#backups.values()];
  }

  /** False when the file was changed meanwhile: that change is kept. */
  write(file: string, before: string, after: string): boolean {
    if (readFileSync(file, "utf8") !== before) return false;
    if (!this.#backups.has(file)) {
      const backup = freeName(file);
      replace(backup, before, statSync(file).mode);
      this.#backups.set(file, backup);
    }
    replace(file, after, statSync(file).mode);
    return true;
  }

  /** Puts an earlier text back. A backup of what the file says anyway is of no use. */
  restore(file: string, changed: string, before: string): void {
    if (readFileSync(file, "utf8") !== changed) return;
    replace(file, before, statSync(file).mode);
    const backup = this.#backups.get(file);
    if (backup === undefined || readFileSync(backup, "utf8") !== before) return;
    rmSync(backup);
    this.#backups.delete(file);
  }
}

function freeName(file: string): string {
  for (let count = 0; ; count++) {
    const name = count === 0 ? `${file}.bak` : `${file}.${count}.bak`;
    if (!existsSync(name)) return name;
  }
}

/** Through a link to the file itself, and never half. */
function replace(path: string, text: string, mode: number): void {
  const file = existsSync(path) ? realpathSync(path) : path;
  const fresh = `${file}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { mode: mode & 0o777 });
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

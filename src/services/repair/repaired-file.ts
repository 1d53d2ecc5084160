// The workflow file under repair: as a model may see it, and changed so that the old text can be had back.

import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isSecretKey, REDACTED, type Redactor } from "../../redact/index.ts";

// A workflow file as a model may see it: without secrets, line by line, so that what comes back can be put right again.

export interface ShownFile {
  readonly text: string;
  /** The text with its secrets back in their lines; a reason when a line that held one was changed. */
  restore(answer: string): { readonly text: string } | { readonly reason: string };
}

/** Nothing when a secret reaches over several lines: then lines cannot stand for one another. */
export function showFile(text: string, redactor: Redactor): ShownFile | undefined {
  const lines = text.split("\n");
  const shown = lines.map((line) => hideValue(redactor.text(line)));
  // A key block is only known as a whole.
  if (redactor.text(shown.join("\n")) !== shown.join("\n")) return undefined;
  const hidden = lines.flatMap((line, index) => {
    const visible = shown[index] ?? "";
    return visible === line ? [] : [{ line, visible: visible.trim() }];
  });
  return {
    text: shown.join("\n"),
    restore(answer) {
      const left = [...hidden];
      const restored: string[] = [];
      for (const line of answer.split("\n")) {
        if (!line.includes(REDACTED)) {
          restored.push(line);
          continue;
        }
        const index = left.findIndex(({ visible }) => visible === line.trim());
        const [found] = index === -1 ? [] : left.splice(index, 1);
        if (!found) return { reason: "it changes a line that holds a secret, which is not shown to the model" };
        restored.push(found.line);
      }
      return { text: restored.join("\n") };
    },
  };
}

/** `password: hunter2` is a secret by the name of its key. References and templates name one without holding it. */
function hideValue(line: string): string {
  const [, start = "", key = "", between = "", value = ""] =
    /^(\s*(?:- )?["']?)([\w-]+)(["']?\s*:\s+)(\S.*)$/.exec(line) ?? [];
  const isReference = /\$\{|\{\{|^[|>&*!{[]/.test(value);
  return key !== "" && isSecretKey(key) && !isReference ? `${start}${key}${between}${REDACTED}` : line;
}

/** The files of one repair: a backup beside each first, then the new text in one move. */
export class WrittenFiles {
  readonly #backups = new Map<string, string>();

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

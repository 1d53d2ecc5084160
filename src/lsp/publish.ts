// Sends diagnostics a moment after the last key: what was typed is checked first, then the files that call it, one at a time,
// so that questions in between are answered at once.
import type { Diagnostic, PublishDiagnosticsParams } from "vscode-languageserver/node";
import type { Desk } from "./desk.ts";
import { diagnosticsOf } from "./diagnostics.ts";

/** Runs something later; gives what takes it back. */
export type Later = (ms: number, work: () => void) => () => void;

/** Between the last key and the check. */
const QUIET_MS = 40;
/** The longest delay while the user types without a pause. */
const LONGEST_MS = 120;
/** Callers that are not open are checked as well, but a file that half the project calls is no reason to check it all. */
const MOST_CALLERS = 20;

export class Publisher {
  readonly #dirty = new Set<string>();
  /** By file that was checked: what it has to say, by file. */
  readonly #said = new Map<string, ReadonlyMap<string, readonly Diagnostic[]>>();
  /** What the client has, by file. */
  readonly #sent = new Map<string, string>();
  #cancel: (() => void) | undefined;
  /** Set by the first key after a check, and kept by those after it. */
  #cancelLongest: (() => void) | undefined;

  constructor(
    private readonly desk: Desk,
    private readonly send: (params: PublishDiagnosticsParams) => void,
    private readonly later: Later,
    private readonly failed: (problem: unknown) => void,
  ) {}

  /** These files may have something else to say. */
  touch(paths: readonly string[]): void {
    const callers = paths.filter((path) => !this.desk.open.has(path)).slice(0, MOST_CALLERS);
    for (const path of [...paths.filter((one) => this.desk.open.has(one)), ...callers]) this.#dirty.add(path);
    this.#cancel?.();
    this.#cancel = this.later(QUIET_MS, () => this.#next());
    this.#cancelLongest ??= this.later(LONGEST_MS, () => this.#next());
  }

  close(path: string): void {
    this.#forget(path);
    if (this.desk.open.size === 0) for (const one of [...this.#said.keys()]) this.#forget(one);
  }

  #forget(path: string): void {
    const files = [path, ...(this.#said.get(path)?.keys() ?? [])];
    this.#said.delete(path);
    this.#dirty.delete(path);
    for (const file of new Set(files)) this.#publish(file);
  }

  #next(): void {
    this.#cancel?.();
    this.#cancelLongest?.();
    this.#cancel = undefined;
    this.#cancelLongest = undefined;
    const [path] = this.#dirty;
    if (path === undefined) return;
    this.#dirty.delete(path);
    try {
      this.#check(path);
    } catch (problem) {
      this.failed(problem);
    }
    if (this.#dirty.size > 0 && !this.#cancel) this.#cancel = this.later(0, () => this.#next());
  }

  #check(path: string): void {
    const before = this.#said.get(path)?.keys() ?? [];
    const isOurs = this.desk.kindOf(path) !== undefined;
    const said = isOurs ? diagnosticsOf(this.desk, path) : new Map<string, readonly Diagnostic[]>();
    const files = new Set([...before, ...said.keys()]);
    if (isOurs) this.#said.set(path, said);
    else this.#said.delete(path);
    for (const file of files) this.#publish(file);
  }

  /** What all that was checked has to say of one file, each finding once, and only when it is news. */
  #publish(file: string): void {
    const all = new Map<string, Diagnostic>();
    for (const said of this.#said.values())
      for (const one of said.get(file) ?? []) all.set(JSON.stringify([one.code, one.range, one.message]), one);
    const diagnostics = [...all.values()];
    const version = this.desk.versionOf(file);
    const sent = JSON.stringify([version, diagnostics]);
    const known = this.#sent.get(file);
    if (known === sent || (known === undefined && diagnostics.length === 0 && version === undefined)) return;
    if (diagnostics.length === 0 && !this.desk.open.has(file)) this.#sent.delete(file);
    else this.#sent.set(file, sent);
    this.send({ uri: this.desk.uriOf(file), ...(version === undefined ? {} : { version }), diagnostics });
  }
}

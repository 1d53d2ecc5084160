// The author's desk: the open files as the editor has them, laid over the disk, and what is known of each. All questions of
// the protocol are answered from here. Nothing of a file is executed.
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { TextDocumentEdit, TextEdit, VersionedTextDocumentIdentifier, WorkspaceEdit } from "vscode-languageserver";
import { isMapping, unlessItThrows } from "../../../base/errors/mapping.ts";
import type { Finding, LoadedWorkflow, LoadWorld } from "../../../language/loaded.ts";
import { overlaidFiles } from "../../../services/session/files.ts";
import type { Session } from "../../../services/session/session.ts";
import { checkOtherFile } from "../../../services/workflows/check-other-file.ts";
import { checkFile } from "../../../services/workflows/validate.ts";
import { type LastRun, lastRunOf } from "../last-run.ts";
import { type FileKind, fileKind, type ProjectFile, ProjectFiles } from "../project-files.ts";
import { SourceText } from "../text.ts";
import { plainYaml } from "./cursor.ts";

export interface CheckedText {
  readonly kind: FileKind;
  readonly findings: readonly Finding[];
  readonly workflow?: LoadedWorkflow;
  /** Every file that was looked for. */
  readonly sources: ReadonlySet<string>;
}

export class Desk {
  readonly #buffers = new Map<string, string>();
  readonly #texts = new Map<string, SourceText>();
  readonly #checked = new Map<string, CheckedText>();
  /** The newest text of each file that could be read as a workflow: what is being typed often cannot. */
  readonly #lastGood = new Map<string, LoadedWorkflow>();
  readonly #runs = new Map<string, LastRun>();
  readonly #files = new ProjectFiles();
  /** As the client names them: the same file may be written in several ways. */
  readonly #uris = new Map<string, string>();
  readonly #versions = new Map<string, number>();
  readonly #hasVersions: boolean;
  readonly session: Session;

  /** `hasVersions`: the client refuses an edit of a text that is no longer the one it was made for. */
  constructor(session: Session, roots: readonly string[], hasVersions = false) {
    this.#hasVersions = hasVersions;
    this.session = { ...session, readsFrom: { overlay: overlaidFiles(this.#buffers, session.env) } };
    for (const root of roots) this.#files.addRoot(root);
  }

  get open(): ReadonlyMap<string, string> {
    return this.#buffers;
  }

  /** A file was opened, or its text changed. Gives the files that may have something else to say now. */
  put(path: string, text: SourceText, { uri, version }: VersionedTextDocumentIdentifier): readonly string[] {
    this.#uris.set(path, uri);
    this.#versions.set(path, version);
    const isNew = !this.#buffers.has(path);
    this.#buffers.set(path, text.text);
    this.#texts.set(path, text);
    if (isNew && this.#files.all(new Map()).every((file) => file.path !== path) && fileKind(path, text.text))
      this.#files.addRoot(dirname(path));
    return this.#forget(path);
  }

  close(path: string): readonly string[] {
    this.#buffers.delete(path);
    this.#texts.delete(path);
    this.#lastGood.delete(path);
    this.#versions.delete(path);
    this.#runs.delete(path);
    return this.#forget(path);
  }

  uriOf(path: string): string {
    return this.#uris.get(path) ?? pathToFileURL(path).href;
  }

  /** Of an open file. */
  versionOf(path: string): number | undefined {
    return this.#versions.get(path);
  }

  /** Edits of files, by path; each of the text as it is now. */
  edit(edits: ReadonlyMap<string, TextEdit[]>): WorkspaceEdit {
    return this.#hasVersions
      ? { documentChanges: [...edits].map(([path, own]) => this.documentEdit(path, own)) }
      : { changes: Object.fromEntries([...edits].map(([path, own]) => [this.uriOf(path), own])) };
  }

  documentEdit(path: string, edits: TextEdit[]): TextDocumentEdit {
    return { textDocument: { uri: this.uriOf(path), version: this.versionOf(path) ?? null }, edits };
  }

  /** Files on disk were made, saved or removed. */
  saved(paths: readonly string[]): readonly string[] {
    this.#files.changed();
    return [...new Set(paths.flatMap((path) => this.#forget(path)))];
  }

  #forget(path: string): readonly string[] {
    const touched = new Set([path]);
    for (const [file, { sources }] of this.#checked) if (sources.has(path)) touched.add(file);
    for (const file of this.callersOf(path)) touched.add(file);
    for (const file of touched) this.#checked.delete(file);
    return [...touched];
  }

  /** The text as it is in the editor, else on disk; empty when there is none. */
  text(path: string): SourceText {
    const open = this.#texts.get(path);
    if (open) return open;
    const text = unlessItThrows(
      () => Buffer.from(this.session.readsFrom?.overlay?.read(path) ?? "").toString("utf8"),
      "",
    );
    // Editors count without a byte order mark.
    return new SourceText(text.replace(/^\uFEFF/, ""));
  }

  kindOf(path: string): FileKind | undefined {
    const open = this.#buffers.get(path);
    return open === undefined ? fileKind(path, this.text(path).text) : this.#files.opened(path, open)?.kind;
  }

  files(): readonly ProjectFile[] {
    return this.#files.all(this.#buffers);
  }

  /** Whether it is open here, or a file of ours below a folder of the workspace. */
  hasInWorkspace(path: string): boolean {
    return this.#buffers.has(path) || this.files().some((file) => file.path === path);
  }

  /** Files that name this one, over any number of calls: workflows, scenarios and evals. */
  callersOf(path: string): readonly string[] {
    const files = this.files();
    const found = new Set<string>();
    for (let next = [path]; next.length > 0; ) {
      const callers = files.filter(
        ({ path: own, names }) => !found.has(own) && names.some((name) => next.includes(name)),
      );
      for (const caller of callers) found.add(caller.path);
      next = callers.map((caller) => caller.path);
    }
    return [...found];
  }

  /** What there is to say of a file: the same as `validate` says; nothing for a file that is not ours. */
  check(path: string): CheckedText | undefined {
    const known = this.#checked.get(path);
    if (known) return known;
    const kind = this.kindOf(path);
    if (!kind) return undefined;
    const checked = this.#check(path, kind);
    this.#checked.set(path, checked);
    if (checked.workflow && this.#buffers.has(path)) this.#lastGood.set(path, checked.workflow);
    return checked;
  }

  /** What would be wrong with a file if these had other texts. */
  errorsWith(path: string, texts: ReadonlyMap<string, string>): readonly Finding[] {
    const kind = this.kindOf(path);
    const findings = kind ? this.#check(path, kind, new Map([...this.#buffers, ...texts])).findings : [];
    return findings.filter(({ severity }) => severity === "error");
  }

  #check(path: string, kind: FileKind, buffers: ReadonlyMap<string, string> = this.#buffers): CheckedText {
    const isCalled = this.files().some(
      ({ path: own, kind: of, names }) => of === "workflow" && own !== path && names.includes(path),
    );
    const sources = new Set<string>();
    const overlay = withFewTemplates(overlaidFiles(buffers, this.session.env, (file) => sources.add(file)));
    const session = { ...this.session, readsFrom: { overlay } };
    const checked = checkFile(path, session, { checkOther: checkOtherFile, ...(isCalled ? { asChild: true } : {}) });
    return { kind, ...checked, sources };
  }

  /** The workflow as it is now, or as it was when it could last be read. */
  workflow(path: string): LoadedWorkflow | undefined {
    return this.check(path)?.workflow ?? this.#lastGood.get(path);
  }

  /** The workflow file that a scenario or an eval is for: absolute. */
  workflowOf(path: string, seen: readonly string[] = []): string | undefined {
    const root = plainYaml(this.text(path).text);
    if (!isMapping(root) || seen.includes(path)) return undefined;
    if (typeof root.workflow === "string") {
      const beside = resolve(dirname(path), root.workflow);
      return this.session.readsFrom?.overlay?.exists(beside) ? beside : resolve(this.session.cwd, root.workflow);
    }
    return typeof root.extends === "string"
      ? this.workflowOf(resolve(dirname(path), root.extends), [...seen, path])
      : undefined;
  }

  /** Scenarios and evals of a workflow file. */
  testsOf(path: string): readonly ProjectFile[] {
    return this.files().filter(
      ({ kind, path: own }) => (kind === "scenario" || kind === "eval") && this.workflowOf(own) === path,
    );
  }

  /** What the newest run of the file gave: runs begin and end without the editor. */
  async lastRun(path: string): Promise<LastRun | undefined> {
    const run = await lastRunOf(path, this.session, this.#runs.get(path)).catch(() => undefined);
    if (run) this.#runs.set(path, run);
    return run;
  }
}

/** A check looks at each of them, for some tenths of a millisecond: with more the editor would wait for over a second. */
const MOST_TEMPLATES = 4000;

/** Whether questions about a text would keep the editor waiting. */
export const isTooLarge = ({ text }: SourceText): boolean =>
  text.length > LARGEST || templatesIn(text) > MOST_TEMPLATES;

/** Characters. It is parsed again for each question. */
const LARGEST = 1024 * 1024;

function templatesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", at + 1))
    if (text[at + 1] === "{" || text[at + 1] === "%") count += 1;
  return count;
}

/** Files that a check may read, as long as they have not too many templates together. */
function withFewTemplates(files: LoadWorld): LoadWorld {
  const counts = new Map<string, number>();
  return {
    ...files,
    read(file) {
      const bytes = files.read(file);
      counts.set(file, templatesIn(Buffer.from(bytes).toString("latin1")));
      const all = [...counts.values()].reduce((sum, one) => sum + one, 0);
      if (all <= MOST_TEMPLATES) return bytes;
      throw new Error(
        `with what it takes in it has ${all} templates, and an editor checks up to ${MOST_TEMPLATES} while you type. It is too large for that: \`segno validate\` checks all of it`,
      );
    },
  };
}

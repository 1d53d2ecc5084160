// A client of the language server in the same process: two streams, the protocol's own messages, and a clock that tests move.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import * as lsp from "vscode-languageserver/node";
import { serveConnection } from "../server/index.ts";

/** Where the cursor is in a text of a test; it is taken out. */
export const MARK = "‸";

export class Client {
  readonly folder: string;
  readonly connection: lsp.ProtocolConnection;
  /** The newest of each file, and how often anything was sent. */
  readonly diagnostics = new Map<string, readonly lsp.Diagnostic[]>();
  readonly versions = new Map<string, number | undefined>();
  sent = 0;
  readonly #server: lsp.ProtocolConnection;
  readonly #isOwn: boolean;
  readonly #texts = new Map<string, string>();
  readonly #numbers = new Map<string, number>();
  #due: { at: number; work: () => void }[] = [];
  /** Milliseconds that have passed here. */
  now = 0;

  /** What the server wrote into the editor's log: defects. */
  readonly logged: string[] = [];
  /** When diagnostics came, and of which version. */
  readonly times: { readonly at: number; readonly version: number | undefined }[] = [];

  /** Where the server told the editor to go. */
  readonly shown: lsp.ShowDocumentParams[] = [];

  /** `folder`: one that is there already, and stays. */
  constructor(
    files: Readonly<Record<string, string>> = {},
    env: Readonly<Record<string, string>> = {},
    folder?: string,
  ) {
    this.folder = folder ?? mkdtempSync(join(tmpdir(), "segno-lsp-"));
    this.#isOwn = folder === undefined;
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    const [there, back] = [new PassThrough(), new PassThrough()];
    this.connection = lsp.createProtocolConnection(
      new lsp.StreamMessageReader(back),
      new lsp.StreamMessageWriter(there),
    );
    this.#server = lsp.createProtocolConnection(new lsp.StreamMessageReader(there), new lsp.StreamMessageWriter(back));
    void serveConnection(this.#server, {
      session: { cwd: this.folder, env: { SEGNO_HOME: join(this.folder, ".home"), ...env } },
      version: "0",
      later: (ms, work) => {
        const entry = { at: this.now + ms, work };
        this.#due.push(entry);
        return () => {
          this.#due = this.#due.filter((one) => one !== entry);
        };
      },
    });
    this.connection.onNotification(lsp.PublishDiagnosticsNotification.type, ({ uri, diagnostics, version }) => {
      this.sent++;
      this.times.push({ at: this.now, version });
      this.diagnostics.set(uri, diagnostics);
      this.versions.set(uri, version);
    });
    this.connection.onNotification(lsp.LogMessageNotification.type, ({ message }) => void this.logged.push(message));
    this.connection.onRequest(lsp.ShowDocumentRequest.type, (params) => {
      this.shown.push(params);
      return { success: true };
    });
    this.connection.listen();
  }

  static async start(
    files: Readonly<Record<string, string>> = {},
    env: Readonly<Record<string, string>> = {},
    folder?: string,
    workspace: NonNullable<lsp.ClientCapabilities["workspace"]> = {},
  ): Promise<Client> {
    const client = new Client(files, env, folder);
    await client.connection.sendRequest(lsp.InitializeRequest.type, {
      processId: null,
      rootUri: pathToFileURL(client.folder).href,
      capabilities: { window: { showDocument: { support: true } }, workspace },
      workspaceFolders: [{ uri: pathToFileURL(client.folder).href, name: "test" }],
    });
    await client.connection.sendNotification(lsp.InitializedNotification.type, {});
    return client;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  uri(name: string): string {
    return pathToFileURL(this.path(name)).href;
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  async open(name: string, text: string): Promise<void> {
    this.#texts.set(name, text);
    this.#numbers.set(name, 1);
    const textDocument = { uri: this.uri(name), languageId: "yaml", version: 1, text };
    await this.connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });
  }

  /** A change of the whole text, or at an offset. */
  async type(name: string, text: string): Promise<void> {
    const version = (this.#numbers.get(name) ?? 1) + 1;
    this.#numbers.set(name, version);
    this.#texts.set(name, text);
    const textDocument = { uri: this.uri(name), version };
    await this.connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument,
      contentChanges: [{ text }],
    });
  }

  /** One key at a place. */
  async key(name: string, offset: number, text: string): Promise<void> {
    const before = this.#texts.get(name) ?? "";
    const version = (this.#numbers.get(name) ?? 1) + 1;
    this.#numbers.set(name, version);
    this.#texts.set(name, before.slice(0, offset) + text + before.slice(offset));
    const at = positionAt(before, offset);
    const textDocument = { uri: this.uri(name), version };
    const contentChanges = [{ range: { start: at, end: at }, text }];
    await this.connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument,
      contentChanges,
    });
  }

  async close(name: string): Promise<void> {
    await this.connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, {
      textDocument: { uri: this.uri(name) },
    });
  }

  /** Lets that much time pass, once everything that was sent has arrived. */
  async pass(ms: number): Promise<void> {
    await this.arrived();
    const until = this.now + ms;
    for (;;) {
      const [next] = this.#due.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.now = next.at;
      next.work();
      await this.arrived();
    }
    this.now = until;
    await this.arrived();
  }

  /** A question that is answered after all that was sent before it. */
  async arrived(): Promise<void> {
    await this.connection.sendRequest(lsp.FoldingRangeRequest.type, { textDocument: { uri: this.uri("none.txt") } });
  }

  /** The diagnostics of a file, after the quiet that they wait for. */
  async found(name: string): Promise<readonly lsp.Diagnostic[]> {
    await this.pass(150);
    return this.diagnostics.get(this.uri(name)) ?? [];
  }

  /** Opens a text with a mark in it and asks at that place. */
  async at(name: string, marked: string): Promise<lsp.TextDocumentPositionParams> {
    const offset = marked.indexOf(MARK);
    const text = marked.replace(MARK, "");
    if (this.#texts.has(name)) await this.type(name, text);
    else await this.open(name, text);
    return { textDocument: { uri: this.uri(name) }, position: positionAt(text, offset) };
  }

  async labels(name: string, marked: string): Promise<readonly string[]> {
    const params = await this.at(name, marked);
    const items = (await this.connection.sendRequest(lsp.CompletionRequest.type, params)) as lsp.CompletionItem[];
    return items.map(({ label }) => label);
  }

  async hover(name: string, marked: string): Promise<string> {
    const params = await this.at(name, marked);
    const answer = await this.connection.sendRequest(lsp.HoverRequest.type, params);
    return (answer?.contents as lsp.MarkupContent | undefined)?.value ?? "";
  }

  async actions(name: string, range: lsp.Range): Promise<readonly lsp.CodeAction[]> {
    const params = { textDocument: { uri: this.uri(name) }, range, context: { diagnostics: [] } };
    return (await this.connection.sendRequest(lsp.CodeActionRequest.type, params)) as lsp.CodeAction[];
  }

  text(name: string): string {
    return this.#texts.get(name) ?? "";
  }

  end(): void {
    this.connection.dispose();
    this.#server.dispose();
    if (this.#isOwn) rmSync(this.folder, { recursive: true, force: true });
  }
}

export function positionAt(text: string, offset: number): lsp.Position {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}

/** A text with the protocol's edits made. */
export function edited(text: string, edits: readonly lsp.TextEdit[]): string {
  const lines = text.split("\n");
  const offset = ({ line, character }: lsp.Position): number =>
    lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
  return [...edits]
    .sort((a, b) => offset(b.range.start) - offset(a.range.start))
    .reduce(
      (now, { range, newText }) => now.slice(0, offset(range.start)) + newText + now.slice(offset(range.end)),
      text,
    );
}

// The protocol: which request is answered by what. Every file that is not ours gets an empty answer.

import { fileURLToPath } from "node:url";
import * as lsp from "vscode-languageserver/node";
import { type DocumentSymbol, type FoldingRange, SymbolKind } from "vscode-languageserver/node";
import type { YAMLMap, YAMLSeq } from "yaml";
import { unlessItThrows } from "../../../base/errors/mapping.ts";
import { gatherFacts } from "../../../language/analysis/index.ts";
import type { NodePath } from "../../../language/loaded.ts";
import { yamlLibrary } from "../../../language/tree.ts";
import type { Session } from "../../../services/session/session.ts";
import { formatted } from "../format.ts";
import { hearShowRequests, type ShownPlace } from "../show-in-editor.ts";
import { editorPosition, SourceText, YamlEdit } from "../text.ts";
import { codeActions } from "./actions.ts";
import { complete } from "./completion.ts";
import { Desk, isTooLarge } from "./desk.ts";
import { codeLenses, hover, PlayedScenarios } from "./hover.ts";
import { definitionsAt, referencesTo, rename, renameRange } from "./navigate.ts";
import { type Later, Publisher } from "./publish.ts";

export interface LspOptions {
  readonly session: Session;
  readonly version: string;
  /** Another clock, for tests. */
  readonly later?: Later;
}

const onTimer: Later = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** Serves one client until it leaves; gives the exit code that the protocol asks for. */
export function serveConnection(connection: lsp.ProtocolConnection, options: LspOptions): Promise<number> {
  let session: EditorSession | undefined;
  let isShutDown = false;
  const wanted = (): EditorSession => {
    if (!session) throw new lsp.ResponseError(lsp.ErrorCodes.ServerNotInitialized, "The server is not initialized.");
    return session;
  };
  connection.onRequest(lsp.InitializeRequest.type, (params) => {
    if (session) throw new lsp.ResponseError(lsp.ErrorCodes.InvalidRequest, "The server is initialized already.");
    session = new EditorSession(connection, params, options);
    return { capabilities: CAPABILITIES, serverInfo: { name: "segno", version: options.version } };
  });
  connection.onNotification(lsp.InitializedNotification.type, () => session?.started());
  connection.onRequest(lsp.ShutdownRequest.type, () => {
    isShutDown = true;
    return undefined;
  });
  connection.onNotification(lsp.DidOpenTextDocumentNotification.type, ({ textDocument }) =>
    session?.put(textDocument, new SourceText(textDocument.text)),
  );
  connection.onNotification(lsp.DidChangeTextDocumentNotification.type, ({ textDocument, contentChanges }) =>
    session?.change(textDocument, contentChanges),
  );
  connection.onNotification(lsp.DidCloseTextDocumentNotification.type, ({ textDocument }) =>
    session?.close(textDocument.uri),
  );
  connection.onNotification(lsp.DidSaveTextDocumentNotification.type, ({ textDocument }) =>
    session?.saved([textDocument.uri]),
  );
  connection.onNotification(lsp.DidChangeWatchedFilesNotification.type, ({ changes }) =>
    session?.saved(changes.map(({ uri }) => uri)),
  );
  answer(lsp.CompletionRequest.type, [], (desk, path, { position }) => complete(desk, path, position));
  answer(lsp.HoverRequest.type, null, (desk, path, { position }) => hover(desk, path, position));
  answer(lsp.DefinitionRequest.type, [], (desk, path, { position }) => definitionsAt(desk, path, position));
  answer(lsp.ReferencesRequest.type, [], (desk, path, { position, context }) =>
    referencesTo(desk, path, position, context.includeDeclaration),
  );
  answer(lsp.PrepareRenameRequest.type, null, (desk, path, { position }) => renameRange(desk, path, position));
  answer(lsp.RenameRequest.type, null, (desk, path, { position, newName }) => rename(desk, path, position, newName));
  answer(lsp.CodeActionRequest.type, [], (desk, path, { range }) => codeActions(desk, path, range));
  answer(lsp.CodeLensRequest.type, [], (desk, path) => codeLenses(desk, path, wanted().scenarios));
  answer(lsp.DocumentSymbolRequest.type, [], (desk, path) => documentSymbols(desk, path));
  answer(lsp.FoldingRangeRequest.type, [], (desk, path) => foldingRanges(desk, path));
  answer(lsp.DocumentFormattingRequest.type, [], (desk, path) => {
    const text = desk.text(path);
    const newText = desk.kindOf(path) ? formatted(text.text) : text.text;
    return newText === text.text ? [] : [{ range: text.range(0, text.text.length), newText }];
  });
  const ended = new Promise<number>((resolve) => {
    connection.onNotification(lsp.ExitNotification.type, () => resolve(isShutDown ? 0 : 1));
    connection.onClose(() => resolve(isShutDown ? 0 : 1));
    // After a message that is no JSON the next one can be read; after a wrong header no one knows where it begins.
    connection.onError(([problem]) => problem instanceof SyntaxError || resolve(1));
  });
  connection.listen();
  return ended.finally(() => session?.end());

  function answer<Params extends { textDocument: lsp.TextDocumentIdentifier }, Result, Part, Data>(
    type: lsp.ProtocolRequestType<Params, Result, Part, void, Data>,
    nothing: Result,
    give: (desk: Desk, path: string, params: Params) => unknown,
  ): void {
    connection.onRequest(type, (async (params: Params) => {
      const { desk } = wanted();
      if (typeof params.textDocument?.uri !== "string")
        throw new lsp.ResponseError(lsp.ErrorCodes.InvalidParams, "The request names no document: `textDocument.uri`.");
      const path = pathOf(params.textDocument.uri);
      if (path === undefined || isTooLarge(desk.text(path))) return nothing;
      return await give(desk, path, params);
    }) as never);
  }
}

/** Files only: what is in no file yet calls no others. */
const pathOf = (uri: string): string | undefined =>
  uri.startsWith("file:") ? unlessItThrows(() => fileURLToPath(uri), undefined) : undefined;

/** One client with its workspace. */
class EditorSession {
  readonly desk: Desk;
  readonly scenarios = new PlayedScenarios();
  readonly #connection: lsp.ProtocolConnection;
  readonly #publisher: Publisher;
  readonly #params: lsp.InitializeParams;
  #stopHearing = (): void => {};

  constructor(connection: lsp.ProtocolConnection, params: lsp.InitializeParams, options: LspOptions) {
    this.#connection = connection;
    this.#params = params;
    const folders = params.workspaceFolders?.map(({ uri }) => uri) ?? (params.rootUri ? [params.rootUri] : []);
    const roots = folders.flatMap((uri) => pathOf(uri) ?? []);
    const hasVersions = params.capabilities?.workspace?.workspaceEdit?.documentChanges === true;
    this.desk = new Desk(options.session, roots, hasVersions);
    this.#publisher = new Publisher(
      this.desk,
      (diagnostics) => void connection.sendNotification(lsp.PublishDiagnosticsNotification.type, diagnostics),
      options.later ?? onTimer,
      (problem) => this.#log(problem),
    );
  }

  /** Now the client can be asked for something. */
  started(): void {
    const { workspace, window } = this.#params.capabilities ?? {};
    if (window?.showDocument?.support)
      this.#stopHearing = hearShowRequests(
        this.desk.session,
        (file) => this.desk.hasInWorkspace(file),
        (place) => this.#show(place),
      );
    if (workspace?.didChangeWatchedFiles?.dynamicRegistration) {
      const registerOptions: lsp.DidChangeWatchedFilesRegistrationOptions = {
        watchers: [{ globPattern: "**/*.{yaml,yml,md,json,jsonl,csv}" }],
      };
      const registrations = [{ id: "files", method: lsp.DidChangeWatchedFilesNotification.method, registerOptions }];
      this.#connection
        .sendRequest(lsp.RegistrationRequest.type, { registrations })
        .catch((problem) => this.#log(problem));
    }
  }

  put(document: lsp.VersionedTextDocumentIdentifier, text: SourceText): void {
    const path = pathOf(document.uri);
    if (path !== undefined) this.#publisher.touch(this.desk.put(path, text, document));
  }

  change(document: lsp.VersionedTextDocumentIdentifier, changes: readonly lsp.TextDocumentContentChangeEvent[]): void {
    const path = pathOf(document.uri);
    if (path !== undefined) this.put(document, this.desk.text(path).changed(changes));
  }

  close(uri: string): void {
    const path = pathOf(uri);
    if (path === undefined) return;
    const others = this.desk.close(path);
    this.scenarios.forget(path);
    this.#publisher.close(path);
    this.#publisher.touch(others.filter((one) => this.desk.open.has(one)));
  }

  saved(uris: readonly string[]): void {
    const touched = this.desk.saved(uris.flatMap((uri) => pathOf(uri) ?? []));
    this.#publisher.touch(touched.filter((one) => this.desk.open.has(one)));
  }

  /** The client leaves. */
  end(): void {
    this.#stopHearing();
  }

  #show({ file, line, column }: ShownPlace): void {
    const at = editorPosition({ line, column });
    const uri = this.desk.uriOf(file);
    this.#connection
      .sendRequest(lsp.ShowDocumentRequest.type, { uri, takeFocus: true, selection: { start: at, end: at } })
      .catch((problem) => this.#log(problem));
  }

  async #log(problem: unknown): Promise<void> {
    const message = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
    try {
      const log = { type: lsp.MessageType.Error, message } as const;
      await this.#connection.sendNotification(lsp.LogMessageNotification.type, log);
    } catch {
      // An editor that is gone hears nothing.
    }
  }
}

const { QuickFix, RefactorExtract, RefactorRewrite } = lsp.CodeActionKind;

const CAPABILITIES: lsp.ServerCapabilities = {
  positionEncoding: lsp.PositionEncodingKind.UTF16,
  textDocumentSync: { openClose: true, change: lsp.TextDocumentSyncKind.Incremental, save: true },
  completionProvider: { triggerCharacters: [".", "{", " ", "|", ":", "/", "-"] },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  codeActionProvider: { codeActionKinds: [QuickFix, RefactorRewrite, RefactorExtract] },
  codeLensProvider: {},
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  documentFormattingProvider: true,
};

// The outline of a file: steps and groups, and what can be folded.

function documentSymbols(desk: Desk, path: string): readonly DocumentSymbol[] {
  const workflow = desk.kindOf(path) === "workflow" ? desk.workflow(path) : undefined;
  if (!workflow) return [];
  const text = desk.text(path);
  const edit = new YamlEdit(text.text);
  const { nodes } = gatherFacts(workflow);
  const symbol = (
    { name, type: detail }: { readonly name: string; readonly type: string },
    at: NodePath,
    kind: SymbolKind,
  ): DocumentSymbol[] => {
    const node = edit.node(at);
    if (!node?.range || workflow.positions.at(at).file !== path) return [];
    const range = text.range(node.range[0], edit.endOf(node));
    const title = edit.node([...at, "name"]);
    const selectionRange = title?.range
      ? text.range(title.range[0], title.range[1])
      : { start: range.start, end: range.start };
    return [{ name, detail, kind, range, selectionRange }];
  };
  return nodes.all.flatMap((node): readonly DocumentSymbol[] => {
    if (node.kind === "step") return node.inline ? [] : symbol(node, node.path, SymbolKind.Function);
    const [group] = symbol(node, node.path, SymbolKind.Namespace);
    const children =
      node.type === "for_each" ? symbol(node.group.agent, [...node.path, "agent"], SymbolKind.Function) : [];
    return group ? [{ ...group, children }] : [];
  });
}

function foldingRanges(desk: Desk, path: string): readonly FoldingRange[] {
  if (!desk.kindOf(path)) return [];
  const { parseDocument, visit, isCollection, isScalar } = yamlLibrary();
  const text = desk.text(path);
  const found = new Map<number, FoldingRange>();
  const fold = (start: number, end: number): void => {
    const startLine = text.position(start).line;
    const endLine = text.position(end).line;
    if (endLine > startLine && !found.has(startLine)) found.set(startLine, { startLine, endLine });
  };
  const document = parseDocument(text.text, { uniqueKeys: false, logLevel: "silent" });
  const trimmed = (from: number, to: number): number => from + text.text.slice(from, to).trimEnd().length;
  visit(document, {
    Pair(_, { key, value }) {
      const start = isScalar(key) ? key.range?.[0] : undefined;
      const range = isCollection(value) || isScalar(value) ? (value as YAMLMap | YAMLSeq).range : undefined;
      if (start !== undefined && range) fold(start, trimmed(start, range[1]));
    },
    Map(key, { range }) {
      if (typeof key === "number" && range) fold(range[0], trimmed(range[0], range[1]));
    },
  });
  return [...found.values()];
}

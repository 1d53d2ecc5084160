// The client of `segno lsp`, and the commands of its lenses. A workspace that is not trusted starts nothing.
import { spawn } from "node:child_process";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client;

export async function activate(context) {
  const register = (name, action) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, (uri) => action(fileOf(uri))));
  register("segno.run", (file) => inTerminal(["run", file]));
  register("segno.test", (file) => inTerminal(["test", folderOf(file)]));
  register("segno.graph", graphBeside);
  const start = async () => {
    const [command, ...args] = program();
    client = new LanguageClient(
      "segno",
      "Segno",
      { command, args: [...args, "lsp"], options: { cwd: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath } },
      {
        documentSelector: [{ scheme: "file", language: "yaml" }],
        middleware: { window: { showDocument: besideGraph } },
      },
    );
    await client.start();
  };
  if (vscode.workspace.isTrusted) await start();
  else context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(start));
}

export const deactivate = () => client?.stop();

const program = () => vscode.workspace.getConfiguration("segno").get("command", ["npx", "segno"]);

const fileOf = (uri) =>
  uri === undefined ? vscode.window.activeTextEditor?.document.uri.fsPath : vscode.Uri.parse(String(uri)).fsPath;

const folderOf = (file) => file.replace(/[\\/][^\\/]*$/, "");

/** As arguments, never as a line for a shell: a file may be called anything. */
function inTerminal(args) {
  const [command, ...first] = program();
  vscode.window.createTerminal({ name: "segno", shellPath: command, shellArgs: [...first, ...args] }).show();
}

/** The live preview in a panel: its server lives as long as the panel does. */
function graphBeside(file) {
  if (file === undefined || !vscode.workspace.isTrusted) return;
  const panel = vscode.window.createWebviewPanel("segno.graph", "Segno graph", vscode.ViewColumn.Beside, {
    enableScripts: true,
    retainContextWhenHidden: true,
  });
  const [command, ...first] = program();
  const server = spawn(command, [...first, "graph", file, "--watch", "--output-format", "json"], {
    cwd: folderOf(file),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  let complained = "";
  const say = (text) => {
    panel.webview.html = `<body><pre>${escaped(text)}</pre></body>`;
  };
  server.stderr.on("data", (data) => {
    complained += data;
  });
  server.stdout.on("data", (data) => {
    printed += data;
    const url = /"url": "(http:\/\/127\.0\.0\.1:\d+\/[^"<>]+)"/.exec(printed)?.[1];
    if (url && !panel.webview.html.includes("<iframe")) panel.webview.html = pageOf(url);
  });
  server.on("error", (problem) => say(`${command} cannot be started: ${problem.message}`));
  server.on("exit", () => say(complained || printed || "The preview has ended."));
  panel.onDidDispose(() => {
    server.removeAllListeners("exit");
    server.kill();
  });
}

/** Nothing but the page of the server that was started. */
const pageOf = (url) => `<!doctype html>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; frame-src ${new URL(url).origin}">
<style>html, body, iframe { width: 100%; height: 100%; margin: 0; padding: 0; border: 0; }</style>
<iframe src="${url}"></iframe>`;

/** A click in the graph opens the file where it is shown already, else in the first column: not over the graph. */
async function besideGraph({ uri, selection, takeFocus }) {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  await vscode.window.showTextDocument(document, {
    viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One,
    preserveFocus: !takeFocus,
    ...(selection ? { selection: client.protocol2CodeConverter.asRange(selection) } : {}),
  });
  return { success: true };
}

const escaped = (text) => text.replace(/[&<>]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter]);

// The client of `segno lsp`, and the commands of its lenses. A workspace that is not trusted starts nothing.
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
      { documentSelector: [{ scheme: "file", language: "yaml" }] },
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

/** The drawing, again at each save. */
async function graphBeside(file) {
  const panel = vscode.window.createWebviewPanel("segno.graph", "Segno graph", vscode.ViewColumn.Beside, {});
  const { execFile } = await import("node:child_process");
  const [command, ...first] = program();
  let last = "";
  const draw = () =>
    execFile(command, [...first, "graph", file, "--format", "svg"], { cwd: folderOf(file) }, (problem, svg, said) => {
      if (!problem) last = svg;
      const finding = problem ? `<pre>${escaped(said)}</pre>` : "";
      panel.webview.html = `<body style="background:#fff;color:#222"><div style="opacity:${problem ? 0.35 : 1}">${last}</div>${finding}</body>`;
    });
  const saves = vscode.workspace.onDidSaveTextDocument(draw);
  panel.onDidDispose(() => saves.dispose());
  draw();
}

const escaped = (text) => text.replace(/[&<>]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter]);

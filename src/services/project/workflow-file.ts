// Which files below a root are workflows. Clients of a server may read only these: settings, keys and journals can be
// in the same folders.

import { basename, join, sep } from "node:path";
import type { CST } from "yaml";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { runHome } from "../../base/results/run-home.ts";
import { yamlLibrary } from "../../language/tree.ts";
import { PROJECT_FILE } from "../session/find-project.ts";
import { isBelow, readRegularFile, real, relativeInside } from "../session/path-inside.ts";
import type { Session } from "../session/session.ts";

export const isWorkflowFile = ({ file, root }: { readonly file: string; readonly root: string }, placed: Session) =>
  mayBeWorkflow(file, root, placed) && readsAsWorkflow(file, placed);

/** By its name and place alone, those of a link and of what it leads to. */
export function mayBeWorkflow(file: string, root: string, placed: Session): boolean {
  const way = relativeInside(file, root);
  if (way === undefined || isHidden(way) || isHidden(wayAsWritten(file, root))) return false;
  if (![file, real(file)].every((path) => isYaml(path) && basename(path).toLowerCase() !== PROJECT_FILE)) return false;
  if (placed.project?.actingFiles?.some((own) => real(own) === real(file))) return false;
  return !isKept(file, root, runHome(placed));
}

/** Below the folder of runs. Who has workflows in there, or beside it, has them at least not among the runs. */
function isKept(file: string, root: string, home: string | undefined): boolean {
  if (home === undefined) return false;
  const isAround = real(home) === real(root) || isBelow(root, home);
  return isBelow(file, isAround ? join(home, "runs") : home);
}

/** What cannot be read is nothing that could be shown: there is none, it is a folder, or it is not ours. */
export const readsAsWorkflow = (file: string, { readsFrom }: Pick<Session, "readsFrom"> = {}): boolean =>
  unlessItThrows(
    () => opensAsWorkflow((readsFrom?.snapshot?.read(file) ?? readRegularFile(file)).toString("utf8")),
    false,
  );

const isYaml = (file: string): boolean => /\.ya?ml$/.test(file);

const isHidden = (way: string): boolean => way.split(sep).some((part) => part.startsWith("."));

/** Where the root is reached by a link, the file may be named by either way. */
const wayAsWritten = (file: string, root: string): string =>
  file.startsWith(root + sep) ? file.slice(root.length + 1) : basename(file);

/** What is further down changes nothing about the top: a file that is endless is looked at this far. */
const MOST_LEXEMES = 250_000;

/** Whether `workflow` is a top-level key: a file may be broken further down, but a line that looks alike is not enough. */
export function opensAsWorkflow(text: string): boolean {
  const { Lexer, Parser } = yamlLibrary();
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > MOST_LEXEMES) break;
    for (const token of parser.next(lexeme)) tokens.push(token);
  }
  for (const token of parser.end()) tokens.push(token);
  const top = tokens.find((token) => token.type === "document")?.value;
  if (top?.type !== "block-map" && top?.type !== "flow-collection") return false;
  return top.items.some(({ key }) => key && "source" in key && WORKFLOW_KEYS.has(key.source));
}

const WORKFLOW_KEYS: ReadonlySet<string> = new Set(["workflow", '"workflow"', "'workflow'"]);

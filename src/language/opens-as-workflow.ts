// Whether a text means to be a workflow: `workflow` is a key of its top level. Asked before any of a file is shown to
// another user. So it accepts a workflow that is broken further down, and no other file by a line that looks like one.
import type { CST } from "yaml";
import { yamlLibrary } from "./yaml-library.ts";

/** What is further down changes nothing about the top: a file that is endless is looked at this far. */
const MOST_LEXEMES = 250_000;

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

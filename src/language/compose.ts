// YAML text → tree, or what is wrong with the text. Whatever the text is, this ends soon and does not throw.
import type { CST, Node, YAMLError, YAMLWarning } from "yaml";
import { Grower, type Include, MOST_LEVELS, type Problem, TreeRefused } from "./grow.ts";
import type { LoadWorld } from "./loaded.ts";
import { deepest } from "./nesting.ts";
import { overIndentedKey } from "./over-indented.ts";
import { readsQuickly } from "./quick/switch.ts";
import { quickTree } from "./quick/yaml/index.ts";
import type { SourceFile } from "./source-file.ts";
import type { SourcePlace, Tree } from "./tree.ts";
import { yamlLibrary } from "./yaml-library.ts";
import { syntaxSentence } from "./yaml-syntax.ts";

export interface Composed {
  /** Absent when the text is no YAML, or empty. */
  readonly tree?: Tree;
  readonly problems: readonly Problem[];
}

/** The parser takes a few microseconds for each; above this a file would keep you waiting for seconds. */
const MOST_LEXEMES = 250_000;
/** One slip often sets off many errors; the first few are about it. */
const MOST_ERRORS = 3;

const fileTag = { tag: "!file", resolve: (text: string) => text };

export function compose(source: SourceFile, include: Include, world: LoadWorld): Composed {
  const quick = readsQuickly(world) ? quickTree(source) : undefined;
  return quick ? { tree: quick, problems: [] } : composeWithLibrary(source, include);
}

/** The same for any YAML, with what is wrong with it. */
export function composeWithLibrary(source: SourceFile, include: Include): Composed {
  const { Composer, isScalar, Lexer, Parser } = yamlLibrary();
  const start: SourcePlace = { source, start: 0, end: 0 };
  const tokens: CST.Token[] = [];
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    if (++count > MOST_LEXEMES)
      return refuse(start, "This file is too large for a workflow. Split it into sub-workflows.");
    for (const token of parser.next(lexeme)) tokens.push(token);
  }
  for (const token of parser.end()) tokens.push(token);
  if (deepest(tokens) > MOST_LEVELS)
    return refuse(start, `Values are nested more than ${MOST_LEVELS} levels deep. A bracket may not be closed.`);

  const documents = [...new Composer({ uniqueKeys: false, customTags: [fileTag], logLevel: "silent" }).compose(tokens)];
  const [document, second] = documents;
  if (!document) return { problems: [] };
  const problems: Problem[] = [];
  for (const { message, ...place } of slips([...document.errors, ...document.warnings], source.text)) {
    const line = source.lines.at(place.start).line;
    if (problems.length < MOST_ERRORS && !problems.some((one) => source.lines.at(one.place.start).line === line))
      problems.push({ rule: "yaml-syntax", message, place: { source, ...place } });
  }
  if (second)
    problems.push({
      rule: "yaml-syntax",
      message:
        "A workflow file holds one document. Remove the `---` and what follows, or move it to a file of its own.",
      place: { source, start: second.range[0], end: second.range[0] },
    });
  if (problems.length > 0) return { problems };
  const contents = document.contents;
  if (!contents || (isScalar(contents) && contents.value === null && !contents.tag)) return { problems };
  try {
    return { tree: new Grower(source, include, problems).grow(contents as Node), problems };
  } catch (error) {
    if (error instanceof TreeRefused) return { problems: [...problems, error.problem] };
    throw error;
  }
}

interface Slip {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

/** What the parser found, each at the place where it is put right. */
function slips(errors: readonly (YAMLError | YAMLWarning)[], text: string): readonly Slip[] {
  const indented = new Map<number, Slip>();
  for (const error of errors) {
    const found = overIndentedKey(error, text);
    if (found) indented.set(error.pos[0], found);
  }
  return errors.map((error) => {
    const [start, end] = error.pos;
    const message = error.code === "TAG_RESOLVE_FAILED" ? unknownTag(error.message) : syntaxSentence(error);
    return indented.get(start) ?? { start, end, message };
  });
}

const refuse = (place: SourcePlace, message: string): Composed => ({
  problems: [{ rule: "yaml-syntax", message, place }],
});

const unknownTag = (message: string): string => {
  const tag = /![^\s:]*/.exec(message)?.[0] ?? "This tag";
  return `\`${tag}\` is not a tag that Segno knows. \`!file path\` takes in another file; text that starts with \`!\` goes in quotes.`;
};

// YAML text → tree, or what is wrong with the text. Whatever the text is, this ends soon and does not throw.
import type { CST, Node, YAMLError, YAMLWarning } from "yaml";
import { Grower, INCLUDE_TAGS, type Include, MOST_LEVELS, TreeRefused } from "./grow.ts";
import type { LoadWorld } from "./loaded.ts";
import { quickTree, readsQuickly } from "./quick/yaml.ts";
import { type Problem, type SourceFile, type SourcePlace, type Tree, yamlLibrary } from "./tree.ts";

export interface Composed {
  /** Absent when the text is no YAML, or empty. */
  readonly tree?: Tree;
  readonly problems: readonly Problem[];
}

/** The parser takes a few microseconds for each; above this a file would keep you waiting for seconds. */
const MOST_LEXEMES = 250_000;
/** One slip often sets off many errors; the first few are about it. */
const MOST_ERRORS = 3;

const includeTags = INCLUDE_TAGS.map((tag) => ({ tag, resolve: (text: string) => text }));

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

  const documents = [
    ...new Composer({ uniqueKeys: false, customTags: includeTags, logLevel: "silent" }).compose(tokens),
  ];
  const [document, second] = documents;
  if (!document) return { problems: [] };
  const problems: Problem[] = [];
  for (const { message, ...place } of slips([...document.errors, ...document.warnings], source.text, tokens)) {
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
function slips(
  errors: readonly (YAMLError | YAMLWarning)[],
  text: string,
  tokens: readonly CST.Token[],
): readonly Slip[] {
  const indented = new Map<number, Slip>();
  for (const error of errors) {
    const found = overIndentedKey(error, text);
    if (found) indented.set(error.pos[0], found);
  }
  return errors.map((error) => {
    const open = error.message.startsWith("Missing closing") ? unclosedQuote(tokens) : undefined;
    if (open) return open;
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
  if (tag === "!rawfile")
    return "`!rawfile` is no tag of any release of Conductor. `!file path` takes in a file as it is.";
  return `\`${tag}\` is not a tag that Segno knows. \`!file path\` takes in another file, \`!yamlfile path\` one that is YAML; text that starts with \`!\` goes in quotes.`;
};

interface Nested {
  readonly items?: readonly { readonly key?: unknown; readonly value?: unknown }[];
  readonly value?: unknown;
}

/**
 * How deep a token stream nests. The YAML composer recurses, and a stack that overflows inside a regular expression
 * ends the process, so depth is measured before it is asked; this walk keeps its own stack.
 */
function deepest(tokens: readonly CST.Token[]): number {
  let most = 0;
  for (const { level } of allTokens(tokens)) most = Math.max(most, level);
  return most;
}

/** A text whose quote nothing closes reaches to the end of the file, where the parser misses it: it is the last one. */
function unclosedQuote(tokens: readonly CST.Token[]): Slip | undefined {
  let last: Slip | undefined;
  for (const { token } of allTokens(tokens)) {
    const { type, source, offset } = token as Partial<CST.FlowScalar>;
    if (!type?.endsWith("quoted-scalar") || source === undefined || offset === undefined) continue;
    if (last && last.start > offset) continue;
    const message = `The text that begins here is not closed: the ${source[0]} at its end is missing.`;
    last = { start: offset, end: offset + (source.split("\n")[0] ?? "").trimEnd().length, message };
  }
  return last;
}

function* allTokens(tokens: readonly CST.Token[]): Iterable<{ readonly token: object; readonly level: number }> {
  const stack: { readonly token: unknown; readonly level: number }[] = tokens.map((token) => ({ token, level: 1 }));
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { token, level } = top;
    if (typeof token !== "object" || token === null) continue;
    yield { token, level };
    const { items, value } = token as Nested;
    if (items)
      for (const item of items) {
        stack.push({ token: item.key, level: level + 1 });
        stack.push({ token: item.value, level: level + 1 });
      }
    else if (typeof value === "object") stack.push({ token: value, level });
  }
}

/**
 * A key that is indented further than the key before it. YAML reads it as more of that key's text, and its parser reports
 * the line where the text begins; the mistake is on the line of the second key. Nothing where the text does not begin
 * behind a `key:` or a `-`: there the colon of a key is missing.
 */
function overIndentedKey({ code, pos: [start, end] }: YAMLError, text: string): Slip | undefined {
  const read = text.slice(start, end);
  const lastLine = read.lastIndexOf("\n") + 1;
  if (code !== "MULTILINE_IMPLICIT_KEY" || lastLine === 0) return undefined;
  const key = read.slice(lastLine).trim();
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const [, indent, owner] = /^(\s*(?:-\s+)*)(?:([^\s:][^:]*):\s+)?$/.exec(before) ?? [];
  if (indent === undefined || before.trim() === "") return undefined;
  const keyStart = start + lastLine + read.slice(lastLine).search(/\S/);
  const where =
    owner === undefined
      ? "Start it in the same column as the key that it stands beside."
      : `Start it in column ${indent.length + 1}, as \`${owner}\` does.`;
  return {
    start: keyStart,
    end: keyStart + key.length,
    message: `\`${key}\` is indented further than the line before it, so YAML reads it as more of the value there. ${where}`,
  };
}

// What the YAML parser found wrong, in words for people who did not write a YAML parser.

const SENTENCES: Readonly<Record<string, string>> = {
  BAD_SCALAR_START:
    "A value cannot start with this character unless it is in quotes. Put the whole value in double quotes.",
  BAD_INDENT:
    "This line is indented differently from its neighbours. Entries of one mapping or list start in the same column.",
  TAB_AS_INDENT: "YAML does not allow tabs for indentation. Use spaces.",
  BLOCK_AS_IMPLICIT_KEY:
    "There is a second `key: value` where only a value can stand. Put it on a line of its own, or put the value in quotes if it holds a colon.",
  BLOCK_IN_FLOW:
    "Inside `{…}` and `[…]` everything is written with commas; a `- ` list or an indented block cannot stand there.",
  MULTILINE_IMPLICIT_KEY:
    "This is read as a key over several lines. A colon may be missing after the key, or quotes around a value that holds one.",
  MISSING_CHAR:
    "Something is not closed or not separated here: a quote, a bracket, a brace, a colon or a space after one.",
  UNEXPECTED_TOKEN:
    "This cannot stand here. Look for a bracket, brace or quote too many, or for one that is missing further up.",
  BAD_ALIAS:
    "`*` begins a reference to an anchor (`&name`) that stands further up in the file. If it is text, put it in quotes.",
  BAD_DQ_ESCAPE:
    "This is no escape that YAML knows. In double quotes a backslash is written `\\\\`; single quotes take it as it is.",
  MULTIPLE_DOCS:
    "A workflow file holds one document. Remove the `---` and what follows, or move it to a file of its own.",
  MULTIPLE_ANCHORS: "A value can have one anchor (`&name`) only.",
  MULTIPLE_TAGS: "A value can have one tag (such as `!file`) only.",
  KEY_OVER_1024_CHARS: "This key is too long. A quote may be missing further up.",
  BAD_DIRECTIVE: "A line that starts with `%` is a directive. If it is text, put it in quotes.",
};

/** The sentence for a parser's error; its own words where there is no better one. */
function syntaxSentence(error: YAMLError): string {
  const own = SENTENCES[error.code];
  // The parser goes on reading an open bracket until a line stands too far to the left.
  if (error.code === "BAD_INDENT" && error.message.startsWith("Flow"))
    return "A `[` or `{` further up is not closed before this line. Close it there, or indent this line if it belongs inside.";
  if (error.message.startsWith("Sequence item without"))
    return "This line stands further left than the keys of the entry above it, and further right than its `-`. Start it in the same column as those keys, or with `- ` if it is the next entry.";
  if (error.code === "MISSING_CHAR" || error.code === "UNEXPECTED_TOKEN") return `${own} (${tidy(error.message)})`;
  return own ?? `This is not YAML: ${tidy(error.message)}.`;
}

const tidy = (message: string): string => (message.split("\n")[0] ?? "").replace(/[\s.:]+$/, "");

// What the YAML parser found wrong, in words for people who did not write a YAML parser.
import type { YAMLError } from "yaml";

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
export function syntaxSentence(error: YAMLError): string {
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

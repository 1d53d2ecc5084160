// Makes text from outside safe for a terminal. Names, messages and outputs may hold control characters that move the
// cursor, ring the bell, set the title or turn the order of letters; everything that the program prints passes through
// here.

/** Bidirectional controls can make `abc` read `cba`; the line separators end a line for some readers only. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u;
const CONTROLS = new RegExp(CONTROL, "gu");

/** Whole sequences, so that nothing of them is left to read: CSI, then strings (OSC, DCS …), then two characters. */
const SEQUENCES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** Those that our own colours write. */
const OWN_COLOR = /^\u001b\[(?:[012349]|2[2349]|3[12369])m$/;
const OWN_COLORS = /(\u001b\[(?:[012349]|2[2349]|3[12369])m)/;

/** Without any escape or control; line breaks and tabs stay. */
export const plain = (text: string): string =>
  CONTROL.test(text) ? text.replace(SEQUENCES, "").replace(CONTROLS, "") : text;

/** The same, but for the colours that Segno itself uses. */
export const plainButColors = (text: string): string =>
  CONTROL.test(text)
    ? text
        .split(OWN_COLORS)
        .map((part) => (OWN_COLOR.test(part) ? part : plain(part)))
        .join("")
    : text;

/** Plain, and on one line: a name that breaks the line could write the next one as it likes. */
export const plainLineOf = (text: string): string => plain(text).replace(/\s*\n\s*/g, " ");

/** `##[…]` of GitHub's runner, `##vso[…]` of Azure Pipelines, `##teamcity[…]`: obeyed wherever they stand in a line. */
const HASH_COMMANDS = /#(?=#(?:vso|teamcity)?\[)/gi;

/** `instead` stands for the first `#` of what a CI's log would obey. */
export const withoutHashCommands = (text: string, instead = "#\u200b"): string =>
  text.includes("##") ? text.replace(HASH_COMMANDS, instead) : text;

/** GitHub Actions obeys lines that begin with `::`, also after spaces: a space of no width keeps the two apart. */
export const withoutCommands = (text: string): string =>
  withoutHashCommands(text.replace(/^([^\S\n]*):(?=:)/gm, "$1:\u200b"));

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** JSON whose text is harmless and whose value is the same: outside of strings such characters do not occur. */
export function jsonText(value: unknown, indent?: number): string {
  const text = withoutHashCommands(JSON.stringify(value, null, indent) ?? "null", "\\u0023");
  // Line breaks between fields are the only controls that JSON.stringify writes.
  return CONTROL.test(text) ? text.replace(CONTROLS, escaped) : text;
}

// What an agent wrote, inside of a text that is read as Markdown: shown as it is, every character of it, so that nothing can
// hide as a link's target, in a table's cell or behind a control character, and nothing can pass for Segno's own words.

const LONGEST = 4000;
const SHOWN_END = 1000;

/** Control characters, and those that turn or hide the text around them or show nothing at all; a line break is seen. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** As it will be run or used, with every character to be seen. */
export function everyCharacter(text: string): string {
  const seen = text.replace(UNSEEN, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
  if (seen.length <= LONGEST) return seen;
  const left = seen.length - LONGEST;
  return `${seen.slice(0, LONGEST - SHOWN_END)} … ${left} CHARACTERS ARE NOT SHOWN HERE … ${seen.slice(-SHOWN_END)}`;
}

/** A block of code that nothing in it can end: its fence is longer than any that the text has. */
export function fenced(text: string): string {
  const shown = everyCharacter(text);
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${shown}\n${fence}`;
}

/** Words, numbers and paths that mean nothing in Markdown, on one line. */
export const meansNothingInMarkdown = (text: string): boolean =>
  text.length <= 200 &&
  /^(?:[A-Za-z0-9/.:,?-]|(?<=[A-Za-z0-9]) (?=[A-Za-z0-9])|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))+$/.test(text);

/** What `fenced` has made, at the beginning of a text. */
export const LEADING_BLOCK = /^(`{3,})\n[\s\S]*?\n\1(?=\n|$)/;

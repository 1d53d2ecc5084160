// Upper, lower and title case as Python does it.

export function capitalize(text: string): string {
  const first = text.codePointAt(0);
  if (first === undefined) return "";
  const head = String.fromCodePoint(first);
  return titleChar(head) + text.slice(head.length).toLowerCase();
}

/** One character may become several, of which only the first is a capital: ß is Ss. */
function titleChar(char: string): string {
  const [first = "", ...rest] = char.toUpperCase();
  return first + rest.join("").toLowerCase();
}

/** Every run of letters starts with a capital. */
export function titleCase(text: string): string {
  return text.replace(/\p{L}+/gu, capitalize);
}

export function swapCase(text: string): string {
  return Array.from(text, (char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())).join("");
}

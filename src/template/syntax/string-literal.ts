// Escapes in quoted text, as Python reads them. An unknown escape stays as written.

const SIMPLE: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The decoded text, or undefined where an escape is cut short or names no character. */
export function decodeString(raw: string): string | undefined {
  const text = raw.replace(/\r\n?/g, "\n");
  if (!text.includes("\\")) return text;
  let valid = true;
  const decoded = text.replace(/\\([0-7]{1,3}|[xuU][0-9a-fA-F]*|[\s\S])/g, (whole, code: string) => {
    const simple = Object.hasOwn(SIMPLE, code) ? SIMPLE[code] : undefined;
    if (simple !== undefined) return simple;
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    const length = HEX_LENGTH[code[0]!];
    if (length === undefined) {
      if (code === "N") valid = false;
      return whole;
    }
    const point = Number.parseInt(code.slice(1, 1 + length), 16);
    if (code.length - 1 < length || point > 0x10ffff) {
      valid = false;
      return whole;
    }
    return String.fromCodePoint(point) + code.slice(1 + length);
  });
  return valid ? decoded : undefined;
}

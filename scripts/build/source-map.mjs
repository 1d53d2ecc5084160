// Source maps that are small enough to be shipped: a mark for each line of our own files, no contents. Files of other
// packages are named, so that it can be checked whose code a script has, and have no marks.
import { SOURCES } from "../places.mjs";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));

/** Hands a chunk's map to the next pass of esbuild. */
export const withInlineMap = (text, map) =>
  `${text}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}\n`;

/** The map of a script whose code begins in its second line. */
export function thinMap(text, file) {
  const { sources, mappings } = JSON.parse(text);
  const paths = sources.map((source) => source.replace(/^(\.\.\/)*/, ""));
  const kept = [];
  const others = new Set();
  const place = new Map();
  const lines = [];
  let [source, line] = [0, 0];
  // What the thin map says last, since each mark tells only what is different.
  let [lastSource, lastLine] = [0, 0];
  for (const segments of mappings.split(";")) {
    let [column, lastColumn] = [0, 0];
    let shown = "";
    const marks = [];
    for (const segment of segments === "" ? [] : segments.split(",")) {
      const [columns, sourceStep, lineStep] = decode(segment);
      column += columns;
      source += sourceStep ?? 0;
      line += lineStep ?? 0;
      const isOurs = sourceStep !== undefined && paths[source].startsWith(`${SOURCES}/`);
      if (sourceStep !== undefined && paths[source].includes("node_modules/")) others.add(paths[source]);
      const here = isOurs ? `${source}:${line}` : "";
      if (here === shown) continue;
      shown = here;
      if (isOurs && !place.has(source)) place.set(source, kept.push(paths[source]) - 1);
      const steps = isOurs ? [place.get(source) - lastSource, line - lastLine, 0] : [];
      if (isOurs) [lastSource, lastLine] = [place.get(source), line];
      marks.push([column - lastColumn, ...steps].map(encode).join(""));
      lastColumn = column;
    }
    lines.push(marks.join(","));
  }
  const all = [...kept, ...others].map((path) => `../../${path}`);
  return JSON.stringify({ version: 3, file, sources: all, names: [], mappings: `;${lines.join(";")}` });
}

function decode(segment) {
  const numbers = [];
  let [number, shift] = [0, 0];
  for (const digit of segment) {
    const value = VALUES.get(digit);
    number += (value & 31) << shift;
    if (value & 32) shift += 5;
    else {
      numbers.push(number & 1 ? -(number >> 1) : number >> 1);
      [number, shift] = [0, 0];
    }
  }
  return numbers;
}

function encode(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = "";
  do {
    const more = rest > 31 ? 32 : 0;
    text += DIGITS[(rest & 31) | more];
    rest >>= 5;
  } while (rest > 0);
  return text;
}

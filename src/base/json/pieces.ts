// JSON text in pieces, for what is too much to hold at once: lists whose entries are made as they are written.

/** A list whose entries are made each time it is gone through. */
export class LazyList<Entry> implements Iterable<Entry> {
  constructor(private readonly entries: () => Iterable<Entry>) {}

  [Symbol.iterator](): Iterator<Entry> {
    return this.entries()[Symbol.iterator]();
  }

  map<Other>(change: (entry: Entry) => Other): LazyList<Other> {
    const { entries } = this;
    return new LazyList(function* () {
      for (const entry of entries()) yield change(entry);
    });
  }
}

/**
 * The pieces of the text that `write` gives for the same value with arrays in place of `LazyList`; mappings that hold one are
 * written field by field. `write`: as `JSON.stringify`, with this indentation.
 */
export function* jsonPieces(
  value: unknown,
  write: (value: unknown) => string,
  indent = 0,
  margin = "",
): Iterable<string> {
  const isList = value instanceof LazyList;
  if (!isList && !holdsLazyList(value)) {
    const text = write(value);
    yield margin === "" ? text : text.replaceAll("\n", `\n${margin}`);
    return;
  }
  const inner = margin + " ".repeat(indent);
  const [open, close] = isList ? "[]" : "{}";
  const between = indent > 0 ? `\n${inner}` : "";
  let isFirst = true;
  for (const [name, entry] of isList ? numbered(value) : Object.entries(value)) {
    if (entry === undefined) continue;
    const key = isList ? "" : `${write(name)}:${indent > 0 ? " " : ""}`;
    yield `${isFirst ? open : ","}${between}${key}`;
    isFirst = false;
    yield* jsonPieces(entry, write, indent, inner);
  }
  if (isFirst) yield `${open}${close}`;
  else yield `${indent > 0 ? `\n${margin}` : ""}${close}`;
}

function* numbered(entries: Iterable<unknown>): Iterable<readonly [string, unknown]> {
  for (const entry of entries) yield ["", entry];
}

const holdsLazyList = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).some((entry) => entry instanceof LazyList || holdsLazyList(entry));

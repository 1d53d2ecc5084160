// The text of one file with its lines, as editors count them, and small changes of YAML that leave everything else as
// it is.
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import { INCLUDE_TAGS } from "../../language/grow.ts";
import type { NodePath } from "../../language/loaded.ts";
import { yamlLibrary } from "../../language/tree.ts";

/** Both from 0, as editors count; a character is a UTF-16 unit. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

export interface TextRange {
  start: TextPosition;
  end: TextPosition;
}

/** Puts `newText` where the text from `start` to `end` (offsets) stood. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

export class SourceText {
  #starts: readonly number[] | undefined;

  constructor(readonly text: string) {}

  get starts(): readonly number[] {
    if (this.#starts) return this.#starts;
    const starts = [0];
    for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#starts = starts;
    return starts;
  }

  offset({ line, character }: TextPosition): number {
    const start = this.starts[line];
    if (start === undefined) return this.text.length;
    const next = this.starts[line + 1] ?? this.text.length + 1;
    return Math.min(start + character, next - 1);
  }

  position(offset: number): TextPosition {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - (this.starts[low] ?? 0) };
  }

  range(start: number, end: number): TextRange {
    return { start: this.position(start), end: this.position(end) };
  }

  /** One line, without its end. */
  line(number: number): string {
    const start = this.starts[number] ?? this.text.length;
    const end = this.starts[number + 1];
    return this.text.slice(start, end === undefined ? undefined : end - 1);
  }

  /** The text after the changes of one notification, each made on what the ones before left. */
  changed(changes: readonly ({ range: TextRange; text: string } | { text: string })[]): SourceText {
    let now: SourceText = this;
    for (const change of changes)
      now = new SourceText(
        "range" in change
          ? now.text.slice(0, now.offset(change.range.start)) +
              change.text +
              now.text.slice(now.offset(change.range.end))
          : change.text,
      );
    return now;
  }
}

/** From the language's places, which count from 1. */
export const editorPosition = ({ line, column }: { readonly line: number; readonly column: number }): TextPosition => ({
  line: Math.max(0, line - 1),
  character: Math.max(0, column - 1),
});

export const isWithin = ({ line, character }: TextPosition, { start, end }: TextRange): boolean =>
  (line > start.line || (line === start.line && character >= start.character)) &&
  (line < end.line || (line === end.line && character <= end.character));

/** With its errors, whatever they are. `included`: what a tag with a path stands for. */
export const parsedYaml = (text: string, included = (_tag: string, written: string) => written): Document =>
  yamlLibrary().parseDocument(text, {
    uniqueKeys: false,
    logLevel: "silent",
    customTags: INCLUDE_TAGS.map((tag) => ({ tag, resolve: (written: string) => included(tag, written) })),
  });

export class YamlEdit {
  readonly #document: Document;

  constructor(private readonly text: string) {
    this.#document = parsedYaml(text);
  }

  node(path: NodePath): Node | undefined {
    const found = this.#document.getIn(path, true);
    return yamlLibrary().isNode(found) ? found : undefined;
  }

  #pair(path: NodePath): Pair<Node, Node | null> | undefined {
    const { isMap, isScalar } = yamlLibrary();
    const parent = path.length === 1 ? this.#document.contents : this.node(path.slice(0, -1));
    if (!isMap(parent)) return undefined;
    return parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) as
      | Pair<Node, Node | null>
      | undefined;
  }

  /** Where a value ends, without the blank lines and comments after it. */
  endOf(node: Node | null | undefined): number {
    const end = node?.range?.[1] ?? 0;
    return end - (/\s*$/.exec(this.text.slice(node?.range?.[0] ?? 0, end))?.[0].length ?? 0);
  }

  columnOf(offset: number): number {
    return offset - (this.text.lastIndexOf("\n", offset - 1) + 1);
  }

  isFlow(node: Node | undefined): boolean {
    return /^[[{]/.test(this.text.slice(node?.range?.[0] ?? 0, (node?.range?.[0] ?? 0) + 1));
  }

  /** The value of an entry, replaced with its key: `text` is one or more entries, a line each. */
  replaceEntry(path: NodePath, entries: readonly string[]): TextChange | undefined {
    const pair = this.#pair(path);
    const start = pair?.key.range?.[0];
    if (!pair || start === undefined) return undefined;
    const flow = this.isFlow(this.node(path.slice(0, -1)));
    const end = pair.value ? this.endOf(pair.value) : this.text.indexOf(":", start) + 1;
    return { start, end, newText: entries.join(flow ? ", " : `\n${" ".repeat(this.columnOf(start))}`) };
  }

  addEntry(path: NodePath, entry: string): TextChange | undefined {
    const { isMap } = yamlLibrary();
    const map = path.length === 0 ? this.#document.contents : this.node(path);
    if (!isMap(map)) return undefined;
    const last = map.items.at(-1) as Pair<Node, Node | null> | undefined;
    const first = map.items[0] as Pair<Node, Node | null> | undefined;
    if (!last || !first) return undefined;
    const isEmpty = !last.value?.range || last.value.range[0] === last.value.range[1];
    const end = isEmpty ? this.text.indexOf(":", last.key.range?.[0] ?? 0) + 1 : this.endOf(last.value);
    if (this.isFlow(map as YAMLMap)) return { start: end, end, newText: `, ${entry.replace(/\n\s*/g, " ")}` };
    const indent = " ".repeat(this.columnOf(first.key.range?.[0] ?? 0));
    return { start: end, end, newText: `\n${indent}${entry.replaceAll("\n", `\n${indent}`)}` };
  }

  /** One more item of the list at a path, which is made when it is not there. */
  addItem(path: NodePath, item: string, before: readonly string[] = []): TextChange | undefined {
    const { isSeq } = yamlLibrary();
    const list = this.node(path);
    if (!isSeq(list) || list.items.length === 0) {
      const items = [...before, item];
      const parent = this.node(path.slice(0, -1));
      const key = String(path.at(-1));
      const written = this.isFlow(parent)
        ? `${key}: [${items.join(", ")}]`
        : `${key}:\n${items.map((one) => `  - ${one}`).join("\n")}`;
      return this.#pair(path)
        ? this.replaceEntry(path, [`${key}: [${items.join(", ")}]`])
        : this.addEntry(path.slice(0, -1), written);
    }
    const end = this.endOf((list as YAMLSeq<Node>).items.at(-1));
    if (this.isFlow(list)) return { start: end, end, newText: `, ${item}` };
    return { start: end, end, newText: `\n${" ".repeat(this.columnOf(list.range?.[0] ?? 0))}- ${item}` };
  }
}

export const applied = (text: string, changes: readonly TextChange[]): string =>
  [...changes]
    .sort((a, b) => b.start - a.start)
    .reduce((now, { start, end, newText }) => now.slice(0, start) + newText + now.slice(end), text);

// Small changes to the text of a YAML file that leave everything else, comments included, as it is written.
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import type { NodePath } from "../../language/loaded.ts";
import { yamlLibrary } from "../../language/yaml-library.ts";
import type { TextChange } from "./text.ts";

/** With its errors, whatever they are. `fileTag`: what a `!file` stands for. */
export const parsedYaml = (text: string, fileTag = (written: string) => written): Document =>
  yamlLibrary().parseDocument(text, {
    uniqueKeys: false,
    logLevel: "silent",
    customTags: [{ tag: "!file", resolve: fileTag }],
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

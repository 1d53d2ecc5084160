// Document → tree: aliases and merge keys are followed, `!file` is handed on, and whatever could multiply is counted.
import type { Alias, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import {
  type Problem,
  type SourceFile,
  type SourcePlace,
  type Style,
  type Tree,
  type TreeEntry,
  yamlLibrary,
} from "./tree.ts";

/** `!file` takes in a file as text, or as structure where that is wanted; `!yamlfile` what the file is as YAML. */
export const INCLUDE_TAGS = ["!file", "!yamlfile"] as const;
export type IncludeTag = (typeof INCLUDE_TAGS)[number];

/** Takes in the file that a tag names. */
export type Include = (tag: IncludeTag, name: string, place: SourcePlace) => Tree | readonly Problem[];

export const MOST_LEVELS = 100;
const MOST_VALUES = 200_000;

/** A file that each may name. */
export const EXAMPLES: Readonly<Record<IncludeTag, string>> = {
  "!file": "prompts/review.md",
  "!yamlfile": "steps/review.yaml",
};

const STYLES: Readonly<Record<string, Style>> = {
  PLAIN: "plain",
  QUOTE_SINGLE: "single",
  QUOTE_DOUBLE: "double",
  BLOCK_LITERAL: "literal",
  BLOCK_FOLDED: "folded",
};

/** Ends the growing of a tree that cannot be. */
export class TreeRefused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** Turns one document's nodes into a tree. */
export class Grower {
  readonly #anchors = new Map<string, Tree>();
  readonly #open = new Set<string>();
  readonly #yaml = yamlLibrary();

  constructor(
    private readonly source: SourceFile,
    private readonly include: Include,
    private readonly problems: Problem[],
  ) {}

  grow(node: Node): Tree {
    if (this.#yaml.isAlias(node)) return this.#follow(node);
    const anchor = (node as { anchor?: string }).anchor;
    if (anchor) this.#open.add(anchor);
    const tree = this.#limited(this.#growOne(node));
    if (anchor) {
      this.#open.delete(anchor);
      this.#anchors.set(anchor, tree);
    }
    return tree;
  }

  #growOne(node: Node): Tree {
    const place = this.#place(node.range);
    const tag = INCLUDE_TAGS.find((one) => one === node.tag);
    if (tag) {
      if (!this.#yaml.isScalar(node))
        throw new TreeRefused(this.#problem(place, `\`${tag}\` takes a path: \`${tag} ${EXAMPLES[tag]}\`.`));
      const taken = this.include(tag, String(node.value ?? ""), place);
      if ("kind" in taken) return taken;
      this.problems.push(...taken);
      return { kind: "scalar", value: "", style: "text", place, content: place, size: 1, depth: 1, isBroken: true };
    }
    if (this.#yaml.isMap(node)) return this.#growMapping(node, place);
    if (this.#yaml.isSeq(node)) return this.#growList(node, place);
    return this.#growScalar(node as Scalar, place);
  }

  #growScalar(node: Scalar, place: SourcePlace): Tree {
    const { value } = node;
    const known =
      typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null;
    return {
      kind: "scalar",
      value: known ? value : String(value),
      style: STYLES[node.type ?? "PLAIN"] ?? "plain",
      place,
      content: place,
      size: 1,
      depth: 1,
    };
  }

  #growList(node: YAMLSeq, place: SourcePlace): Tree {
    const items = node.items.map((item) => this.grow(item as Node));
    return { kind: "list", items, place, ...measured(items) };
  }

  #growMapping(node: YAMLMap, place: SourcePlace): Tree {
    const entries = new Map<string, TreeEntry>();
    const merged: Tree[] = [];
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      const key = this.#key(pair.key);
      if (key === undefined) continue;
      const value = pair.value ? this.grow(pair.value) : this.#empty(key.place.end);
      const before = entries.get(key.name);
      if (key.name === "<<" && key.isPlain) merged.push(value);
      else if (before) {
        const { line } = this.source.lines.at(before.key.start);
        this.problems.push(
          this.#problem(
            key.place,
            `\`${key.name}\` is written twice in this mapping; the first is on line ${line}. Keep one of them.`,
          ),
        );
      } else if (key.name === "__proto__") {
        // Schemas leave it out of what they read, so its value would be lost.
        const message = "`__proto__` cannot be a name: JavaScript keeps it for itself. Choose another.";
        this.problems.push(this.#problem(key.place, message));
      } else entries.set(key.name, { key: key.place, value });
    }
    for (const tree of merged) this.#merge(tree, entries);
    return { kind: "mapping", entries, place, ...measured([...entries.values()].map((entry) => entry.value)) };
  }

  /** `<<: *base` adds what is not written here; an earlier mapping wins over a later one. */
  #merge(tree: Tree, entries: Map<string, TreeEntry>): void {
    const sources = tree.kind === "list" ? tree.items : [tree];
    for (const source of sources) {
      if (source.kind !== "mapping") {
        this.problems.push(
          this.#problem(tree.place, "`<<` takes a mapping, or a list of mappings, to merge in: `<<: *defaults`."),
        );
        return;
      }
      for (const [key, entry] of source.entries) if (!entries.has(key)) entries.set(key, entry);
    }
  }

  #key(
    node: Node | null,
  ): { readonly name: string; readonly place: SourcePlace; readonly isPlain: boolean } | undefined {
    const target = node && this.#yaml.isAlias(node) ? undefined : node;
    if (this.#yaml.isScalar(target)) {
      const place = this.#place(target.range);
      const name =
        typeof target.value === "string" ? target.value : this.source.text.slice(place.start, place.end).trim();
      if (name !== "") return { name, place, isPlain: target.type === "PLAIN" };
    }
    const place = this.#place(node?.range);
    this.problems.push(
      this.#problem(
        place,
        "A key is a word or a quoted text; a list, a mapping or nothing at all cannot be one. Text with braces (`{{ … }}`) goes in quotes.",
      ),
    );
    return undefined;
  }

  #follow(node: Alias): Tree {
    const place = this.#place(node.range);
    if (this.#open.has(node.source))
      throw new TreeRefused(
        this.#problem(place, `\`*${node.source}\` refers to the value that it is part of. A value cannot hold itself.`),
      );
    const tree = this.#anchors.get(node.source);
    if (!tree)
      throw new TreeRefused(
        this.#problem(
          place,
          `There is no anchor \`&${node.source}\` further up in this file. If \`*${node.source}\` is text, put it in quotes.`,
        ),
      );
    return { ...tree, place };
  }

  #limited(tree: Tree): Tree {
    if (tree.size > MOST_VALUES)
      throw new TreeRefused(
        this.#problem(
          tree.place,
          `Aliases (\`*name\`) and files that are taken in (\`!file\`) make this more than ${MOST_VALUES} values. Write it with fewer of them.`,
        ),
      );
    if (tree.depth > MOST_LEVELS)
      throw new TreeRefused(this.#problem(tree.place, `Values are nested more than ${MOST_LEVELS} levels deep here.`));
    return tree;
  }

  #empty(offset: number): Tree {
    const place: SourcePlace = { source: this.source, start: offset, end: offset };
    return { kind: "scalar", value: null, style: "plain", place, content: place, size: 1, depth: 1 };
  }

  #place(range: readonly [number, number, number] | null | undefined): SourcePlace {
    return { source: this.source, start: range?.[0] ?? 0, end: range?.[1] ?? 0 };
  }

  #problem(place: SourcePlace, message: string): Problem {
    return { rule: "yaml-syntax", message, place };
  }
}

/** How much a list or mapping holds, once aliases are followed. */
export function measured(children: readonly Tree[]): { readonly size: number; readonly depth: number } {
  let size = 1;
  let depth = 0;
  for (const child of children) {
    size += child.size;
    depth = Math.max(depth, child.depth);
  }
  return { size, depth: depth + 1 };
}

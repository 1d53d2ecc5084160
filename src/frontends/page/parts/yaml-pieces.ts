// YAML as coloured pieces, line by line.
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import { parser } from "@lezer/yaml";

export interface Piece {
  readonly text: string;
  readonly look: string;
}

const looks = tagHighlighter([
  { tag: tags.definition(tags.propertyName), class: "y-key" },
  { tag: tags.propertyName, class: "y-key" },
  { tag: tags.string, class: "y-text" },
  { tag: tags.special(tags.string), class: "y-text" },
  { tag: tags.comment, class: "y-comment" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], class: "y-mark" },
  { tag: [tags.typeName, tags.labelName, tags.keyword], class: "y-tag" },
]);

export function yamlPieces(text: string): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]];
  highlightCode(
    text,
    parser.parse(text),
    looks,
    (code, look) => lines.at(-1)?.push({ text: code, look }),
    () => lines.push([]),
  );
  return lines;
}

// YAML with its line numbers, coloured once the parser is there.
import { signal } from "@preact/signals";
import type { Piece } from "./yaml-pieces.ts";

const split = signal<((text: string) => readonly (readonly Piece[])[]) | null>(null);
let isAsked = false;

interface YamlProps {
  readonly text: string;
  /** Of the first line. */
  readonly line: number;
  /** Lines that are marked. */
  readonly marked?: ReadonlySet<number>;
}

export function Yaml({ text, line, marked }: YamlProps) {
  if (!isAsked) {
    isAsked = true;
    import("./yaml-pieces.ts").then(
      ({ yamlPieces }) => {
        split.value = yamlPieces;
      },
      () => undefined,
    );
  }
  const lines = split.value?.(text) ?? text.split("\n").map((one) => [{ text: one, look: "" }]);
  return (
    <div class="yaml code mono" tabIndex={0} role="region" aria-label="YAML">
      {lines.map((pieces, index) => (
        <div class={marked?.has(line + index) ? "yaml-line marked" : "yaml-line"} key={index}>
          <span class="line-number">{line + index}</span>
          <span>
            {pieces.map((piece, at) => (
              <span class={piece.look || undefined} key={at}>
                {piece.text}
              </span>
            ))}
          </span>
        </div>
      ))}
    </div>
  );
}

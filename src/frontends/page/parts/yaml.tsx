// YAML with its line numbers, coloured once the parser is there.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { State } from "./button.tsx";
import type { Piece } from "./yaml-pieces.ts";

const split = signal<((text: string) => readonly (readonly Piece[])[]) | null>(null);
let isAsked = false;

interface YamlProps {
  readonly text: string;
  /** Of the first line. */
  readonly line: number;
  /** Lines that are marked. */
  readonly marked?: ReadonlySet<number>;
  /** Lines that something is said of, with the state that they are coloured by. */
  readonly flagged?: ReadonlyMap<number, State>;
  /** The line that is brought into sight. */
  readonly shown?: number | null;
}

export function Yaml({ text, line, marked, flagged, shown = null }: YamlProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "center" }), [shown]);
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
        <div
          class={lookOf(line + index, marked, flagged)}
          ref={line + index === shown ? place : undefined}
          aria-current={line + index === shown ? "location" : undefined}
          key={index}
        >
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

function lookOf(line: number, marked: YamlProps["marked"], flagged: YamlProps["flagged"]): string {
  const flag = flagged?.get(line);
  if (flag) return `yaml-line flagged is-${flag}`;
  return marked?.has(line) ? "yaml-line marked" : "yaml-line";
}

// Whatever stands on edges can be read: no label lies on another.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "../../language/load.ts";
import { draw } from "../draw.ts";
import { layOutPicture } from "./lay-out-picture.ts";
import type { PlacedEdge } from "./placed.ts";

const EXAMPLES = readdirSync("examples")
  .filter((name) => name.endsWith(".yaml") && name !== "release.yaml")
  .map((name) => [name, readFileSync(`examples/${name}`, "utf8")] as const);

const gate = (...options: readonly (readonly [label: string, to: string])[]): string => `
workflow: { name: three, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: Which?
    options: [${options.map(([label, to], at) => `{ label: "${label}", value: "${at}", route: ${to} }`).join(", ")}]
  - { name: next, type: set, value: "1", routes: [{ to: $end }] }
  - { name: other, type: set, value: "1", routes: [{ to: next }] }
`;

const PARALLEL = gate(
  ["Left", "next"],
  ["Right", "next"],
  ["Again", "ask"],
  ["Once more", "ask"],
  ["Stop", "$end"],
  ["Halt", "$end"],
);

/** Gates of all sizes, their labels short and long by turns. */
const GATES = Array.from({ length: 24 }, (_, size) => {
  const options = Array.from(
    { length: size + 2 },
    (_one, at) =>
      ["m".repeat(1 + ((at * 7 + size * 5) % 13)), ["next", "$end", "other"][(at * size) % 3] ?? ""] as const,
  );
  return [`a gate of ${size + 2} options`, gate(...options)] as const;
});

function edges(text: string): readonly PlacedEdge[] {
  const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "/w/main.yaml": text }));
  if (!workflow) throw new Error("it does not load");
  return layOutPicture(draw(workflow)).edges;
}

it.each([...EXAMPLES, ["parallel edges", PARALLEL] as const, ...GATES])(
  "labels of %s lie beside each other",
  (_, text) => {
    const labels = edges(text).flatMap(({ label }) => {
      if (!label) return [];
      const left = label.anchor === "start" ? label.x : label.x - label.width / 2;
      const [top, name] = [label.y - label.height / 2, label.lines.join(" ")];
      return [{ name, left, right: left + label.width, top, bottom: top + label.height }];
    });
    const covered = labels.flatMap((one, at) =>
      labels
        .slice(at + 1)
        .filter(
          (two) =>
            one.left < two.right && two.left < one.right && one.top < two.bottom - 0.01 && two.top < one.bottom - 0.01,
        )
        .map((two) => `${one.name} and ${two.name}`),
    );
    expect(covered).toEqual([]);
  },
);

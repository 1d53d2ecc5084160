// What validation says of steps, as marks on their nodes: how many findings, in the colour of the worst.
import type { PictureLayout } from "../../../../graph/arrange/placed.ts";
import { drawnOf } from "./walk.ts";

export interface NodeFinding {
  /** The picture's id; in a sub-workflow that is folded, that is marked. */
  readonly node: string;
  readonly isError: boolean;
  readonly message: string;
}

interface FindingMarksProps {
  readonly layout: PictureLayout;
  readonly findings: readonly NodeFinding[];
}

const RADIUS = 8.5;

export function FindingMarks({ layout, findings }: FindingMarksProps) {
  const drawn = findings.flatMap((finding) => {
    const [node] = drawnOf(layout, [finding.node]);
    return node ? [{ node, finding }] : [];
  });
  return (
    <>
      {[...new Set(drawn.map(({ node }) => node))].map((node) => {
        const own = drawn.filter((one) => one.node === node).map(({ finding }) => finding);
        const look = own.some(({ isError }) => isError) ? "is-failed" : "is-recovered";
        return (
          <g class={`finding-mark ${look}`} data-node={node.id} key={node.id}>
            <title>{own.map(({ message }) => message).join("\n\n")}</title>
            <circle cx={node.x} cy={node.y} r={RADIUS} />
            <text x={node.x} y={node.y + 3.6} text-anchor="middle">
              {own.length}
            </text>
          </g>
        );
      })}
    </>
  );
}

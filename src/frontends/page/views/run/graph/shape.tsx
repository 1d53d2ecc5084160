// Painted shapes as elements; a group that has not changed is not looked at again. And the marks on nodes of which
// validation says something.
import { Component, type JSX } from "preact";
import type { PictureLayout } from "../../../../../graph/arrange/placed.ts";
import type { GroupShape, PaintedShape } from "../../../../../graph/paint/shape.ts";
import { drawnOf } from "./walk.ts";

interface PaintedGroupProps {
  readonly shape: GroupShape;
  readonly isChosen: boolean;
}

export class PaintedGroup extends Component<PaintedGroupProps> {
  override shouldComponentUpdate({ shape, isChosen }: Readonly<PaintedGroupProps>): boolean {
    return shape !== this.props.shape || isChosen !== this.props.isChosen;
  }

  override render({ shape, isChosen }: PaintedGroupProps): JSX.Element {
    const { class: look, title, children } = shape;
    const node = "node" in shape.of ? shape.of.node : undefined;
    return (
      <g class={isChosen ? `${look} chosen` : look} data-node={node}>
        {title !== null && <title>{title}</title>}
        {children.map((child, index) => element(child, index))}
      </g>
    );
  }
}

function element(shape: PaintedShape, key: number): JSX.Element {
  switch (shape.type) {
    case "group":
      return (
        <g class={shape.class} key={key}>
          {shape.children.map((child, index) => element(child, index))}
        </g>
      );
    case "rect": {
      const { class: look, x, y, width, height, rx, title } = shape;
      return (
        <rect class={look} x={x} y={y} width={width} height={height} rx={rx} key={key}>
          {title !== undefined && <title>{title}</title>}
        </rect>
      );
    }
    case "circle":
      return <circle class={shape.class} cx={shape.cx} cy={shape.cy} r={shape.r} key={key} />;
    case "polygon":
      return <polygon class={shape.class} points={shape.points} key={key} />;
    case "path":
      return (
        <path
          class={shape.class}
          d={shape.d}
          transform={shape.transform}
          marker-end={shape.markerEnd && `url(#${shape.markerEnd})`}
          key={key}
        />
      );
    case "text":
      return (
        <text class={shape.class} x={shape.x} y={shape.y} text-anchor={shape.anchor} key={key}>
          {shape.text}
        </text>
      );
    default:
      return shape satisfies never;
  }
}

/** Gives the group of before where the new one says the same. */
export function unchanged(
  before: Map<string, { text: string; shape: GroupShape }>,
  shapes: readonly GroupShape[],
): readonly GroupShape[] {
  return shapes.map((shape) => {
    const text = JSON.stringify(shape);
    const known = before.get(shape.id);
    if (known?.text === text) return known.shape;
    before.set(shape.id, { text, shape });
    return shape;
  });
}

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

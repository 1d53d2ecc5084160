// A layout painted as shapes: what the command line writes and the page renders. Pure, and without anything of Node.
import type { PictureLayout } from "../arrange/placed.ts";
import type { Lights } from "../lights.ts";
import { boxShape } from "./box.ts";
import { edgeLabel, edgeShape } from "./edge.ts";
import { lightUp } from "./light-up.ts";
import { nodeShape } from "./node.ts";
import type { GroupShape } from "./shape.ts";

const BOXES: ReadonlySet<string> = new Set(["parallel", "for_each", "workflow"]);

/** Boxes and nodes first, then edges, the path that was taken above the ways that were not, then labels. */
export function paintPicture(layout: PictureLayout, lights: Lights | null): readonly GroupShape[] {
  const { nodes, edges } = lightUp(layout, lights);
  const isStub = ({ stub, isTaken }: (typeof edges)[number]): boolean => stub !== null && !isTaken;
  const whole = edges.filter((edge) => !isStub(edge));
  return [
    ...nodes.map((node) => (BOXES.has(node.kind) ? boxShape(node) : nodeShape(node))),
    ...whole.filter(({ isTaken }) => !isTaken).map(edgeShape),
    ...whole.filter(({ isTaken }) => isTaken).map(edgeShape),
    ...whole.flatMap((edge) => edgeLabel(edge) ?? []),
    // Last, so that the way of a stub that is pointed at lies above everything.
    ...edges.filter(isStub).map(edgeShape),
  ];
}

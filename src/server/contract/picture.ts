// What a graph is drawn from: `Picture` of src/graph/picture.ts as JSON. The page lays it out with src/graph.
import { z } from "zod";
import type { Picture } from "../../graph/picture.ts";
import { text, whole } from "./values.ts";

const pictureNode = z.object({
  kind: z.literal("node"),
  id: text,
  name: text,
  detail: text,
  shape: z.enum([
    "step",
    "gate",
    "terminate_success",
    "terminate_failed",
    "start",
    "end",
    "halt",
    "parent",
    "any",
    "folded",
  ]),
  tooltip: text.nullable().describe("why a terminate step ends the run"),
});

const pictureEdge = z.object({
  from: text,
  to: text,
  on: z.enum(["success", "error"]),
  isConditional: z.boolean(),
  isRetry: z.boolean(),
  label: z.array(text),
  route: text.describe("by which a taken route finds its edge: `routeId` of src/graph/lights.ts"),
});
export type PictureEdgeJson = z.infer<typeof pictureEdge>;

const pictureBox = z.object({
  kind: z.literal("box"),
  id: text,
  name: text,
  detail: text,
  of: z.enum(["parallel", "for_each", "workflow"]),
  get items() {
    return z.array(pictureItem);
  },
  edges: z.array(pictureEdge),
  steps: whole.describe("how many steps are inside, those of sub-workflows included"),
});

const pictureItem: z.ZodType<Picture["items"][number]> = z
  .lazy(() => z.union([pictureNode, pictureBox]))
  .meta({ id: "PictureItem" }) as z.ZodType<Picture["items"][number]>;

export const pictureJson = z
  .object({ title: text, items: z.array(pictureItem), edges: z.array(pictureEdge) })
  .meta({ id: "Picture" });

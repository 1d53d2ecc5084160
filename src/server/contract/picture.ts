// What a graph is drawn from: `Picture` of src/graph/picture.ts as JSON. The page lays it out with src/graph.
import { z } from "zod";
import type { Picture } from "../../graph/picture.ts";
import { text, whole, yesOrNo } from "./values.ts";

const nodeStatus = z.enum(["completed", "failed", "recovered", "running", "unlit"]);

const pictureNode = z.object({
  kind: z.literal("node"),
  id: text,
  name: text,
  detail: text,
  shape: z.enum(["step", "gate", "terminate_success", "terminate_failed", "start", "end", "halt", "parent", "any"]),
  status: nodeStatus.nullable(),
});

/** Which route of the file an edge is, so that a taken route can be found in the picture. */
const edgeRoute = z.object({
  node: text.describe("the picture's id of the node whose table it is in; of `error_routes` that of $any"),
  table: z.enum(["step", "workflow", "answer"]),
  index: whole.describe("in the table; of an answer its place among the options"),
  line: whole.nullable(),
  when: text.optional().describe("the whole condition, as written"),
  kinds: z.array(text).optional().describe("of an error route: all kinds, as written"),
});

const pictureEdge = z.object({
  from: text,
  to: text,
  on: z.enum(["success", "error"]),
  isRetry: yesOrNo,
  label: z.array(text),
  isLit: yesOrNo.nullable(),
  route: edgeRoute.optional(),
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
  status: nodeStatus.nullable(),
});

const pictureItem: z.ZodType<Picture["items"][number]> = z
  .lazy(() => z.union([pictureNode, pictureBox]))
  .meta({ id: "PictureItem" }) as z.ZodType<Picture["items"][number]>;

export const pictureJson = z
  .object({ title: text, items: z.array(pictureItem), edges: z.array(pictureEdge) })
  .meta({ id: "Picture" });

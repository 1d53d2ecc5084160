// The door for pages: everything here runs in a browser, and in its workers. A server draws the picture of a file (`draw`)
// and sends it; the page folds it, lays it out, lights it from the run's events and paints it.
//
//     draw ─► Picture ─► layOutPicture ─► PictureLayout ─┐
//     events ─► lightsOf ─► Lights ──────────────────────┴► paintPicture ─► shapes

export { layOutPicture } from "./arrange/lay-out-picture.ts";
export {
  keepInPlace,
  type PictureLayout,
  type PlacedEdge,
  type PlacedLabel,
  type PlacedNode,
} from "./arrange/placed.ts";
export { type ItemLight, type LightState, type Lights, type NodeLight, STATES } from "./lights.ts";
export { pageCss } from "./look/css.ts";
export { ICON_SIZE, ICONS } from "./look/text.ts";
export { colorTokens, tokenCss } from "./look/tokens.ts";
export { ARROWS, paintPicture } from "./paint/index.ts";
export type { GroupShape, PaintedShape } from "./paint/shape.ts";
export { type LitEdge, type LitLayout, type LitNode, lightUp } from "./paint/shape.ts";
export type { Picture, PictureBox, PictureEdge, PictureItem, PictureNode } from "./picture.ts";
export { FOLDED_ABOVE, unfoldedAtFirst } from "./picture.ts";

// How a visit ended, and where it leads.
import type { NodeEnd } from "../ends.ts";
import type { RoutedEnd } from "./read-routes.ts";
import type { Decision } from "./routes.ts";

export interface VisitEnd {
  readonly end: NodeEnd;
  /** Where to go; absent when the end itself says it all, and for members that succeeded. */
  readonly decision?: Decision;
}

export const visitEnd = ({ end, decision }: RoutedEnd): VisitEnd => (decision ? { end, decision } : { end });

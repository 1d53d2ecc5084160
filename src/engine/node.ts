// A node of a workflow's graph: a step, or a group of them.
import type { ForEachGroup, ParallelGroup, Route, Step } from "../language/schema/index.ts";

export type Group =
  | { readonly kind: "parallel"; readonly name: string; readonly group: ParallelGroup }
  | { readonly kind: "for_each"; readonly name: string; readonly group: ForEachGroup };

export type FrameNode = { readonly kind: "step"; readonly name: string; readonly step: Step } | Group;

export const routesOf = (step: Step): readonly Route[] => ("routes" in step ? (step.routes ?? []) : []);

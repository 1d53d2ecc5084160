// What a run did, as a drawing shows it: plain data by the picture's ids, so that it can be sent, kept and compared.

import type { NodeShape, PictureBox, PictureEdge } from "./picture.ts";

export const STATES = [
  "pending",
  "running",
  "waiting",
  "retrying",
  "completed",
  "recovered",
  "failed",
  "cancelled",
  "reused",
] as const;

export type LightState = (typeof STATES)[number];

export interface NodeLight {
  readonly state: LightState;
  /** What it is called where the state's own word does not say it: cut off, completed without 2. */
  readonly word: string | null;
  /** How often its latest visit was tried again after an error, by the drive that ran it last. */
  readonly retries: number;
  /** When it is tried again, while it waits for that. */
  readonly retryAt: string | null;
  /** Of a terminate step: why it ended its workflow, as it was rendered. */
  readonly reason?: string;
  /** Of a for_each: its items in the order in which they began; `count` counts those that did not begin too. */
  readonly items: {
    readonly count: number;
    readonly states: readonly ItemLight[];
    /** The key of the one that the user chose: what is inside is drawn as it went for this one. */
    readonly chosen?: string | null;
  } | null;
}

export interface ItemLight {
  readonly key: string;
  readonly state: LightState;
}

export interface Lights {
  /** By id of the node; one that is missing was not reached. */
  readonly nodes: Readonly<Record<string, NodeLight>>;
  /** The routes that were taken, as `PictureEdge.route` names them. */
  readonly taken: readonly string[];
}

export const CUT_OFF_WORD = "cut off";

/** Of a group that went on without some of its members. */
export const completedWithout = (lost: number): string => `completed without ${lost}`;

/** Of a step whose error a route took, and nothing came of it. */
export const failedThough = (handedTo: string): string => `failed, handed to ${handedTo}`;

/** Of a step whose call waits until a breaker lets it through. */
export const waitsForCircuit = (breaker: string): string => `waits for the circuit ${breaker}`;

/** How a picture and its lights name a route; `index` is its place in the step's table, null for a gate's own. */
export const routeId = (from: string, to: string, index: number | null): string =>
  `${from} ${index ?? "by answer"} ${to}`;

/** The route of one of a gate's options, where others lead to the same target. */
export const optionId = (from: string, to: string, option: number): string => `${from} by answer ${option} ${to}`;

export const retryId = (node: string, index: number): string => `${node} ${index} again`;

/** One of the workflow's `error_routes`; `place` is the path of the file's own step, with a slash, or empty. */
export const defaultRouteId = (place: string, to: string, index: number): string => `${place} default ${index} ${to}`;

/** Where a workflow begins: taken when its first step was reached. */
export const entryId = (node: string): string => `${node} entered`;

// Lights as every drawing asks for them: the state of a node, and whether an edge was taken.

export interface LightsReader {
  /** null: no run was asked for, or an end that was reached. */
  stateOf(id: string, kind: NodeShape | PictureBox["of"]): LightState | null;
  lightOf(id: string): NodeLight | null;
  /** null: no run was asked for. */
  isTaken(route: string): boolean | null;
}

const DARK: LightsReader = { stateOf: () => null, lightOf: () => null, isTaken: () => null };

export function readLights(
  lights: Lights | null,
  edges: readonly Pick<PictureEdge, "route" | "from" | "to">[],
): LightsReader {
  if (!lights) return DARK;
  const taken = new Set(lights.taken);
  const nodes = new Map(Object.entries(lights.nodes));
  const touched = new Set(edges.flatMap(({ route, from, to }) => (taken.has(route) ? [from, to] : [])));
  return {
    stateOf: (id, kind) => stateOf(kind, nodes.get(id), touched.has(id)),
    lightOf: (id) => nodes.get(id) ?? null,
    isTaken: (route) => taken.has(route),
  };
}

/** Ends have no visits of their own; and a step that ends the run as failed did so well, but should not look it. */
function stateOf(
  kind: NodeShape | PictureBox["of"],
  light: NodeLight | undefined,
  isTouched: boolean,
): LightState | null {
  if (kind === "start" || kind === "end" || kind === "parent" || kind === "any") return isTouched ? null : "pending";
  if (kind === "halt") return isTouched ? "failed" : "pending";
  if (!light) return "pending";
  if (light.state === "completed" && kind === "terminate_failed") return "failed";
  return light.state === "failed" && kind === "terminate_success" ? "completed" : light.state;
}

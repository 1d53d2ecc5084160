// A step or a group before it has a name: what a file would say of it, and what only code can hold.
import type { Mapping } from "../../errors/mapping.ts";
import type { Definition, StepFunction } from "../../services/defined/definition.ts";
import type { RefTo } from "./ref.ts";

declare const TYPES: unique symbol;
/** @internal */
export const PARTS: unique symbol = Symbol("parts");

/** What a node is made of. */
export interface NodeParts {
  /** As a file has it, without name and routes. */
  readonly fields: Mapping;
  /** Of a function step. */
  readonly run?: StepFunction;
  /** Whether its function is given the workflow's inputs. */
  readonly takesInput?: boolean;
  /** Of a sub-workflow that is a definition. */
  readonly child?: Definition;
  /** Of a group of steps that run at the same time, by name. */
  readonly members?: Readonly<Record<string, Node>>;
  /** Of a group that runs one step for each item. */
  readonly item?: Node;
}

/**
 * A step or a group. `Input` is what it takes of the workflow, `Reads` what templates can read of it, `Kind` which errors
 * routes can handle, `Leaves` which errors may leave it, `Choice` the options of a gate.
 */
export interface Node<
  Input = never,
  Reads = unknown,
  Kind extends string = string,
  Leaves = unknown,
  Choice = unknown,
> {
  readonly [TYPES]?: readonly [takes: (input: Input) => void, Reads, Kind, Leaves, Choice];
  /** @internal */
  readonly [PARTS]: NodeParts;
}

/** What templates see of an error that a route handles. */
export interface ErrorRead {
  readonly kind: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly raised_at: { readonly node: string };
}

/** What templates read of a step. */
export interface StepRead<Output> {
  readonly output: Output;
  readonly error: ErrorRead;
}

declare const ENDED: unique symbol;

/** Of a terminate step: what the workflow gives when this step ends it well. */
export interface Ended<Output> {
  readonly [ENDED]: Output;
}

export type ListRef<Item> = RefTo<readonly Item[]> | RefTo<Item[]>;

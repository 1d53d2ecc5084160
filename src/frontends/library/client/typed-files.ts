// What is known of a workflow before it runs: from a definition in TypeScript, from the file that `segno types` wrote, or
// from the types that the call was given.
import type { Workflows } from "../workflow-types.ts";

/** Stands for a type that the caller did not give. */
export interface Unstated {
  readonly __unstated: never;
}

/** A workflow with its types, which exist for the compiler alone. */
export interface Typed<Inputs, Output, Kind extends string> {
  readonly __types?: { readonly inputs: Inputs; readonly output: Output; readonly errors: Kind };
}

interface Known {
  readonly inputs: object;
  readonly output: unknown;
  readonly errors: string;
}

type Plain<Path> = Path extends `./${infer Rest}` ? Rest : Path;

/** Of a definition, or of a file by its path. A path of a module leads to its definition. */
type KnownOf<Of> =
  Of extends Typed<infer Inputs extends object, infer Output, infer Kind>
    ? { inputs: Inputs; output: Output; errors: Kind }
    : Plain<Of> extends keyof Workflows
      ? Workflows[Plain<Of>] extends infer Found
        ? Found extends Known
          ? Found
          : KnownOf<Found>
        : never
      : Known & { readonly inputs: Readonly<Record<string, unknown>> };

/** What a call is given says nothing about what its types are: only what its caller states does. */
type Stated<Given, Otherwise> = [NoInfer<Given>] extends [Unstated] ? Otherwise : NoInfer<Given>;

export type InputsOf<Given, Of> = Stated<Given, KnownOf<Of>["inputs"]>;
export type OutputOf<Given, Of> = Stated<Given, KnownOf<Of>["output"]>;
export type KindsOf<Of> = KnownOf<Of>["errors"];

/** `inputs` may be left out when none of them is required. */
export type WithInputs<Inputs> =
  Record<never, never> extends Inputs ? { readonly inputs?: Inputs } : { readonly inputs: Inputs };

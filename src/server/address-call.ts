// One request to an address of the contract, read and checked: what its handler gets.
import type { z } from "zod";
import type { ADDRESSES, AddressName } from "./contract/addresses.ts";
import type { ServedRuns } from "./served-runs.ts";

type Table = typeof ADDRESSES;
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type QueryOf<Name extends AddressName> = Table[Name] extends { readonly query: infer Query }
  ? Parsed<Query>
  : undefined;
type BodyOf<Name extends AddressName> = Table[Name] extends { readonly body: infer Body } ? Parsed<Body> : undefined;

export interface AddressCall<Name extends AddressName> {
  /** Decoded, by name; one that stands for several segments has them all. */
  readonly segments: Readonly<Record<string, readonly string[]>>;
  readonly query: QueryOf<Name>;
  readonly body: BodyOf<Name>;
  readonly serving: ServedRuns;
}

export type HttpHandler<Name extends AddressName> = (asked: AddressCall<Name>) => Promise<object> | object;

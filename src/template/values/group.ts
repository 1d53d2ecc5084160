import { Tuple } from "./value.ts";

/** What `groupby` gives: a pair that also answers to `.grouper` and `.list`. */
export class Group extends Tuple {}

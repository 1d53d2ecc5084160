// `import … from "segno"`: the library.

export * from "./engine/resilience/index.ts";
export {
  type Envelope,
  type Frame,
  matches,
  type Outcome,
  type Raised,
  type RaisedAt,
  raised,
} from "./errors/index.ts";
export { raise } from "./errors/raise.ts";

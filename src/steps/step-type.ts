// A step type is one object, built in or of a plugin: all that the other rooms ask about a type is asked here. It is
// loaded by every command, so that what is heavy stays away until it is needed: `schema` is built when first called (the
// build opens `schema.ts` then), and `executor` loads `run.ts`.
import type * as z from "zod";
import type { JsonSchema } from "../errors/mapping.ts";
import type { Executor } from "./executor.ts";

/** `Step` is a step of this type as its schema reads it. Whatever a type leaves out is as a plugin's type has it. */
export interface StepType<Step = never> {
  /** One line, for lists of types. */
  readonly description: string;
  /** Its fields; built when first asked for. */
  readonly schema: () => z.ZodObject;
  /** Loads what does its work; without it the engine carries the type out itself (`engine/work-of.ts`). */
  readonly executor?: () => Promise<Executor<Step, unknown>>;
  /** What other tools call it: suggested where a file uses such a name. */
  readonly alsoCalled?: readonly string[];

  /** Of a plugin: its fields as their author describes them, for editors. */
  readonly fields?: JsonSchema;
  /** Of a plugin: reads a step in which everything is right; nothing when the schema must be asked. */
  readonly quick?: (item: Readonly<Record<string, unknown>>) => Step | undefined;
  /** Of a plugin: another version of its code gives other outcomes. */
  readonly version?: number;
}

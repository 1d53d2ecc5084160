// Makes own step types. Files use them like any other.
import { failed, type Outcome, raised } from "../errors/index.ts";
import type { OwnStep, StepAttempt, StepSpec } from "../services/own-steps/own-step.ts";
import {
  type AnySchema,
  isStandardSchema,
  jsonSchemaOf,
  type KeptOr,
  readBy,
  type StandardSchema,
} from "./standard-schema.ts";
import { checkStepSpec } from "./wrong-call.ts";

/**
 * Defines a step type. Its fields are checked when a file is loaded (templates when they have been rendered), its
 * outcome meets the same routes as any other, and it is retried, reused and resumed like any other.
 *
 * `schema` is a JSON Schema, or one of zod, valibot, arktype or any other that follows the Standard Schema: `execute` is
 * given what it makes of the fields, with its type. What the schema of a library refuses only when it is asked (a
 * refinement, say, or anything when it does not say its JSON Schema) is the error `<type>.invalid`.
 *
 * @example
 * const shout = defineStep({
 *   type: "shout",
 *   description: "says it louder",
 *   schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
 *   execute: ({ text }) =>
 *     text === "" ? failed(raised("shout.silence", "there is nothing to say")) : succeeded(text.toUpperCase()),
 * });
 * // agents: [{ name: greet, type: shout, text: "hello {{ workflow.input.who }}" }]
 * await createSegno({ steps: [shout] }).run("greet.yaml", { inputs: { who: "you" } });
 */
export function defineStep<const Schema extends AnySchema>(spec: SchemaSpec<Schema>): OwnStep;
export function defineStep<Values extends object>(spec: StepSpec<Values>): OwnStep;
export function defineStep(given: SchemaSpec<StandardSchema> | StepSpec<object>): OwnStep {
  const spec = isStandardSchema(given?.schema)
    ? bySchema(given as SchemaSpec<StandardSchema>)
    : (given as StepSpec<object>);
  checkStepSpec(spec);
  const { type, description, schema, version = 1 } = spec;
  return {
    type,
    description,
    schema,
    version,
    execute(values, attempt) {
      // The schema has been checked by then, and says what the caller's type says.
      const work = (): unknown => spec.execute(values, attempt);
      const outcome = ({ outcomeOf, codeOf }: OutcomeModule) => outcomeOf(codeOf(type), attempt.node, work);
      if (outcomes) return outcome(outcomes);
      return import("./outcome-of.ts").then((loaded) => {
        outcomes = loaded;
        return outcome(loaded);
      });
    },
  };
}

/** A step type whose fields have the types that its schema says. */
export interface SchemaSpec<Schema extends AnySchema> extends Omit<StepSpec<object>, "schema" | "execute"> {
  readonly schema: Schema;
  execute(values: KeptOr<Schema, object>, attempt: StepAttempt): Promise<Outcome> | Outcome;
}

function bySchema(spec: SchemaSpec<StandardSchema>): StepSpec<object> {
  const { schema, execute, ...rest } = spec;
  return {
    ...rest,
    schema: jsonSchemaOf(schema),
    async execute(values, attempt) {
      const read = await readBy(schema, values);
      if ("value" in read) return execute(read.value as object, attempt);
      const issues = [...read.refused];
      return failed(raised(`${rest.type}.invalid`, issues.join("; "), { issues }));
    },
  };
}

/** Loaded with the first step that runs. From then on a step that waits for nothing costs no promise. */
let outcomes: OutcomeModule | undefined;
type OutcomeModule = typeof import("./outcome-of.ts");

// Makes own step types. Files use them like any other.
import type { OwnStep, StepSpec } from "../services/own-steps/own-step.ts";
import { checkStepSpec } from "./wrong-call.ts";

/**
 * Defines a step type. Its fields are checked when a file is loaded (templates when they have been rendered), its
 * outcome meets the same routes as any other, and it is retried, reused and resumed like any other.
 *
 * @example
 * const shout = defineStep<{ text: string }>({
 *   type: "shout",
 *   description: "says it louder",
 *   schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
 *   execute: ({ text }) =>
 *     text === "" ? failed(raised("shout.silence", "there is nothing to say")) : succeeded(text.toUpperCase()),
 * });
 * // agents: [{ name: greet, type: shout, text: "hello {{ workflow.input.who }}" }]
 * await run("greet.yaml", { steps: [shout], inputs: { who: "you" } });
 */
export function defineStep<Values extends object>(spec: StepSpec<Values>): OwnStep {
  checkStepSpec(spec);
  const { type, description, schema, version = 1 } = spec;
  return {
    type,
    description,
    schema,
    version,
    execute(values, attempt) {
      // The schema has been checked by then, and says what the caller's type says.
      const work = (): unknown => spec.execute(values as Values, attempt);
      if (outcomeOf) return outcomeOf(type, attempt.node, work);
      return import("./outcome-of.ts").then((loaded) => {
        outcomeOf = loaded.outcomeOf;
        return outcomeOf(type, attempt.node, work);
      });
    },
  };
}

/** Loaded with the first step that runs. From then on a step that waits for nothing costs no promise. */
let outcomeOf: typeof import("./outcome-of.ts").outcomeOf | undefined;

// Makes own step types. Files use them like any other.

import { calledWrong } from "../../base/errors/called-wrong.ts";
import { OwnCodeFault, ownCodeFault } from "../../base/errors/envelope.ts";
import { failed, type Outcome, type Raised, raised } from "../../base/errors/index.ts";
import type { Policy, PolicyContext, PolicyResult } from "../../engine/guard/resilience/policy.ts";
import type { GradedRow, GradeVerdict, OwnGrader } from "../../features/evals/graders/grade.ts";
import type { Hooks, Provider, ProviderCall, Turn } from "../../providers/provider.ts";
import type { OwnStep, StepAttempt, StepSpec } from "../../services/own-steps/own-step.ts";
import {
  type AnySchema,
  isStandardSchema,
  type JsonSchemaLike,
  jsonSchemaOf,
  type KeptOr,
  readBy,
  type StandardSchema,
} from "./standard-schema.ts";
import { shown } from "./wording.ts";
import { checkNamedSpec, checkStepSpec } from "./wrong-call.ts";

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
 * // steps: [{ name: greet, type: shout, text: "hello {{ workflow.input.who }}" }]
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

/** `true` allows, a text denies with that reason; or the whole verdict. */
export type PolicyVerdict = boolean | string | Omit<PolicyResult, "policyName">;

export interface PolicySpec {
  readonly name: string;
  readonly description?: string;
  evaluate(context: PolicyContext): PolicyVerdict | Promise<PolicyVerdict>;
}

/**
 * Defines a policy, for a `PolicyEngine` or as the default export of a module that a file names with
 * `policies: [{ module: ./policies/weekdays.mjs }]`. What it throws is a denial.
 *
 * @example
 * const shortSteps = definePolicy({
 *   name: "short_steps",
 *   evaluate: ({ step }) => (step?.timeout ?? 0) <= 600 || "a step may take ten minutes at most",
 * });
 * await new PolicyEngine([shortSteps]).check({ step: { name: "build", type: "script", timeout: 60 } });
 */
export function definePolicy(spec: PolicySpec): Policy {
  checkNamedSpec("definePolicy", spec, "the name that denials carry", { evaluate: "a function that gives a verdict" });
  const { name, description = "" } = spec;
  return {
    name,
    description,
    async evaluate(context) {
      const verdict = await spec.evaluate(context);
      if (typeof verdict === "string") return { allowed: false, policyName: name, reason: verdict };
      if (typeof verdict === "boolean") return { allowed: verdict, policyName: name };
      return { ...verdict, policyName: name };
    },
  };
}

/** `true` or `false`, a score from 0 to 1 (0.5 and more has passed), or the whole verdict. */
export type GraderVerdict = boolean | number | GradeVerdict;

export interface GraderSpec<Schema extends AnySchema = JsonSchemaLike> {
  /** What eval files say: `grader: <name>`. */
  readonly name: string;
  /** What the file may say under `with`. What it refuses keeps the row from being measured. */
  readonly schema?: Schema;
  /** `options`: what the file says under `with`, templates rendered. */
  grade(row: GradedRow, options: KeptOr<Schema, Fields>): GraderVerdict | Promise<GraderVerdict>;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Defines a grader of evals. What it throws keeps the row from being measured.
 *
 * @example
 * const short = defineGrader({
 *   name: "short",
 *   grade: ({ output }, { most = 100 }) => String(output).length <= Number(most),
 * });
 * await runEval("triage.eval.yaml", { graders: [short] });
 */
export function defineGrader<const Schema extends AnySchema = JsonSchemaLike>(spec: GraderSpec<Schema>): OwnGrader {
  checkNamedSpec("defineGrader", spec, "the name that files use", { grade: "a function that gives a verdict" });
  return {
    name: spec.name,
    async grade(row, options) {
      const read = spec.schema ? await readBy(spec.schema, options) : { value: options };
      if ("refused" in read) throw calledWrong(`\`with\` of the grader ${spec.name}: ${read.refused.join("; ")}`);
      const verdict: unknown = await spec.grade(row, read.value as never);
      if (typeof verdict === "boolean") return { passed: verdict };
      if (typeof verdict === "number") return { passed: verdict >= 0.5, score: verdict };
      if (typeof verdict === "object" && verdict !== null && "passed" in verdict && typeof verdict.passed === "boolean")
        return verdict as GradeVerdict;
      throw calledWrong(
        `\`grade\` of the grader ${spec.name} gave ${shown(verdict)}; it must give true or false, a score, or { passed }`,
      );
    },
  };
}

export interface ProviderSpec<Schema extends AnySchema = JsonSchemaLike> {
  /** What files say: `provider: <name>`. A name that Segno has stands in for that provider. */
  readonly name: string;
  /** Used when neither the step nor the file names a model. */
  readonly defaultModel?: string;
  /** What a file may say under `provider` beside the name: `settings` of a call. What it refuses is `provider.rejected`. */
  readonly schema?: Schema;
  /**
   * Makes one turn. Throw an error with `statusCode` for what an API refused: 408, 409, 429 and 5xx are tried again,
   * as is an error without one; others are `provider.rejected`.
   */
  call(
    request: Omit<ProviderCall, "settings"> & { readonly settings: KeptOr<Schema, ProviderCall["settings"]> },
    hooks: Hooks,
  ): Promise<ProviderTurn> | ProviderTurn;
}

/** A turn, of which only the text is needed. */
export type ProviderTurn = Pick<Turn, "text"> & Partial<Omit<Turn, "text">>;

const NOTHING: Omit<Turn, "text"> = {
  calls: [],
  goesOn: false,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  cutAtMaxTokens: false,
  wrapped: false,
};

/**
 * Defines a model provider for `run` and `resume`. Retries, tools, schemas and costs are taken care of around it.
 *
 * @example
 * const parrot = defineProvider({
 *   name: "parrot",
 *   call: ({ messages }) => {
 *     const last = messages.at(-1);
 *     return { text: last?.role === "user" ? last.text : "…" };
 *   },
 * });
 * await run("talk.yaml", { providers: [parrot] });
 */
export function defineProvider<const Schema extends AnySchema = JsonSchemaLike>(spec: ProviderSpec<Schema>): Provider {
  checkNamedSpec("defineProvider", spec, "the name that files use", { call: "a function that makes one turn" });
  const { name, defaultModel = "" } = spec;
  return {
    name,
    defaultModel,
    async call(request, hooks) {
      let given: unknown;
      try {
        const read = spec.schema ? await readBy(spec.schema, request.settings) : { value: request.settings };
        if ("refused" in read) throw new RefusedSettings(`\`provider\` of the file: ${read.refused.join("; ")}`);
        given = await spec.call({ ...request, settings: read.value as never }, hooks);
      } catch (problem) {
        if (request.signal.aborted) throw problem;
        const { classify } = await import("../../providers/classify.ts");
        throw classify(problem, Date.now());
      }
      if (!isTurn(given)) throw new OwnCodeFault(noTurn(name, given));
      return { ...NOTHING, ...given, tokens: { ...NOTHING.tokens, ...given.tokens } };
    },
  };
}

/** As an API would refuse it: trying again cannot help. */
class RefusedSettings extends Error {
  readonly statusCode = 400;
}

const isTurn = (given: unknown): given is ProviderTurn =>
  typeof given === "object" &&
  given !== null &&
  "text" in given &&
  typeof given.text === "string" &&
  (!("calls" in given) || given.calls === undefined || Array.isArray(given.calls));

/** No failure of a provider, which might be tried again: the code is wrong. */
function noTurn(name: string, given: unknown): Raised {
  const code = `\`call\` of the provider ${name}`;
  return ownCodeFault(code, `${code} gave ${shown(given)}; it must give a turn with its \`text\`: { text: "…" }.`);
}

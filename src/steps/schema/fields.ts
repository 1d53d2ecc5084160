// Fields that many step types share, each described once. Editors, `segno schema` and the reference show these texts.
import * as z from "zod";
import { seconds } from "./duration.ts";
import { once } from "./once.ts";
import { outputFields } from "./output-field.ts";
import { READINGS } from "./readings.ts";
import { route } from "./route.ts";

// `raise_when:` — an author's rule that turns a result into a typed error.

export const raiseWhen = once(() =>
  z
    .strictObject({
      when: z.string().meta({
        scalars: true,
        description: "The condition: a template, or an expression over this step's output fields.",
        examples: ["exit_code == 128"],
      }),
      kind: z
        .string()
        .meta({ description: "The kind to raise: a dotted lower-case name.", examples: ["external.git.fetch_failed"] }),
      message: z.string().meta({
        scalars: true,
        description: "What people read. A template; `output` is this step's output.",
        examples: ["{{ output.stderr | trim }}"],
      }),
      details: z
        .record(z.string(), z.unknown())
        .default({})
        .describe("Whatever a handler needs to know. Values are templates and keep their types."),
    })
    .meta({ id: "RaiseWhen", expects: "a mapping with `when`, `kind` and `message`" }),
);

export type RaiseWhen = z.output<ReturnType<typeof raiseWhen>>;

/** Text. Numbers and booleans are taken as they are written, so `args: [-n, 5]` needs no quotes. */
export const text = () => z.string().meta({ scalars: true });

export const listOf = <T extends z.ZodType>(item: T) => z.array(item).default([]);

/** A mapping with free keys whose values are templates or plain values. */
export const values = () => z.record(z.string(), z.unknown());

export const environment = () => z.record(z.string(), text());

export const named = {
  name: z
    .string()
    .min(1)
    .meta({
      description: "The step's name. Routes lead to it, and templates read `<name>.output` and `<name>.error`.",
      examples: ["build"],
    }),
  description: z.string().optional().describe("What the step is for, in a sentence for people."),
};

/** What every step that goes on somewhere afterwards can say. */
export const routed = {
  ...named,
  input: listOf(z.string()).meta({
    description:
      "What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional.",
    examples: [["planner.output", "workflow.input.topic?"]],
  }),
  routes: listOf(route).meta({
    description:
      "Where to go next. Read in order, the first match wins; none at all means `$end`. Routes with `on_error` are read when the step raised, the others when it succeeded.",
    examples: [
      [{ to: "publish", when: "exit_code == 0" }, { on_error: "external.git.*", to: "recover" }, { to: "$end" }],
    ],
  }),
  raises: z
    .array(z.string())
    .optional()
    .meta({
      description:
        "The kinds of error this step may raise. Declaring them lets validation find error routes that are misspelt or missing.",
      examples: [["external.git.drift", "external.git.gone"]],
    }),
  raise_when: listOf(z.lazy(raiseWhen)).describe(
    "Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises.",
  ),
  phase: z
    .string()
    .optional()
    .describe("The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it."),
};

export const cache = z
  .union([z.boolean(), z.strictObject({ ttl: seconds().optional().describe("How long a result may be reused.") })])
  .transform(READINGS.cache<{ ttl?: number }>)
  .default(false)
  .meta({
    description: "Reuse this step's result in other runs, as long as its definition and what it reads are the same.",
    expects: "true, false, or a mapping with `ttl`",
    examples: [true, { ttl: "1h" }],
  });

export const timeout = seconds()
  .optional()
  .describe("Seconds after which the step is ended and raises `internal.timeout`.");

export const output = outputFields
  .optional()
  .describe("The shape of the step's output. What does not fit raises `internal.schema_violation`.");

// Fields that many step types share, each described once: durations, shapes of outputs, routes. Editors, `segno schema` and
// the reference show these texts.
import * as z from "zod";
import { DURATION, described, FIELD_TYPES, JUDGEMENTS, once, READINGS } from "./readings.ts";

/** A span of time above zero. Reads `90`, `"90s"` and `"1.5m"` alike; the definition holds seconds. */
export const seconds = () =>
  z
    .union([z.number().positive(), z.string().regex(DURATION)])
    .transform(READINGS.seconds)
    .meta({ expects: "a number of seconds above 0, or a duration such as 30s, 2m or 1h", examples: [30, "2m"] });

export type FieldType = (typeof FIELD_TYPES)[number];

export interface OutputField {
  readonly type: FieldType;
  readonly description?: string;
  readonly items?: OutputField;
  readonly properties?: Readonly<Record<string, OutputField>>;
  readonly enum?: readonly (string | number | boolean)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required: boolean;
  readonly nullable: boolean;
}

type OutputFieldInput = Omit<Partial<OutputField>, "items" | "properties"> & {
  readonly items?: OutputFieldInput;
  readonly properties?: Readonly<Record<string, OutputFieldInput>>;
};

const self: z.ZodType<OutputField, OutputFieldInput> = z.lazy(() => outputField());

export const outputField = once(() =>
  z
    .strictObject({
      type: described(z.enum(FIELD_TYPES), "The field's type."),
      description: described(z.string().optional(), "What the field holds. Passed to the agent."),
      items: described(self.optional(), "For arrays: the shape of each item."),
      properties: described(z.record(z.string(), self).optional(), "For objects: the shape of their fields."),
      enum: described(
        z
          .array(z.union([z.string(), z.number(), z.boolean()]).meta({ expects: "text, a number or a boolean" }))
          .min(1)
          .optional(),
        "The only values that are allowed.",
        { examples: [["low", "high"]] },
      ),
      pattern: described(z.string().optional(), "For strings: a regular expression that must be found in it.", {
        examples: ["^[A-Z]+-[0-9]+$"],
      }),
      minimum: described(z.number().optional(), "For numbers: the smallest value."),
      maximum: described(z.number().optional(), "For numbers: the largest value."),
      minLength: described(z.int().min(0).optional(), "For strings: the least length."),
      maxLength: described(z.int().min(0).optional(), "For strings: the greatest length."),
      required: described(z.boolean().default(true), "Whether the field must be there."),
      nullable: described(z.boolean().default(false), "Whether null is allowed."),
    })
    .meta({
      id: "OutputField",
      expects: "a mapping with `type`",
      examples: [{ type: "string", description: "One sentence" }],
    }),
);

export const outputFields = z.record(z.string(), self).meta({ expects: "a mapping from field names to `{type: …}`" });

// What retries have in common, at a route, under `resilience` and on an agent.

export const BACKOFFS = ["exponential", "linear", "fixed", "none"] as const;
export const BACKOFF_MEANS =
  "How waits grow: d, 2d, 4d … (exponential), d, 2d, 3d … (linear), or d each time (fixed; `none` is a synonym).";

export const jitter = () =>
  z.union([z.number().min(0).max(1), z.literal("full")]).meta({ expects: "a fraction from 0 to 1, or `full`" });
export const JITTER_MEANS =
  "A fraction by which waits are lengthened at random, never beyond `max_seconds`, so that many runs do not come back at once; `full`: anything between 0 and the wait.";

const retryAction = described(
  z
    .union([
      z.int().min(1),
      z
        .strictObject({
          max: described(
            z.int().min(1).optional(),
            "How often to try again on this visit. With `until`: as often as needed when left out.",
            { examples: [3] },
          ),
          until: described(
            z.literal("reset").optional(),
            "`reset`: wait until the limit that refused the call is reset, and not for a growing time. Where no reset is known, the next route is read.",
            { expects: "`reset`" },
          ),
          max_wait: described(
            seconds().optional(),
            "With `until`: where the reset is later than this, the next route is read.",
            { default: "8h", examples: ["8h"] },
          ),
          backoff: described(z.enum(BACKOFFS).default("exponential"), BACKOFF_MEANS),
          initial_seconds: described(z.number().min(0).default(1), "The first wait, in seconds."),
          max_seconds: described(z.number().min(0).default(60), "The longest wait, in seconds, jitter included."),
          jitter: described(jitter().default(0), JITTER_MEANS),
        })
        .refine(JUDGEMENTS["a number of retries"], {
          message: "`retry` needs `max`, how often to try again, or `until: reset`, to wait for a limit of a provider.",
        })
        .meta({ judged: "a number of retries" }),
    ])
    .transform(READINGS.retry),
  "Run this step again. `retry: 3` is short for `{max: 3}`. With `to`: go to that step instead, at most `max` times.",
  {
    expects: "a number of retries from 1, or a mapping with `max` or `until: reset`",
    examples: [3, { max: 5, backoff: "exponential", initial_seconds: 2 }, { until: "reset", max_wait: "8h" }],
  },
);

const halt = described(
  z
    .union([
      z.string(),
      z.strictObject({
        message: described(z.string(), "Why the run ends. A template; `error` and `output` are in scope.", {
          scalars: true,
        }),
        resumable: described(
          z.boolean().optional(),
          "On an error route: whether a resume runs the step that raised again. The run then ends with exit code 3.",
          { default: false },
        ),
      }),
    ])
    .transform(READINGS.halt),
  "End the whole run here, at any depth, with `halt.intentional`. Without `resumable` it ends for good.",
  {
    expects: "a mapping with `message`",
    examples: [
      { message: "stopped: {{ error.message }}" },
      { message: "look at the server: {{ error.message }}", resumable: true },
    ],
  },
);

export const route = z
  .strictObject({
    on_error: described(
      z.union([z.boolean(), z.string(), z.array(z.string())]).optional(),
      "Makes this an error route: a kind, `prefix.*`, a list of these, or `true` for every error.",
      {
        expects: "a kind, a prefix such as `external.git.*`, a list of these, or true",
        examples: ["external.git.drift", ["http.unavailable", "http.network"], true],
      },
    ),
    when: described(
      z.string().optional(),
      "The condition: a template, or an expression. Without it the route always matches.",
      { scalars: true, examples: ["score > 5 and valid", "{{ output.approved }}"] },
    ),
    to: described(z.string().optional(), "The step or group to go to, or `$end`.", { examples: ["publish", "$end"] }),
    retry: retryAction.optional(),
    halt: halt.optional(),
    propagate: described(
      z.boolean().optional(),
      "Raise the error to the step of the parent workflow that called this file.",
    ),
    output: described(
      z.record(z.string(), z.unknown()).optional(),
      "On a route to `$end`: laid over the workflow's output. Values are templates.",
    ),
  })
  .meta({ id: "Route", expects: "a mapping such as `{to: publish}`" });

export type Route = z.output<typeof route>;
export type RetryAction = z.output<typeof retryAction>;

// `raise_when:` — an author's rule that turns a result into a typed error.

export const raiseWhen = once(() =>
  z
    .strictObject({
      when: described(z.string(), "The condition: a template, or an expression over this step's output fields.", {
        scalars: true,
        examples: ["exit_code == 128"],
      }),
      kind: described(z.string(), "The kind to raise: a dotted lower-case name.", {
        examples: ["external.git.fetch_failed"],
      }),
      message: described(z.string(), "What people read. A template; `output` is this step's output.", {
        scalars: true,
        examples: ["{{ output.stderr | trim }}"],
      }),
      details: described(
        z.record(z.string(), z.unknown()).default({}),
        "Whatever a handler needs to know. Values are templates and keep their types.",
      ),
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
  name: described(
    z.string().min(1),
    "The step's name. Routes lead to it, and templates read `<name>.output` and `<name>.error`.",
    { examples: ["build"] },
  ),
  description: described(z.string().optional(), "What the step is for, in a sentence for people."),
};

/** What every step that goes on somewhere afterwards can say. */
export const routed = {
  ...named,
  input: described(
    listOf(z.string()),
    "What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional.",
    { examples: [["planner.output", "workflow.input.topic?"]] },
  ),
  routes: described(
    listOf(route),
    "Where to go next. Read in order, the first match wins; none at all means `$end`. Routes with `on_error` are read when the step raised, the others when it succeeded.",
    {
      examples: [[{ to: "publish", when: "approved" }, { on_error: "external.git.*", to: "recover" }, { to: "$end" }]],
    },
  ),
  raises: described(
    z.array(z.string()).optional(),
    "The kinds of error this step may raise. Declaring them lets validation find error routes that are misspelt or missing.",
    { examples: [["external.git.drift", "external.git.gone"]] },
  ),
  raise_when: described(
    listOf(z.lazy(raiseWhen)),
    "Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises.",
  ),
  phase: described(
    z.string().optional(),
    "The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it.",
  ),
  produces: described(
    z.array(z.string().min(1)).optional(),
    "Files that the step writes, as patterns relative to this file, like `files` of a script. When it has run again, a resume also runs the steps again whose `files` may be among them.",
    { examples: [["out/**/*.json"]] },
  ),
};

export const cache = described(
  z
    .union([z.boolean(), z.strictObject({ ttl: described(seconds().optional(), "How long a result may be reused.") })])
    .transform(READINGS.cache<{ ttl?: number }>)
    .default(false),
  "Reuse this step's result in other runs, as long as its definition and what it reads are the same.",
  { expects: "true, false, or a mapping with `ttl`", examples: [true, { ttl: "1h" }] },
);

export const timeout = described(
  seconds().optional(),
  "Seconds after which the step is ended and raises `internal.timeout`.",
);

/** The shape of an output, and what a misfit is. */
export const checkedOutput = {
  output: described(
    outputFields.optional(),
    "The shape of the step's output. What does not fit raises `internal.schema_violation`: in files with `steps:` always, in files with `agents:` where the step opts in to errors.",
  ),
  schema_violation: described(
    z.literal("data").optional(),
    "`data`: what does not fit `output:` is no typed error: it ends the run, and no route sees it. An error envelope in the text of an agent then stays text. So it is in files with `agents:` that do not opt in to errors.",
    { expects: "`data`", examples: ["data"] },
  ),
};

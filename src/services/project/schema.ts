// What `segno.yaml` may say.
import * as z from "zod";
import { callLimits } from "../../language/schema/runtime.ts";
import { seconds } from "../../steps/schema/duration.ts";
import { listOf } from "../../steps/schema/fields.ts";
import { triggerSchema } from "../../triggers/schema.ts";

const path = z.string().min(1);

const person = z
  .strictObject({
    token: z
      .string()
      // Empty where the environment has none: then they have no session.
      .regex(/^(|[\s\S]{16,})$/)
      .optional()
      .meta({
        description: "The token that the page knows them by; from the environment.",
        expects: "16 characters or more, so that it cannot be guessed",
        isSecret: true,
      }),
    token_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .meta({ description: "Its SHA-256 instead, in hex.", expects: "64 hex digits", isSecret: true }),
    user: z
      .string()
      .regex(/^[^@\s]+@[^@\s]+$/)
      .optional()
      .meta({ description: "Their user name on a machine.", expects: "a user and a host, such as alex@box" }),
  })
  .meta({ expects: "a mapping with `token`, `token_sha256` or `user`", isSecret: true });

/** A cell that is to end: what it has goes on there, and it gets nothing new. */
const drainable = z.strictObject({ address: z.string(), draining: z.boolean().default(false) });

export const projectSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.-]+$/)
    .optional()
    .meta({
      description: "What the project is called wherever it is: its triggers are known by that on a fleet.",
      expects: "a name of letters, digits, `_`, `.` and `-`",
    }),
  home: path.optional().describe("Where this project's runs are kept, relative to this file."),
  on: z
    .union([z.string(), z.record(z.string().regex(/^[a-z][a-z0-9_-]*$/i), z.union([z.string(), drainable]))])
    .optional()
    .meta({
      description:
        "The fleet that runs go to: the address of its Postgres, or several by name, each a cell of its own.",
      expects: "the address of a Postgres, or a mapping of names to addresses",
      examples: [{ eu: "postgres://segno@db-eu/segno", us: "postgres://segno@db-us/segno" }],
    }),
  page: z
    .string()
    // Empty where the environment has none.
    .regex(/^(|https?:\/\/[^\s#]+)$/)
    .optional()
    .meta({
      description: "The address of the page, for links in what `notify` tells people.",
      expects: "an address that begins with http:// or https://",
    }),
  workflows: listOf(path).describe("The workflow files that are offered: paths, with * and **."),
  plugins: listOf(path).describe("Modules with own step types, providers and policies."),
  defaults: z
    .strictObject({
      provider: z.string().optional(),
      model: z.string().optional(),
      durability: z.enum(["process", "power"]).optional(),
    })
    .prefault({})
    .describe("What counts where neither the step nor the file says anything."),
  limits: callLimits().describe("Limits on calls to models, shared by all runs of the store or the fleet."),
  triggers: z
    .union([path, z.array(triggerSchema)])
    .optional()
    .meta({
      description: "What starts runs by itself.",
      expects: "a list of triggers, or the path of a file with them",
    }),
  telemetry: z
    .strictObject({
      otlp: z.string().optional().describe("Where spans and metrics are sent: OTLP over HTTP."),
    })
    .prefault({}),
  retention: z
    .strictObject({
      older_than: seconds().optional().describe("How long after their end runs stay."),
      keep: z
        .int()
        .min(0)
        .optional()
        .describe("How many of the newest of each workflow stay in any case. Alone: all others go."),
      resumable: seconds()
        .optional()
        .describe(
          "The same age for runs that can be resumed, wait for an answer or have open letters; they stay when left out.",
        ),
    })
    .optional()
    .meta({
      description: "Which old runs of this project servers and workers remove; none when left out.",
      examples: [{ older_than: "30d", keep: 500, resumable: "90d" }],
    }),
  people: z
    .record(z.string().regex(/^[\w.-]+$/), person)
    .default({})
    .describe("Who answers gates, by name."),
  groups: z
    .record(z.string().regex(/^[\w.-]+$/), z.array(z.string()))
    .default({})
    .describe("Groups of people, which `approvers` names as @group."),
});

/** A file of its own for triggers. */
export const triggersFileSchema = z.strictObject({ triggers: z.array(triggerSchema) });

export type ProjectSettings = z.output<typeof projectSchema>;

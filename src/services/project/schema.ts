// What `segno.yaml` may say, and whether its `people` and `groups` agree: an answer must come from exactly one person.

import { createHash } from "node:crypto";
import * as z from "zod";
import { triggerSchema } from "../../features/triggers/schema.ts";
import type { Finding, Location } from "../../language/loaded.ts";
import { callLimits } from "../../language/schema/runtime.ts";
import { listOf, seconds } from "../../steps/schema/fields.ts";

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
    .strictObject({ otlp: z.string().optional().describe("Where spans and metrics are sent: OTLP over HTTP.") })
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

type At = (path: readonly (string | number)[]) => Location;

export function* checkPeople(settings: Pick<ProjectSettings, "people" | "groups">, at: At): Iterable<Finding> {
  // Tokens by digest: one may be written as it is, and the other as its SHA-256. One that the environment leaves empty is none.
  const tokenOf = ({ token, token_sha256 }: Person): string | undefined =>
    token ? createHash("sha256").update(token).digest("hex") : token_sha256;
  for (const [name, other] of alike(settings.people, tokenOf))
    yield projectFinding(
      "duplicate-token",
      `\`${name}\` has the same token as \`${other}\`, so Segno could not know which of them answers a gate. Give each their own (\`openssl rand -hex 24\` makes one).`,
      at(["people", name, settings.people[name]?.token ? "token" : "token_sha256"]),
    );
  for (const [name, other, user] of alike(settings.people, ({ user }) => user))
    yield projectFinding(
      "duplicate-user",
      `\`${name}\` has the same user as \`${other}\` (\`${user}\`), so Segno could not know which of them answers a gate. A user is one person: keep one of the two.`,
      at(["people", name, "user"]),
    );
  yield* strangers(settings, at);
}

type Person = ProjectSettings["people"][string];

/** Each person who has the mark of one before, with the name of that one. */
function* alike(people: ProjectSettings["people"], markOf: (person: Person) => string | undefined) {
  const known = new Map<string, string>();
  for (const [name, person] of Object.entries(people)) {
    const mark = markOf(person);
    if (mark === undefined) continue;
    const other = known.get(mark);
    if (other === undefined) known.set(mark, name);
    else yield [name, other, mark] as const;
  }
}

const USER_AND_HOST = /^[^@\s]+@[^@\s]+$/;

/** Groups hold people, so that a name that is misspelt, or a circle of groups, does not lock a gate for good. */
function* strangers({ people, groups }: Pick<ProjectSettings, "people" | "groups">, at: At): Iterable<Finding> {
  for (const [group, members] of Object.entries(groups))
    for (const [index, member] of members.entries()) {
      if (Object.hasOwn(people, member) || USER_AND_HOST.test(member)) continue;
      const place = at(["groups", group, index]);
      if (member.startsWith("@"))
        yield projectFinding(
          "group-in-group",
          `\`${member}\` is a group, and a group holds people only: with \`@${group}\` under \`approvers\`, a gate would wait for no one. Write the people of \`${member}\` here, or name both groups there.`,
          place,
        );
      else
        yield projectFinding(
          "unknown-name",
          `There is no person \`${member}\` under \`people\`. Add them there, or write their user and host (\`${member}@host\`).`,
          place,
        );
    }
}

export const projectFinding = (rule: string, message: string, location: Location): Finding => ({
  rule,
  severity: "error",
  message,
  location,
  suggestions: [],
});

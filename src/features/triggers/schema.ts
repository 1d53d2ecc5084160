// What a trigger may say: when a workflow is started, with what, and what happens when it would be started too often.
import * as z from "zod";
import { cronProblem, isTimezone } from "./cron.ts";

const kinds = z.union([z.string(), z.array(z.string())]);

const webhook = z.strictObject({
  path: z
    .string()
    .regex(/^\/hooks\/[\w./-]+$/)
    .meta({ expects: "a path below /hooks/, such as /hooks/review" }),
  secret: z.string().meta({ expects: "text", isSecret: true }),
  verify: z.enum(["github", "standard-webhooks", "token"]),
});

const ENDS = ["completed", "degraded", "terminated", "failed", "cancelled"] as const;
const end = z.enum(ENDS);

const onRun = z.strictObject({
  workflow: z.string().min(1),
  status: z
    .union([end, z.array(end)])
    .optional()
    .transform((said): readonly string[] | undefined => (typeof said === "string" ? [said] : said))
    .meta({ expects: `one of ${ENDS.join(", ")}, or a list of these` }),
  kind: kinds.optional().transform((said) => (typeof said === "string" ? [said] : said)),
});

/** Each fires for one reason only. */
const SOURCES = ["schedule", "webhook", "on_run"] as const;

export const triggerSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]*$/)
      .meta({ expects: "a word of letters, digits, `_`, `-` and `.`" }),
    workflow: z.string().min(1),
    schedule: z
      .string()
      .superRefine((text, context) => {
        const problem = cronProblem(text);
        if (problem) context.addIssue({ code: "custom", message: problem });
      })
      .optional(),
    timezone: z
      .string()
      .superRefine((text, context) => {
        const message = `${JSON.stringify(text)} is no time zone. Give it by its name, such as Europe/Berlin or UTC.`;
        if (!isTimezone(text)) context.addIssue({ code: "custom", message });
      })
      .default("UTC"),
    webhook: webhook.optional(),
    on_run: onRun.optional(),
    when: z.string().optional(),
    inputs: z.record(z.string(), z.unknown()).default({}),
    dedupe: z.string().optional(),
    overlap: z.enum(["skip", "queue", "cancel_running"]).optional(),
    catch_up: z.enum(["none", "last", "all"]).default("last"),
    priority: z.enum(["high", "normal", "low"]).optional(),
    cell: z.string().optional(),
    concurrency: z.strictObject({ key: z.string(), limit: z.int().min(1).default(1) }).optional(),
  })
  .superRefine((trigger, context) => {
    const given = SOURCES.filter((one) => trigger[one] !== undefined);
    if (given.length !== 1)
      context.addIssue({
        code: "custom",
        message: `a trigger has exactly one of ${SOURCES.map((one) => `\`${one}\``).join(", ")}${given.length === 0 ? "" : `, and this one has ${given.map((one) => `\`${one}\``).join(" and ")}`}.`,
      });
    if (trigger.dedupe !== undefined && trigger.schedule !== undefined)
      context.addIssue({
        code: "custom",
        path: ["dedupe"],
        message:
          "a schedule has no `dedupe`: each of its moments is one firing already, and two that give the same text would be one. Take it out, or leave moments out with `when`.",
      });
    if (trigger.overlap === "cancel_running" && trigger.schedule === undefined)
      context.addIssue({
        code: "custom",
        path: ["overlap"],
        message: "only a schedule can have `overlap: cancel_running`. Here it may be skip or queue.",
      });
  })
  .meta({ expects: "a mapping with `name`, `workflow` and one of `schedule`, `webhook`, `on_run`" });

export type Trigger = z.output<typeof triggerSchema>;
export type TriggerSource = (typeof SOURCES)[number];

/** What sets it off. */
export const sourceOf = (trigger: Trigger): TriggerSource =>
  SOURCES.find((one) => trigger[one] !== undefined) ?? "schedule";

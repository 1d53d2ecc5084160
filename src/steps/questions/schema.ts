// `type: questions` — asks a person a list of questions.
import * as z from "zod";
import { routed, text } from "../schema/fields.ts";
import { once } from "../schema/readings.ts";
import { waiting } from "../schema/waiting.ts";

const question = once(() =>
  z
    .strictObject({
      id: z.string().optional().meta({ scalars: true, description: "The key of the answer; q1, q2 … when left out." }),
      text: z.string().meta({ scalars: true, description: "The question. A template.", examples: ["Which database?"] }),
      hint: z.string().optional().describe("Help for the person who answers."),
      choices: z
        .array(text())
        .optional()
        .meta({ description: "Answers to choose from.", examples: [["Postgres", "SQLite"]] }),
      allow_free_text: z.boolean().default(true).describe("Whether another answer may be typed."),
      default: z.string().optional().meta({ scalars: true, description: "The answer when none is given." }),
      required: z.boolean().default(false).describe("Whether it must be answered."),
      multiline: z.boolean().default(true).describe("Whether the answer may have several lines."),
    })
    .refine((value) => value.allow_free_text || (value.choices?.length ?? 0) > 0, {
      message:
        "this question can have no answer: it allows no free text and has no `choices`. Add `choices`, or leave out `allow_free_text: false`.",
    })
    .meta({ expects: "a mapping with `text`" }),
);

export const questionsStep = once(() =>
  z
    .strictObject({
      type: z.literal("questions").describe("Asks a person a list of questions, one at a time."),
      ...routed,
      prompt: z.string().optional().describe("What to say before the first question, in Markdown. A template."),
      questions: z
        .array(question())
        .min(1)
        .optional()
        .meta({
          description: "The questions.",
          examples: [[{ text: "Which database?", choices: ["Postgres", "SQLite"] }]],
        }),
      source: z
        .string()
        .optional()
        .meta({
          description: "Where the list of questions comes from, instead of `questions`.",
          examples: ["architect.output.open_questions"],
        }),
      allow_back: z.boolean().default(true).describe("Whether one may go back."),
      allow_skip: z.boolean().default(true).describe("Whether a question may be skipped."),
      allow_skip_all: z.boolean().default(true).describe("Whether the rest may be skipped."),
      allow_abort: z.boolean().default(false).describe("Whether the whole list may be called off."),
      ...waiting(),
      abort_route: z.string().optional().describe("Where to go then; `$end` when left out. Needs `allow_abort: true`."),
    })
    .superRefine((step, context) => {
      if (step.questions === undefined && step.source === undefined)
        context.addIssue({
          code: "custom",
          path: [],
          params: { rule: "missing-key", key: "questions" },
          message: "a questions step needs `questions`, or a `source` that gives them.",
        });
      if (step.questions !== undefined && step.source !== undefined)
        context.addIssue({
          code: "custom",
          path: ["source"],
          params: { at: "key" },
          message: "a questions step takes `questions` or `source`, not both.",
        });
      if (step.abort_route !== undefined && !step.allow_abort)
        context.addIssue({
          code: "custom",
          path: ["abort_route"],
          params: { at: "key" },
          message: "`abort_route` is never taken: the step does not allow to abort. Add `allow_abort: true`.",
        });
    })
    .meta({ id: "QuestionsStep" }),
);

export type QuestionsStep = z.output<ReturnType<typeof questionsStep>>;

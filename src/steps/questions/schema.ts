// `type: questions` — asks a person a list of questions.
import * as z from "zod";
import { routed, text } from "../schema/fields.ts";
import { atKey, described, missingKey, once } from "../schema/readings.ts";
import { waiting } from "../schema/waiting.ts";

const question = once(() =>
  z
    .strictObject({
      id: described(z.string().optional(), "The key of the answer; q1, q2 … when left out.", { scalars: true }),
      text: described(z.string(), "The question. A template.", { scalars: true, examples: ["Which database?"] }),
      hint: described(z.string().optional(), "Help for the person who answers."),
      choices: described(z.array(text()).optional(), "Answers to choose from.", { examples: [["Postgres", "SQLite"]] }),
      allow_free_text: described(z.boolean().default(true), "Whether another answer may be typed."),
      default: described(z.string().optional(), "The answer when none is given.", { scalars: true }),
      required: described(z.boolean().default(false), "Whether it must be answered."),
      multiline: described(z.boolean().default(true), "Whether the answer may have several lines."),
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
      type: described(z.literal("questions"), "Asks a person a list of questions, one at a time."),
      ...routed,
      prompt: described(z.string().optional(), "What to say before the first question, in Markdown. A template."),
      questions: described(z.array(question()).min(1).optional(), "The questions.", {
        examples: [[{ text: "Which database?", choices: ["Postgres", "SQLite"] }]],
      }),
      source: described(z.string().optional(), "Where the list of questions comes from, instead of `questions`.", {
        examples: ["architect.output.open_questions"],
      }),
      allow_back: described(z.boolean().default(true), "Whether one may go back."),
      allow_skip: described(z.boolean().default(true), "Whether a question may be skipped."),
      allow_skip_all: described(z.boolean().default(true), "Whether the rest may be skipped."),
      allow_abort: described(z.boolean().default(false), "Whether the whole list may be called off."),
      ...waiting(),
      abort_route: described(
        z.string().optional(),
        "Where to go then; `$end` when left out. Needs `allow_abort: true`.",
      ),
    })
    .superRefine((step, context) => {
      if (step.questions === undefined && step.source === undefined)
        context.addIssue(missingKey("questions", "a questions step needs `questions`, or a `source` that gives them."));
      if (step.questions !== undefined && step.source !== undefined)
        context.addIssue(atKey("source", "a questions step takes `questions` or `source`, not both."));
      if (step.abort_route !== undefined && !step.allow_abort)
        context.addIssue(
          atKey(
            "abort_route",
            "`abort_route` is never taken: the step does not allow to abort. Add `allow_abort: true`.",
          ),
        );
    })
    .meta({ id: "QuestionsStep" }),
);

export type QuestionsStep = z.output<ReturnType<typeof questionsStep>>;

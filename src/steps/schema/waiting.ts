// What a step that waits for a person can say of the waiting: how long, who may answer, who is notified.
import * as z from "zod";
import { environment, listOf, seconds, text } from "./fields.ts";
import { once } from "./readings.ts";

const notify = once(() =>
  z
    .strictObject({
      command: z
        .string()
        .optional()
        .meta({
          description: "A command that gets the question as JSON on its stdin.",
          examples: ["./scripts/tell-the-team.sh"],
        }),
      args: listOf(text()).describe("Its arguments."),
      webhook: z
        .string()
        .optional()
        .meta({
          description: "An address that the question is posted to, as JSON.",
          examples: ["https://chat.example/hook"],
        }),
      headers: environment().default({}).describe("Headers to send with it."),
    })
    .refine(({ command, webhook }) => (command === undefined) !== (webhook === undefined), {
      message: "`notify` names a `command` or a `webhook`, one of the two.",
    })
    .meta({ expects: "a mapping with `command` or `webhook`" }),
);

export const waiting = () => ({
  timeout: seconds().optional().describe("How long to wait for an answer; then `gate.timeout` is raised."),
  remind: seconds().optional().describe("Remind people each time this long has passed without an answer."),
  approvers: z
    .array(z.string())
    .min(1)
    .optional()
    .meta({
      description:
        "Who may answer: names of `people` of the project, `@groups`, or a user and host. Anybody when left out.",
      examples: [["alex", "@release"]],
    }),
  four_eyes: z.boolean().optional().describe("The person who started the run may not answer."),
  notify: z.lazy(notify).optional().describe("How to notify people that an answer is waited for."),
});

export type Notify = z.output<ReturnType<typeof notify>>;

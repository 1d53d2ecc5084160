// What a step that waits for a person can say of the waiting: how long, who may answer, who is notified.
import * as z from "zod";
import { environment, listOf, seconds, text } from "./fields.ts";
import { described, once } from "./readings.ts";

const notify = once(() =>
  z
    .strictObject({
      command: described(z.string().optional(), "A command that gets the question as JSON on its stdin.", {
        examples: ["./scripts/tell-the-team.sh"],
      }),
      args: described(listOf(text()), "Its arguments."),
      webhook: described(z.string().optional(), "An address that the question is posted to, as JSON.", {
        examples: ["https://chat.example/hook"],
      }),
      headers: described(environment().default({}), "Headers to send with it."),
    })
    .refine(({ command, webhook }) => (command === undefined) !== (webhook === undefined), {
      message: "`notify` names a `command` or a `webhook`, one of the two.",
    })
    .meta({ expects: "a mapping with `command` or `webhook`" }),
);

export const waiting = () => ({
  timeout: described(seconds().optional(), "How long to wait for an answer; then `gate.timeout` is raised."),
  remind: described(seconds().optional(), "Remind people each time this long has passed without an answer."),
  approvers: described(
    z.array(z.string()).min(1).optional(),
    "Who may answer: names of `people` of the project, `@groups`, or a user and host. Anybody when left out.",
    { examples: [["alex", "@release"]] },
  ),
  four_eyes: described(z.boolean().optional(), "The person who started the run may not answer."),
  notify: described(z.lazy(notify).optional(), "How to notify people that an answer is waited for."),
});

export type Notify = z.output<ReturnType<typeof notify>>;

// One step: its visits, and all that is known of one of them, attempt by attempt. The error lens is in the attempts.
import { z } from "zod";
import { gateOptionJson, questionJson } from "./gates.ts";
import { anyJson, envelopeJson, mapJson, placeJson, shape, text, time, tokensJson, whole, yesOrNo } from "./values.ts";

export const stepQuery = z.object({
  visit: z.coerce.number().int().min(1).optional().describe("which visit of the node; the latest when left out"),
  item: text.optional().describe("which item of its for_each"),
  key: text.optional().describe("the key of the visit, in place of the others"),
  at: z.coerce.number().int().min(0).optional().describe("as it was at this event"),
});

export const routeVerdictJson = z.enum([
  "matched",
  "other kind",
  "when is false",
  "when raised",
  "spent",
  "no reset known",
  "reset too late",
  "leads to itself",
  "left to the group",
  "for its members",
]);

/** One route that was read for an error. */
export const routeReadJson = z.object({
  table: z.enum(["step", "workflow"]),
  index: whole,
  line: whole.nullable(),
  text: text.describe("the route as YAML in one line"),
  verdict: routeVerdictJson,
  taken: yesOrNo,
  why: text.describe("the verdict in words: `it is for io.*`"),
  saw: mapJson.optional().describe("values that its `when` saw, by name"),
});
export type RouteReadJson = z.infer<typeof routeReadJson>;

/** What happened to an error: where it was raised, which routes were read, which one took it. */
export const errorLensJson = z.object({
  seq: whole,
  at: time,
  error: envelopeJson,
  trail: z
    .array(z.object({ workflow: text, node: text, path: z.array(text), item: text.nullable(), line: whole.nullable() }))
    .describe("from where it was raised up to the root; each is a link to a step"),
  routes: z.array(routeReadJson),
  unreadable: text.optional().describe("why reading stopped: a condition could not be evaluated"),
  action: z
    .enum(["to", "retry", "halt", "propagate", "escalate", "dead_letter", "unhandled", "open"])
    .describe("`unhandled`: no route took it; `open`: no routes were read yet"),
  to: text.nullable(),
  by: z.enum(["step", "workflow", "resilience"]).nullable().describe("whose table took it"),
  recovered_by: text.nullable(),
  is_recovered: yesOrNo.describe("a route took it, and the step that it led to got to its end, or may yet"),
  letter: text.nullable().describe("the dead letter that was kept"),
  went_on: text.nullable().describe("the group that went on without the member that failed"),
});
export type ErrorLensJson = z.infer<typeof errorLensJson>;

/** What was said to and by a model, in order. */
export const saidJson = z.discriminatedUnion("what", [
  z.object({ what: z.literal("prompt"), seq: whole, at: time, text: text, context: z.array(text) }),
  z.object({ what: z.literal("message"), seq: whole, at: time, text: text }),
  z.object({ what: z.literal("reasoning"), seq: whole, at: time, text: text }),
  z.object({
    what: z.literal("tool"),
    seq: whole,
    at: time,
    tool: text,
    arguments: anyJson,
    result: anyJson.optional(),
    failed: yesOrNo.optional(),
    ended_at: time.nullable(),
  }),
  z.object({ what: z.literal("note"), seq: whole, at: time, type: text, data: mapJson }),
]);
export type SaidJson = z.infer<typeof saidJson>;

/** What a process printed. The whole of it: `/api/runs/ID/events?type=script_output&step=KEY`. */
export const printedJson = z.object({
  text: text.describe("the end of it"),
  bytes: whole.describe("of all of it"),
  is_cut: yesOrNo.describe("`text` is not all"),
  first_seq: whole.nullable(),
  last_seq: whole.nullable(),
});

export const retryWaitJson = z.object({
  until: time,
  attempt: whole,
  nth: whole,
  max: whole.nullable(),
  until_reset: yesOrNo.describe("it waits for a provider's limit to be reset"),
  delay_seconds: z.number(),
  by: z.enum(["route", "resilience"]),
  via: text.nullable(),
});

const changesJson = z.object({
  files: z
    .array(
      z.object({
        path: text,
        change: z.enum(["added", "modified", "deleted"]),
        added: whole.nullable().describe("null: lines were not counted"),
        removed: whole.nullable(),
      }),
    )
    .describe("fifty at most"),
  more_files: whole.optional().describe("how many beyond those"),
  added: whole,
  removed: whole,
  incomplete: yesOrNo.optional().describe("there were more files in the folder than are looked at"),
});
export type ChangesJson = z.infer<typeof changesJson>;

export const attemptJson = z.object({
  attempt: whole,
  drive: whole,
  seq: whole.nullable().describe("of the event that began it"),
  end_seq: whole.nullable(),
  status: z
    .enum(["running", "completed", "failed", "cancelled", "cut_off", "paused"])
    .describe("`paused`: its drive ended while it asked, and a later one asks again"),
  began_at: time.nullable(),
  ended_at: time.nullable(),
  took_ms: whole.nullable(),
  said: z.array(saidJson),
  stdout: printedJson,
  stderr: printedJson,
  command: text.nullable().describe("of a script: what was executed"),
  exit_code: z.number().int().nullable(),
  output: anyJson.optional().describe("absent: it gave none"),
  changes: changesJson.nullable().describe("of an agent that works in a folder: what it changed there"),
  tokens: tokensJson.nullable(),
  cost_usd: z.number().nullable(),
  models: z.array(text),
  lens: errorLensJson.nullable(),
  retry: retryWaitJson.nullable().describe("the wait that followed it"),
  verdicts: z.array(mapJson).describe("of policies that were asked before it"),
});
export type AttemptJson = z.infer<typeof attemptJson>;

export const visitJson = z.object({
  key: text,
  visit: whole,
  item_key: text.nullable(),
  status: z.enum(["running", "completed", "failed", "recovered", "cancelled", "cut_off", "paused", "reused"]),
  attempts: whole,
  began_at: time.nullable(),
  ended_at: time.nullable(),
  kind: text.nullable(),
  drive: whole,
});
export type VisitJson = z.infer<typeof visitJson>;

export const usedValueJson = z.object({
  expression: text.describe("as the template reads it: build.output.version"),
  field: text.describe("of the step: prompt, args[1]"),
  line: whole.nullable(),
  value: anyJson.optional(),
  known: yesOrNo.describe("false: there was no such value when the step began"),
});

export const yamlTextJson = z.object({
  file: text,
  line: whole.describe("of the step's first line"),
  text: text.describe("the step's lines, as they were when the run was driven"),
});

/** Who answered a gate, or a list of questions, when, and what they had been asked. */
export const answerGivenJson = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("gate"),
    question: z.object({ prompt: text.nullable(), options: z.array(gateOptionJson) }),
    selected: text.describe("the option's value"),
    route: text.nullable(),
    additional_input: mapJson,
    answered_by: text,
    at: time.nullable(),
  }),
  z.object({
    kind: z.literal("questions"),
    prompt: text.nullable(),
    questions: z
      .array(
        questionJson.extend({
          answer: anyJson.describe("null: none yet"),
          source: text.nullable().describe("choice, free_text, default, skipped"),
        }),
      )
      .describe("as they were asked, in their order"),
    outcome: text.nullable().describe("completed, skipped_remaining, aborted; null: not all are answered yet"),
    answered_by: text.nullable(),
    at: time.nullable(),
  }),
]);
export type AnswerGivenJson = z.infer<typeof answerGivenJson>;

/** A gate inside an agent's step: it may not do something by itself. */
export const requestJson = z.object({
  prompt: text.describe("Markdown"),
  asked_at: time,
  selected: text.nullable().describe("allow, deny; null: it waits"),
  answered_by: text.nullable(),
  at: time.nullable(),
});
export type RequestJson = z.infer<typeof requestJson>;

export const stepJson = shape("WholeStep", {
  run_id: text,
  seq: whole.describe("up to which events were read"),
  path: z.array(text),
  node_id: text,
  type: text.nullable(),
  group: text.nullable(),
  visits: z.array(visitJson).describe("of this node, in this item; oldest first, the newest 200"),
  visit: visitJson.nullable().describe("the one that the rest is about; null: it never ran"),
  attempts: z.array(attemptJson).describe("oldest first"),
  values: z.array(usedValueJson).describe("what its templates used"),
  yaml: yamlTextJson.nullable(),
  place: placeJson.nullable(),
  question: mapJson.nullable().describe("of a gate that waits: prompt, options, questions, `gate_id` to answer it"),
  answer: answerGivenJson.nullable().describe("of a gate or of questions; null: none yet"),
  requests: z.array(requestJson).describe("what its agent asked a person to allow, oldest first"),
  items: z
    .array(
      z.object({
        item_key: text,
        index: whole.nullable(),
        key: text,
        status: text,
        attempts: whole,
        kind: text.nullable(),
      }),
    )
    .describe("of a for_each: its items, failed first, 200 at most; `state` of the run has all"),
});
export type StepJson = z.infer<typeof stepJson>;

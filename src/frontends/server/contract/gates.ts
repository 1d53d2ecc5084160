// Everything that waits for a person, and answering it.
import { z } from "zod";
import { mapJson, seqSeen, shape, text, time, whole, yesOrNo } from "./values.ts";

export const gateOptionJson = z.object({
  label: text,
  value: text,
  route: text.optional(),
  description: text.optional(),
  prompt_for: text.optional().describe("the name of a text that goes with this option"),
  multiline: yesOrNo.optional(),
  prompt_optional: z.literal(true).optional(),
});

export const questionJson = z.object({
  id: text,
  text: text,
  hint: text.optional(),
  choices: z.array(text).optional(),
  allow_free_text: yesOrNo,
  default: text.optional(),
  required: yesOrNo,
  multiline: yesOrNo,
});

export const gateJson = shape("ListedGate", {
  id: text.describe(
    "what /api/gates/ID takes: RUN:KEY, with what an address cannot hold as an escape of JSON (\\ud800)",
  ),
  run_id: text,
  workflow: text.nullable(),
  node_id: text,
  path: z.array(text),
  key: text,
  kind: z.enum(["gate", "questions", "dialog"]),
  presented_at: time,
  inputs: z.record(text, text).describe("those of the run as they are now, each in at most 80 characters"),
  prompt: text.describe("Markdown, of the workflow: make it safe before it is shown"),
  options: z.array(gateOptionJson),
  questions: z.array(questionJson),
  allow_abort: yesOrNo,
  deadline: time.nullable().describe("until when an answer counts"),
  approvers: z.array(text).nullable().describe("whose answer counts; null: anybody's"),
  four_eyes: yesOrNo,
  not_by: z.array(text).describe("whose answer does not count, with four_eyes: who started the run or changed it"),
  you: z
    .object({
      person: text.describe("who asks, as the project of this run calls them"),
      may_answer: yesOrNo,
      why_not: text.nullable().describe("why their answer would not count, in a sentence"),
    })
    .describe("of whoever has this session"),
  seq: whole.describe("of the run: send it with the answer"),
});
export type GateJson = z.infer<typeof gateJson>;

export const gatesJson = shape("Gates", {
  gates: z.array(gateJson),
  left_out: z.array(text).describe("what of the list could not be read, each in a sentence"),
  server_time: time,
});
export type GatesJson = z.infer<typeof gatesJson>;

export const answerBody = z.strictObject({
  seq: seqSeen,
  value: text.describe("the option's value; of questions with one entry the answer; `__abort__` calls questions off"),
  inputs: z.record(text, text).default({}).describe("texts that the option asks for; answers to questions by id"),
  as: text.optional().describe("who they say they are"),
});

export const answeredJson = shape("Answered", {
  run_id: text,
  gate_id: text,
  value: text,
  answered_by: text,
  driven: z.enum(["here", "elsewhere"]).describe("who goes on with the run"),
  details: mapJson.optional(),
});
export type AnsweredJson = z.infer<typeof answeredJson>;

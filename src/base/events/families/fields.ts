// What the payloads of events are made of.
import { z } from "zod";
import type { AgentChanges, Envelope } from "../../errors/index.ts";
import type { FileDigest } from "../step-files.ts";

export const text = z.string();
export const number = z.number();
export const flag = z.boolean();
export const any = z.unknown();
export const map = z.record(text, any);
export const texts = z.array(text);
/** Where a process writes. */
export const stream = z.enum(["stdout", "stderr"]);

/** The place of an attempt: `key` is stable across resumes (`build[3].test#2`). */
export const step = {
  agent_name: text,
  agent_type: text,
  key: text,
  attempt: number,
  /** Set for members of a group. */
  group: text.optional(),
  item_key: text.optional(),
};
/** The step that an event is about. Items of a group run at once under its name: the key tells them apart. */
export const visit = { agent_name: text, key: text.optional() };
/** The same for what is recorded of a member beside its attempts. */
export const member = { group: step.group, item_key: step.item_key };

export const digestOfFile: z.ZodType<FileDigest> = z.object({ path: text, digest: text });

const raisedAt = z.object({ workflow: text, node: text, attempt: number });
const groupPlace = z.object({ group: text, item_key: text.optional() });
const frame = z.object({ workflow: text, node: text, ...member });
export const envelope: z.ZodType<Envelope> = z.object({
  kind: text,
  message: text,
  details: map,
  raised_at: raisedAt,
  propagated: z.array(frame),
  attempts: number,
  ...member,
  items: z.array(groupPlace).optional(),
  cause: z.lazy(() => envelope).optional(),
});

const fileChange = z.object({
  path: text,
  change: z.enum(["added", "modified", "deleted"]),
  added: number.nullable(),
  removed: number.nullable(),
});
/** A file by its path alone where a scenario says no more of it. */
export const agentChanges: z.ZodType<AgentChanges> = z.object({
  files: z.array(z.union([fileChange, text])),
  added: number,
  removed: number,
  incomplete: z.literal(true).optional(),
  denied: z.array(z.object({ what: text, by: text, at: text })).optional(),
});

const named = { name: text, type: text };
const outlineNode = z.object({
  ...named,
  line: number.optional(),
  /** Members of a parallel group, in order. */
  members: z.array(z.object(named)).optional(),
  /** The inline step of a for_each. */
  item: z.object(named).optional(),
});
/** The steps of a file in file order, so that a fold can tell what never ran. Members stand only under their group. */
export const outline = z.object({ name: text, file: text, nodes: z.array(outlineNode) });

export const termination = {
  termination_reason: text.optional(),
  terminated_by: text.optional(),
  is_explicit: flag.optional(),
  status: z.enum(["success", "failed"]).optional(),
};

export const tokens = {
  model: text.optional(),
  /** What the answer says which model gave it: often the same with a date. */
  response_model: text.optional(),
  provider: text.optional(),
  input_tokens: number.optional(),
  output_tokens: number.optional(),
  cache_read_tokens: number.optional(),
  cache_write_tokens: number.optional(),
  reasoning_tokens: number.optional(),
  cost_usd: number.nullable().optional(),
};

export const gateOption = z.object({
  label: text,
  value: text,
  route: text.optional(),
  description: text.optional(),
  prompt_for: text.optional(),
  multiline: flag.optional(),
  prompt_optional: z.literal(true).optional(),
});

export const define = <Shape extends z.ZodRawShape>(description: string, shape: Shape) => ({
  description,
  data: z.object(shape),
});

/** Items of a group run at once under one step's name, so each event says whose it is. */
export const defineInGroup = <Shape extends z.ZodRawShape>(description: string, shape: Shape) =>
  define(description, { ...shape, ...member });

/** Held back since it could be the beginning of a secret; never recorded. `seq`: of the `script_output` that it follows. */
export const heldBack = z
  .array(z.object({ seq: number, node: text, key: text.optional(), stream, text, ...member }))
  .optional();

// The result in JSON Schema, for `segno schema result`, MCP's output schema and programs that check it.
// The types in result.ts are the same thing for the compiler; `Checked` below does not compile when the two part.
import { z } from "zod";
import { isMapping } from "../errors/mapping.ts";
import { hasFiniteNumbers, isTooDeep } from "../json/bounded.ts";
import { RESULT_SCHEMA, type Result } from "./result.ts";

const text = z.string();
const whole = z.number().int().nonnegative();
const map = z.record(text, z.unknown());
const stepStatus = z.enum(["completed", "failed", "recovered", "cancelled", "paused", "running", "not_executed"]);
const action = z.enum(["default", "error", "retry", "halt", "terminate"]);

const end = z.object({ line: whole, column: whole }).describe("of a finding: just after its last character");
const place = z.object({ file: text, line: whole, column: whole, end: end.optional(), field: text.optional() });
const raisedAt = z.object({ workflow: text, node: text, attempt: whole });
const groupPlace = z.object({ group: text, item_key: text.optional() });
const frame = z.object({ workflow: text, node: text, ...groupPlace.partial().shape });

const items = z
  .array(groupPlace)
  .describe("of an error raised in several groups, one inside the other: the place in each, outermost first");

/** Inputs as they were given. `z.record` leaves out a `__proto__`, which is then not refused as an input that there is not. */
export const inputsSchema = z
  .custom<Readonly<Record<string, unknown>>>()
  .check(({ value, issues }) => {
    if (!isMapping(value)) issues.push({ code: "invalid_type", expected: "record", input: value });
    // Parsed elsewhere: on its way to a process of its own it would become null.
    else if (!isTooDeep(value) && !hasFiniteNumbers(value))
      issues.push({ code: "custom", params: { wanted: "must have only numbers that JSON can hold" }, input: value });
  })
  .meta({ type: "object", propertyNames: { type: "string" }, additionalProperties: { description: "any JSON" } });

/** `Envelope` of src/base/errors. */
export const envelopeSchema = z
  .object({
    kind: text,
    message: text,
    details: map,
    raised_at: raisedAt,
    propagated: z.array(frame).describe("sub-workflows that it crossed, innermost first"),
    attempts: whole,
    group: text.optional().describe("of a group's member"),
    item_key: text.optional(),
    items: items.optional(),
    get cause() {
      return envelopeSchema.optional();
    },
  })
  .meta({
    id: "Envelope",
    description:
      "An error as it was raised. Inside another: what that one wraps, or what led to the step that raised it.",
  });

const entry = z
  .object({
    source: z.enum(["runtime", "validation"]),
    category: z
      .enum([
        "execution_failure",
        "template_error",
        "api_validation",
        "provider_failure",
        "policy",
        "exception",
        "static_validation",
        "input_validation",
      ])
      .nullable()
      .describe("null for a warning that is no failure"),
    kind: text
      .nullable()
      .describe("the error's kind; null for findings and for endings that are no envelope (see error_type)"),
    message: text,
    node_id: text.nullable(),
    action: action.nullable(),
    fixable: z.boolean().describe("a change of the workflow, its inputs or its session would help"),
    retryable: z.boolean().describe("the same again may work"),
    owner: z
      .enum(["workflow", "input", "environment", "provider", "engine", "person"])
      .nullable()
      .describe("who has to act"),
    hint: text.optional().describe("what to change, and how to go on"),
    suggestions: z.array(text).optional(),
    location: place.optional(),
    error_type: text.optional(),
    rule: text.optional(),
    via: z.array(text).optional(),
    path: z.array(text).optional(),
    group: text.optional(),
    item_key: text.optional(),
    items: items.optional(),
    recovered_by: text.optional(),
    count: whole.optional(),
    details: map.optional(),
    raised_at: raisedAt.optional(),
    propagated: z.array(frame).optional(),
    attempts: whole.optional(),
    cause: envelopeSchema.nullable().optional(),
    request: z
      .object({ method: text, url: text, headers: z.record(text, text), body: z.unknown().optional() })
      .optional()
      .describe("of an HTTP error: what was sent"),
    status_code: z.number().int().optional(),
    raw_response: z.unknown().optional(),
    response_headers: map.optional(),
    response_time: z.number().optional(),
    shell_command: text.optional(),
    shell_exit_code: z.number().int().nullable().optional(),
    shell_stdout: text.optional(),
    shell_stderr: text.optional(),
    mcp_error_details: z.object({ server: text.nullable(), tool: text.nullable() }).optional(),
    mcp_error: z
      .object({ code: z.union([z.number(), text]).nullable(), message: text, data: z.unknown().optional() })
      .optional(),
    expression: text.optional(),
    missing: text.optional(),
    available_fields: z.array(text).max(20).optional(),
    available_fields_total: whole.optional(),
    available_fields_truncated: z.boolean().optional(),
    trace_file_hint: text.optional(),
  })
  .meta({ id: "Entry", description: "One thing that went wrong." });

const tokens = z.object({ input: whole, output: whole, cached: whole.optional(), reasoning: whole.optional() });
const money = z.number().nonnegative().nullable().describe("US dollars; null when a model's price is not known");

const changes = z
  .object({
    files: z.array(
      z.object({
        path: text.describe("from the agent's folder"),
        change: z.enum(["added", "modified", "deleted"]),
        added: whole.nullable().describe("lines; null for a large file and for what is no text"),
        removed: whole.nullable(),
      }),
    ),
    more_files: whole.optional().describe("how many beyond those"),
    added: whole,
    removed: whole,
    incomplete: z.literal(true).optional().describe("there were more files in the folder than are looked at"),
    denied: z
      .array(z.object({ what: text, by: text.describe("a person, or `policy`"), at: text }))
      .optional()
      .describe("what the agent asked for and was not allowed"),
  })
  .meta({ id: "AgentChanges" });

const step = z
  .object({
    node_id: text,
    type: text.optional(),
    status: stepStatus,
    cut_off: z
      .literal(true)
      .optional()
      .describe("of one that is cancelled: its process went away while it ran; it was not stopped"),
    duration_ms: whole.nullable(),
    cached: z.boolean(),
    repaired: z.boolean(),
    attempts: whole,
    kind: text.optional(),
    exit_code: z
      .number()
      .int()
      .optional()
      .describe(
        "of a script that counts as done although it exited with another code than 0: `ok_exit_codes` allows it, or the file has `agents:`",
      ),
    changes: changes.optional().describe("what an agent changed in its folder"),
    item_key: text.optional(),
    tokens: tokens.optional(),
    cost_usd: money.optional(),
    get steps() {
      return z.array(step).optional();
    },
  })
  .meta({ id: "Step", description: "A step, with members of groups and steps of sub-workflows below it." });

const gate = z
  .object({
    node_id: text,
    name: text,
    key: text,
    path: z.array(text),
    kind: z.enum(["gate", "questions"]),
    prompt: text,
    options: z.array(
      z.object({
        label: text,
        value: text,
        route: text.optional(),
        description: text.optional(),
        prompt_for: text.optional(),
        multiline: z.boolean().optional(),
        prompt_optional: z.literal(true).optional(),
      }),
    ),
    questions: z.array(map).optional(),
    approvers: z.array(text).optional().describe("whose answer counts; absent where anybody's does"),
    not_by: z.array(text).optional().describe("whose does not, with four_eyes: who started the run or changed it"),
    deadline: text.optional().describe("until when an answer counts"),
    answered: z.literal(true).optional().describe("the answer is stored, and the run has not gone on with it yet"),
    who: text.describe("who may answer"),
    answer: text.describe("what answers it: a tool, a command, a function, an address"),
  })
  .meta({ id: "Gate", description: "A question to a person that is still open." });

export const resultSchema = z
  .object({
    schema: z.literal(RESULT_SCHEMA),
    success: z.boolean(),
    status: z.enum([
      "valid",
      "queued",
      "running",
      "completed",
      "degraded",
      "terminated",
      "failed",
      "paused",
      "cancelled",
      "invalid",
    ]),
    degraded: z.literal(true).optional().describe("of `terminated`: groups went on without some of their members"),
    exit_code: z
      .union(([0, 1, 2, 3, 4, 130] as const).map((code) => z.literal(code)))
      .nullable()
      .describe("null while the run is going on"),
    run_id: text.nullable(),
    name: text.optional().describe("what the run is called; absent where it has no name"),
    workflow: text.nullable(),
    file: text.nullable(),
    output: z.unknown(),
    error: text.nullable().describe("the first trouble in one line"),
    errors: z.array(entry),
    checkpoint: z
      .object({
        completed_nodes: z.array(text),
        node_actions: z.record(text, action),
        node_hashes: z.record(text, text),
        failed_node: text.nullable(),
        resumable: z.boolean(),
        resume: text.nullable(),
      })
      .nullable(),
    execution: z
      .object({ duration_ms: whole.nullable(), nodes_executed: whole, nodes_total: whole, steps: z.array(step) })
      .nullable(),
    metrics: z
      .object({
        duration_ms: whole.nullable(),
        nodes_executed: whole,
        total_cost_usd: money,
        tokens,
        by_model: z.record(text, z.object({ tokens, cost_usd: money })),
        unpriced_models: z.array(text),
        estimated_models: z.array(text).optional(),
      })
      .nullable(),
    termination: z.object({ status: z.enum(["success", "failed"]), reason: text, terminated_by: text }).nullable(),
    gate: gate.nullable(),
    gates: z.array(gate).optional(),
    warnings: z.array(entry),
    artifacts: z.object({ events_jsonl: text, errors_jsonl: text.nullable(), run_dir: text }).nullable(),
  })
  .meta({ title: "Segno result", description: "What every run, resume, status and validate of Segno answers with." });

type Holds<Fact extends true> = Fact;
/** What fits the schema is a result. That every result fits the schema is held by a property test. */
export type Checked = Holds<z.infer<typeof resultSchema> extends Result ? true : false>;

/** JSON Schema (draft 2020-12). Other commands answer with the same head and their own part, so more keys are allowed. */
export const resultJsonSchema = (): Record<string, unknown> =>
  z.toJSONSchema(resultSchema, { io: "input" }) as Record<string, unknown>;

// What a tool is: a name, what it takes and gives, and a service that does it.
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { misfitText } from "../../base/errors/misfit.ts";
import { didYouMean, nearest } from "../../base/errors/nearest.ts";
import { type Refusal, refusedResult } from "../../base/results/index.ts";
import { inputsSchema } from "../../base/results/schema.ts";
import { withRefusals } from "../../services/refusals.ts";
import type { GivenInput } from "../../services/request.ts";
import { resultAnswer, type ToolAnswer, type ToolUse } from "./answer.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations?: ToolAnnotations;
  call(given: unknown, call: ToolUse): Promise<ToolAnswer>;
}

/** Of tools that drive a run, which may do anything. What is left out is so by default. */
export const DRIVES = { readOnlyHint: false, destructiveHint: true } as const;

interface ToolSpec<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** A run's result when left out. */
  readonly output?: ObjectSchema;
  /** It only reads when they are left out. */
  readonly annotations?: ToolAnnotations;
  run(input: z.output<Input>, call: ToolUse): Promise<ToolAnswer> | ToolAnswer;
}

export const defineTool = <Input extends z.ZodObject>({
  input,
  output = resultOutput,
  run,
  annotations = { readOnlyHint: true },
  ...rest
}: ToolSpec<Input>): Tool => ({
  ...rest,
  inputSchema: plain(z.toJSONSchema(input, { io: "input", unrepresentable: "any" })),
  outputSchema: output,
  annotations,
  async call(given, call) {
    const read = input.safeParse(given ?? {});
    if (!read.success) return misused(rest.name, input, read.error, given ?? {});
    return withRefusals(call.session, () => run(read.data, call), resultAnswer);
  },
});

/** What a model need not read. Also the address of the draft: not every client's validator knows it. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  "$schema minLength propertyNames maximum minimum additionalProperties".split(" "),
);

const plain = (schema: object): ObjectSchema =>
  JSON.parse(JSON.stringify(schema, (name, value) => (LEFT_OUT.has(name) ? undefined : value)));

function misused(name: string, input: z.ZodObject, { issues }: z.ZodError, given: unknown): ToolAnswer {
  const message = `${name} cannot be called like this: ${issues.map((issue) => misfitText(issue, given)).join("; ")}`;
  const names = Object.keys(input.shape);
  const unknown = issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []));
  return refusedAnswer({
    message,
    hint: takes(name, input),
    suggestions: unknown.flatMap((key) => nearest(key, names)),
  });
}

function takes(name: string, { shape }: z.ZodObject): string {
  const names = Object.entries(shape).map(([key, field]) =>
    (field as z.ZodType).safeParse(undefined).success ? `\`${key}\`` : `\`${key}\` (needed)`,
  );
  return names.length === 0 ? `${name} takes no arguments.` : `${name} takes ${names.join(", ")}.`;
}

/** A call that no tool took up. */
export function refusedAnswer(refusal: Refusal): ToolAnswer {
  const { message, hint, suggestions = [] } = refusal;
  const text = [`${message}.${didYouMean(suggestions)}`, ...(hint === undefined ? [] : [hint])].join(" ");
  return { object: { ...refusedResult(refusal) }, text, isError: true };
}

// What a tool's answer looks like, in few words: most clients put these before a model, with the list of tools.

export type ObjectSchema = { readonly type: "object" } & Readonly<Record<string, unknown>>;

const text = { type: "string" };
const flag = { type: "boolean" };
const maybeText = { type: ["string", "null"] };

/** What tells whether it went well, with a part of its own. */
export const headOutput = (part: Readonly<Record<string, unknown>>): ObjectSchema => ({
  type: "object",
  properties: { success: flag, error: maybeText, ...part },
  required: ["success"],
});

/** A run's result. More keys are allowed; the whole of it is `schema_get` with `of: result`. */
const resultOutput: ObjectSchema = {
  type: "object",
  properties: { success: flag, status: text, run_id: maybeText, output: {}, error: maybeText, errors: arrayOf() },
  required: ["success", "status", "run_id"],
};

/** As JSON without a description where there is none. */
export function arrayOf(description?: string) {
  return { type: "array", description, items: { type: "object" } };
}

// Arguments that several tools take, with one name and one meaning everywhere.

export const file = z.string().min(1).describe("relative to the root");
export const inputs = inputsSchema.describe("by name; workflow_describe lists them").default({});
export const run_id = z.string().min(1).describe("or its first or last 6 characters");
export const LONGEST_REQUEST_SECONDS = 3600;

export const wait_seconds = z
  .number()
  .min(0)
  .max(LONGEST_REQUEST_SECONDS)
  .default(50)
  .describe("then the answer has status `running`");
export const detach = z.boolean().default(true).describe("false: the run stops when this server ends");

/** Inputs as values, which are checked against what the workflow declares. */
export const inputsByValue = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, GivenInput>> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]));

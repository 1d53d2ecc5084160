// What a tool is: a name, what it takes and gives, and a service that does it.
import { z } from "zod";
import { refusedResult } from "../results/index.ts";
import { Refused } from "../services/refusals.ts";
import type { ObjectSchema } from "./output-schema.ts";
import { resultAnswer } from "./said.ts";
import type { ToolAnswer, ToolUse } from "./session.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations?: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  call(given: unknown, call: ToolUse): Promise<ToolAnswer>;
}

/** Of tools that drive a run, which may do anything. What is left out is so by default. */
export const DRIVES = { readOnlyHint: false, destructiveHint: true } as const;

interface ToolSpec<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly output: () => ObjectSchema;
  readonly annotations: NonNullable<Tool["annotations"]>;
  run(input: z.output<Input>, call: ToolUse): Promise<ToolAnswer> | ToolAnswer;
}

export const defineTool = <Input extends z.ZodObject>({ input, output, run, ...rest }: ToolSpec<Input>): Tool => ({
  ...rest,
  inputSchema: plain(z.toJSONSchema(input, { io: "input" })),
  outputSchema: output(),
  async call(given, call) {
    const read = input.safeParse(given ?? {});
    if (!read.success) return misused(rest.name, read.error);
    return refusing(() => run(read.data, call));
  },
});

/** What was refused is an answer like any other. */
export async function refusing(run: () => Promise<ToolAnswer> | ToolAnswer): Promise<ToolAnswer> {
  try {
    return await run();
  } catch (problem) {
    if (problem instanceof Refused) return resultAnswer(problem.result);
    throw problem;
  }
}

/** What a model need not read. Also the address of the draft: not every client's validator knows it. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "$schema",
  "minLength",
  "propertyNames",
  "maximum",
  "minimum",
  "additionalProperties",
]);

const plain = (schema: object): ObjectSchema =>
  JSON.parse(JSON.stringify(schema, (name, value) => (LEFT_OUT.has(name) ? undefined : value)));

function misused(name: string, error: z.ZodError): ToolAnswer {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  const message = `${name} cannot be called like this: ${problems.join("; ")}`;
  return { object: { ...refusedResult({ message }) }, text: message, isError: true };
}

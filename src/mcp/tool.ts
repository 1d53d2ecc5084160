// What a tool is: a name, what it takes and gives, and a service that does it.
import { z } from "zod";
import { refusedResult } from "../results/index.ts";
import { Refused } from "../services/refusals.ts";
import type { ObjectSchema } from "./output-schema.ts";
import { resultAnswer } from "./said.ts";
import type { ToolAnswer, ToolUse } from "./session.ts";

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  call(given: unknown, call: ToolUse): Promise<ToolAnswer>;
}

interface ToolSpec<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: () => ObjectSchema;
  readonly annotations: Tool["annotations"];
  run(input: z.output<Input>, call: ToolUse): Promise<ToolAnswer> | ToolAnswer;
}

export const defineTool = <Input extends z.ZodObject>({ input, output, run, ...rest }: ToolSpec<Input>): Tool => ({
  ...rest,
  inputSchema: plain(z.toJSONSchema(input, { io: "input" })),
  outputSchema: output(),
  async call(given, call) {
    const read = input.safeParse(given ?? {});
    if (!read.success) return misused(rest.name, read.error);
    try {
      return await run(read.data, call);
    } catch (problem) {
      if (problem instanceof Refused) return resultAnswer(problem.result);
      throw problem;
    }
  },
});

/** The validators that clients use do not all know this draft by its address; without it they read it all the same. */
const plain = (schema: unknown): ObjectSchema => {
  const { $schema: _, ...rest } = schema as Record<string, unknown>;
  return { ...rest, type: "object" };
};

function misused(name: string, error: z.ZodError): ToolAnswer {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  const message = `${name} cannot be called like this: ${problems.join("; ")}`;
  return { object: { ...refusedResult({ message }) }, text: message, isError: true };
}

// The fields of a scenario file, and of the files of answers that scenarios share.
import * as z from "zod";

const maybe = <Schema extends z.ZodType>(schema: Schema, about: string) => schema.optional().describe(about);
const list = <Schema extends z.ZodType>(schema: Schema, about: string) => z.array(schema).default([]).describe(about);
const mapping = <Schema extends z.ZodType>(schema: Schema, about: string) =>
  z.record(z.string(), schema).default({}).describe(about);

const error = z.strictObject({
  kind: z.string().describe("The kind that is raised."),
  message: z.string().describe("What the error says."),
  details: z.record(z.string(), z.unknown()).default({}).describe("What templates read as `error.details`."),
});
const raised = error.optional().describe("The error that is raised instead of an answer.");

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const output = z
  .union([text, z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .transform((value) => (typeof value === "string" ? value : JSON.stringify(value)));
const times = z.int().min(1).optional().describe("How many calls it is for; all of them when left out.");
const question = maybe(z.string(), "Of a recorded answer: it is only for a call that asks what was asked then.");
const takes = maybe(
  z.number().min(0),
  "Virtual seconds that it takes. A call that takes longer than the step's timeout times out.",
);
const step = maybe(z.string(), "The step that it is for; one of a sub-workflow by its path: `package/verify`.");

const lines = z.int().min(0).nullable();
const fileChange = z.strictObject({
  path: z.string().describe("The file."),
  change: z.enum(["added", "modified", "deleted"]).describe("What was done to it."),
  added: lines.describe("Lines that were added; null when it is no text."),
  removed: lines.describe("Lines that were removed; null when it is no text."),
});
const denial = z.strictObject({
  what: z.string().describe("What the agent wanted to do."),
  by: z.string().default("policy").describe("Who denied it."),
  at: z.string().default("1970-01-01T00:00:00.000Z").describe("When."),
});
const changes = z.strictObject({
  files: list(z.union([z.string(), fileChange]), "The files that it changes: a path each, or a mapping."),
  added: z.int().min(0).default(0).describe("Lines that are added."),
  removed: z.int().min(0).default(0).describe("Lines that are removed."),
  incomplete: z.literal(true).optional().describe("Not all changes could be found."),
  denied: z.array(denial).optional().describe("What it was not allowed to do."),
});
const agentAnswer = z.strictObject({
  content: z.unknown().optional().describe("What the agent answers: a text, or the fields of its `output`."),
  changes: changes.optional().describe("What a coding agent would have changed, and been denied."),
  error: raised,
  takes_seconds: takes,
});
const LONGEST_COMMAND = 240;

/** A name that a program can have: where scripts run for real, a small program of that name stands in for it. */
const command = z.string().superRefine((name, { addIssue }) => {
  const problem = whyNoCommand(name);
  if (problem !== undefined) addIssue({ code: "custom", message: `no command can be called that: ${problem}` });
});

function whyNoCommand(name: string): string | undefined {
  if (name === "") return "the name is empty";
  if (name === "." || name === "..") return `${name} is a folder`;
  if (name.includes("\0")) return "it has a zero byte in it";
  return !/[\\/]/.test(name) && Buffer.byteLength(name) > LONGEST_COMMAND
    ? `it is longer than ${LONGEST_COMMAND} bytes`
    : undefined;
}

const cliScript = z.strictObject({
  command: command.optional().describe("The program that it answers for."),
  args: list(text, "The first arguments of the call that it answers for."),
  step,
  question,
  stdout: output.default("").describe("What is printed. A mapping is printed as JSON."),
  stderr: output.default("").describe("What is printed on stderr."),
  exit_code: z.int().default(0).describe("The exit code."),
  error: raised,
  times,
  takes_seconds: takes,
});
const httpScript = z.strictObject({
  url: z.string().optional().describe("The address that it answers for; `*` is any part of it."),
  method: z.string().optional().describe("The method that it answers for."),
  step,
  question,
  status: z.int().default(200).describe("The status of the answer."),
  headers: mapping(text, "The headers of the answer."),
  body: z.unknown().optional().describe("The body of the answer. A mapping or a list is sent as JSON."),
  error: raised,
  times,
  takes_seconds: takes,
});
const mcpScript = z.strictObject({
  server: z.string().optional().describe("The MCP server that it answers for."),
  tool: z.string().optional().describe("The tool that it answers for."),
  step,
  question,
  content: z
    .unknown()
    .optional()
    .describe(
      "What the tool gives: a mapping is its structured content. Written as the output of a step, with `content`, `structured` and `is_error`, it is the whole answer.",
    ),
  error: raised,
  times,
  takes_seconds: takes,
});
const stepScript = z.strictObject({
  step,
  question,
  type: z.string().optional().describe("The step type of your own that it answers for."),
  output: z.unknown().optional().describe("What the step gives."),
  error: raised,
  times,
  takes_seconds: takes,
});
const injected = z.strictObject({
  step: z.string().describe("The step that raises it, of any type; one of a sub-workflow by its path."),
  attempt: z.int().min(1).optional().describe("Only on this attempt, from 1."),
  times: z.int().min(1).optional().describe("How often; always when left out."),
  error: error.describe("The error that is raised instead of running the step."),
});
const unanswered = z.strictObject({
  nobody: z
    .union([z.literal(true), z.literal("yet")])
    .describe("No one answers: the gate's timeout passes, or the run pauses. With `yet` it pauses despite a timeout."),
});
const gateAnswer = z.union([
  text.transform((value) => ({ value, additional_input: {} as Record<string, string> })),
  z.strictObject({
    value: text.describe("The answer: the value of an option."),
    additional_input: mapping(text, "What is written beside the answer, by field."),
    by: z.string().optional().describe("Who answers. `approvers` and `four_eyes` of the gate count then."),
    takes_seconds: takes,
  }),
  unanswered,
]);

const verdict = z.strictObject({
  allowed: z.boolean().describe("Whether the attempt may be made."),
  reason: maybe(z.string(), "Why not: `error.details.reason`."),
  policy: maybe(z.string(), "Who says so: `error.details.policy`; `scenario` when left out."),
  metadata: maybe(z.record(z.string(), z.unknown()), "What the verdict adds: `error.details.metadata`."),
});

/** What answers for the outside: the part that a file of answers may have, and scenarios share. */
const answers = {
  env: mapping(text, "Environment variables of the run."),
  agent_scripts: mapping(
    z.array(agentAnswer),
    "For each agent a list of answers, one per call: `{content}` or `{error}`.",
  ),
  cli_scripts: list(cliScript, "Answers for script steps: by `step`, or by `command` and the first `args`."),
  http_scripts: list(httpScript, "Answers for HTTP steps: by `step`, `url` or `method`."),
  mcp_scripts: list(mcpScript, "Answers for MCP steps: by `step`, `server` or `tool`."),
  step_scripts: list(stepScript, "Answers for steps of your own types, by `step` or `type`. Their code does not run."),
  inject: list(injected, "Errors that steps of any type raise instead of running."),
  gates: mapping(
    z.union([gateAnswer, z.array(gateAnswer)]),
    "The answer at each gate: `ask: yes`, a mapping, or a list of these, one per visit.",
  ),
  questions: mapping(
    z.union([unanswered, z.record(z.string(), text)]),
    "The answers to each `questions` step, by question.",
  ),
  policies: mapping(
    z.union([verdict, z.array(verdict)]),
    "The verdict of all policies on a step or group: `deploy: { allowed: false, reason: frozen }`, or a list of these, one per attempt. Without one, policies of your own code allow, and Segno's judge as in any run.",
  ),
};

const listed = (description: string) => z.unknown().meta({ description, expects: "a list" });
const ending = (description: string, expects: string) => z.unknown().meta({ description, expects });

/** What must have happened; `expect.ts` holds the run against it. */
const expectedTrace = z.strictObject({
  agents_executed: listed("These steps ran, in this order; others may stand in between. Every attempt counts."),
  scripts_executed: listed("These script steps ran, in this order; others may stand in between."),
  gates_presented: listed("These gates were asked, in this order."),
  routes_taken: listed('These routes were taken, in this order: `"load -> ask"`.'),
  errors_raised: listed("These errors were raised, in this order: `{node, kind}`."),
  gates_resolved: ending("These answers were given, by gate.", "a mapping"),
  gates_reminded: ending("How often each gate reminded before it was answered or its time was over.", "a mapping"),
  waits_seconds: ending("How long the run waited in all, on the virtual clock.", "a number"),
  reached_terminal: ending(
    "Whether the run reached an end of the workflow, or the terminate step that ended it.",
    "true, false or the name of a terminate step",
  ),
  status: ending("How the run ended.", "the status of a run, such as completed or failed"),
  exit_code: ending("The exit code of the run.", "a whole number"),
  output_contains: ending("Fields that the output has, among others.", "any value"),
  output: ending("The output, all of it.", "any value"),
});

export const scenarioSchema = z.strictObject({
  workflow: z.string().describe("The workflow file, relative to this one."),
  name: z.string().optional().describe("The name in the report; that of the file when left out."),
  description: z.string().optional().describe("What it is about, for people."),
  skip: z.string().optional().describe("Why it is left out."),
  extends: z.string().optional().describe("Another scenario, whose fields count where this one has none."),
  fixtures: list(z.string(), "Files with answers alone. What stands here goes before what stands there."),
  inputs: mapping(z.unknown(), "The inputs of the run."),
  started_by: z.string().optional().describe("Who started the run: with `four_eyes` they may not answer."),
  ...answers,
  live: list(z.string(), "Steps that run for real, whatever else is scripted."),
  live_agents: maybe(
    z.union([z.boolean(), z.array(z.string())]),
    "Agents without a script are asked for real: all of them, or these.",
  ),
  set: mapping(z.unknown(), "Other values in the workflow file, by path: `runtime.default_model`, `classify.prompt`."),
  until: z.string().optional().describe("The run ends after this step of the workflow file."),
  strict: maybe(z.boolean(), "Whether a call that is not scripted fails the scenario. With false it runs for real."),
  strict_gates: z.boolean().optional().describe("Whether a gate without an answer fails the scenario."),
  expected_trace: maybe(expectedTrace.partial(), "What must have happened. What is not mentioned is not checked."),
});

/** What extends another need not name the workflow again. */
export const extendingSchema = scenarioSchema.extend({ workflow: z.string().optional(), extends: z.string() });
export const fixtureSchema = z.strictObject(answers);

export type ScenarioFile = z.output<typeof scenarioSchema>;
export type ExpectedTrace = NonNullable<ScenarioFile["expected_trace"]>;
export type ScriptedVerdict = z.output<typeof verdict>;
export type AgentAnswer = z.output<typeof agentAnswer>;

export const scenarioJsonSchema = (): unknown =>
  z.toJSONSchema(z.union([scenarioSchema, extendingSchema]), { io: "input", unrepresentable: "any", reused: "ref" });

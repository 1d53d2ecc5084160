// The registry of step types. Adding a type is one schema file and one line here.
import * as z from "zod";
import type { JsonSchema } from "../../errors/mapping.ts";
import { agentStep } from "./agent.ts";
import { httpStep } from "./http.ts";
import { humanGateStep } from "./human-gate.ts";
import { mcpStep } from "./mcp.ts";
import type { STEP_TYPE_NAMES } from "./names.ts";
import { once } from "./once.ts";
import { questionsStep } from "./questions.ts";
import { scriptStep } from "./script.ts";
import { setStep } from "./set.ts";
import { terminateStep } from "./terminate.ts";
import { waitStep } from "./wait.ts";
import { workflowStep } from "./workflow-step.ts";

/** What the language knows of a step type. */
export interface StepTypeEntry {
  /** Its fields; built when first asked for. */
  readonly schema: () => z.ZodObject;
  /** One line, for lists of types. */
  readonly description: string;
  /** For types beside the language's: their fields as their author describes them, for editors. */
  readonly fields?: JsonSchema;
  /** For types beside the language's: reads a step in which everything is right; nothing when the schema must be asked. */
  readonly quick?: (item: Readonly<Record<string, unknown>>) => Step | undefined;
}

export const STEP_TYPES = {
  agent: { schema: agentStep, description: "asks a model" },
  script: { schema: scriptStep, description: "runs a command, without a shell" },
  http: { schema: httpStep, description: "sends one HTTP request" },
  mcp: { schema: mcpStep, description: "calls one tool of an MCP server" },
  set: { schema: setStep, description: "computes a value from templates" },
  wait: { schema: waitStep, description: "lets time pass" },
  human_gate: { schema: humanGateStep, description: "asks a person to choose" },
  questions: { schema: questionsStep, description: "asks a person a list of questions" },
  workflow: { schema: workflowStep, description: "runs another workflow file" },
  terminate: { schema: terminateStep, description: "ends its workflow" },
} as const satisfies Record<(typeof STEP_TYPE_NAMES)[number], StepTypeEntry>;

export type StepType = keyof typeof STEP_TYPES;

/** Any step: the union of all types, distinguished by `type`. */
export const stepSchema = once(() => {
  const types = Object.values(STEP_TYPES).map(({ schema }) => schema());
  return z
    .discriminatedUnion("type", types as unknown as [ReturnType<(typeof STEP_TYPES)[StepType]["schema"]>])
    .meta({ id: "Step" });
});

export type Step = z.output<ReturnType<typeof stepSchema>>;

import { TOOL_KINDS } from "../mcp/index.ts";
import { declaredFields, UNKNOWN } from "../output-shape.ts";
import { ANY, type StepType } from "../step-type.ts";
import { type AgentStep, agentStep } from "./schema.ts";

export const agent = {
  description: "asks a model",
  schema: agentStep,
  executor: () => import("./run.ts").then(({ agent }) => agent),
  alsoCalled: ["llm", "model", "prompt"],
  output: "the fields of `output`; free text without one is `{result}`",
  templates: [
    "prompt",
    "system_prompt",
    "model",
    "reasoning.effort",
    "validator.criteria",
    "validator.model",
    "working_dir",
  ],
  inputsByName: true,
  raises: ({ tools, mcp_servers, on_denied }, { hasTools }) => [
    ANY,
    ...["internal.timeout", "internal.schema_violation", "internal.undeclared_kind"],
    ...["provider.exhausted", "provider.rejected", "circuit.open"],
    ...((tools ? tools.length > 0 : hasTools || Object.keys(mcp_servers ?? {}).length > 0) ? TOOL_KINDS : []),
    ...(on_denied === "raise" ? ["provider.denied"] : []),
  ],
  shape: ({ output }) => (output ? declaredFields(output) : UNKNOWN),
} as const satisfies StepType<AgentStep>;

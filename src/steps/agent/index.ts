// The step type `agent`: a model answers, or a coding agent works in a folder. Its executor is loaded when such a step first runs.
import { TOOL_KINDS } from "../mcp/index.ts";
import { ANY, declaredFields, modelTarget, type StepType, UNKNOWN } from "../step-type.ts";
import type { PreparedAgent } from "./run.ts";
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
    "settings_dir",
  ],
  inputsByName: true,
  raises: ({ tools, mcp_servers, on_denied }, { hasTools }) => [
    ANY,
    "internal.timeout",
    "internal.schema_violation",
    "internal.undeclared_kind",
    "provider.exhausted",
    "provider.rejected",
    "circuit.open",
    ...((tools ? tools.length > 0 : hasTools || Object.keys(mcp_servers ?? {}).length > 0) ? TOOL_KINDS : []),
    ...(on_denied === "raise" ? ["provider.denied"] : []),
  ],
  shape: ({ output }) => (output ? declaredFields(output) : UNKNOWN),
  target: (values) => {
    const { provider, models } = (values as PreparedAgent).request;
    return models[0] ? modelTarget(provider, models[0]) : undefined;
  },
  intent(values) {
    const { provider, models } = (values as PreparedAgent).request;
    return { provider, ...(models[0] === undefined ? {} : { model: models[0], models }) };
  },
  asksBreakers: true,
  answeredBy: "agent_scripts",
  events: {
    onlyForReaders: ["agent_prompt_rendered", "agent_tool_start"],
    noted: [
      "agent_turn_start",
      "agent_retry",
      "agent_fallback",
      "agent_parse_recovery",
      "agent_validator_complete",
      "agent_validation_failed",
      "agent_tool_output_truncated",
      "dialog_message",
      "context_trimmed",
      "skill_injection_warning",
    ],
  },
} as const satisfies StepType<AgentStep>;

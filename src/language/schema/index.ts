// The language: every type of step and section, with its fields, defaults and descriptions.
export type { AgentStep } from "../../steps/agent/schema.ts";
export type { HumanGateStep } from "../../steps/human-gate/schema.ts";
export type { McpStep } from "../../steps/mcp/schema.ts";
export type { QuestionsStep } from "../../steps/questions/schema.ts";
export type { RaiseWhen } from "../../steps/schema/fields.ts";
export type { FieldType, OutputField } from "../../steps/schema/output-field.ts";
export type { ProviderFields } from "../../steps/schema/provider.ts";
export type { RetryAction, Route } from "../../steps/schema/route.ts";
export type { TerminateStep } from "../../steps/terminate/schema.ts";
export { STEP_TYPES } from "../../steps/types.ts";
export type { WorkflowStep } from "../../steps/workflow/schema.ts";
export type { ForEachGroup, ParallelGroup, Step } from "./groups.ts";
export { FOREIGN_PROVIDERS, TOP_KEYS } from "./names.ts";
export type { Runtime } from "./runtime.ts";
export { type WorkflowFile, workflowFile } from "./workflow-file.ts";
export type { InputField, WorkflowSection } from "./workflow-section.ts";

// From an agent step to the call of a model: prompts with their skills, the step's settings over the workflow's, and, when
// the step may raise, how to do that.
import { resolve } from "node:path";
import { isMapping, type JsonSchema, unlessItThrows } from "../../base/errors/mapping.ts";
import { REASONING_EFFORTS } from "../../providers/provider.ts";
import { BETWEEN_INSTRUCTIONS, type Skill } from "../caller.ts";
import type { OutputFields } from "../output-schema.ts";
import type { OutputField } from "../schema/fields.ts";
import { type Attempt, BadValue, type StepScope } from "../step-type.ts";
import { renderText } from "../values.ts";
import type { ModelRequest, ModelUsage } from "../world.ts";
import type { AgentStep } from "./schema.ts";

/** `preface` stands before the prompt: skills. */
export function modelRequest(step: AgentStep, scope: StepScope, preface = ""): ModelRequest {
  const { names, templates } = scope;
  const raises = step.raises ?? [];
  const asked = renderText(step.prompt, names, templates?.("prompt"));
  const { provider, settings } = providerOf(step, scope);
  return {
    purpose: "answer",
    provider,
    settings,
    models: modelsOf(step, scope),
    system: step.system_prompt === undefined ? "" : renderText(step.system_prompt, names, templates?.("system_prompt")),
    prompt: [instructionText(scope), preface, asked, contract(step, scope)].filter(Boolean).join("\n\n"),
    schema: step.output && schemaOf(step.output, raises),
    raises,
    tools: step.tools ?? null,
    ...(step.mcp_servers ? { servers: step.mcp_servers } : {}),
    options: optionsOf(step, scope),
  };
}

/** In a file with `agents:` they stand in a frame, so that a model sees where they end. */
function instructionText({ workflow: { instructions, rules } }: StepScope): string | undefined {
  if (!instructions || !rules?.framesInstructions) return instructions;
  const head = "Conventions of the place that you work in. Follow them in everything that you do here.";
  return `<workspace_instructions>\n${head}\n\n${instructions}\n</workspace_instructions>`;
}

/** What decides an answer. Who gave it, over which line and how patiently we waited does not. */
export function hashedRequest({
  provider: _,
  settings: _settings,
  servers: _servers,
  options,
  ...asked
}: ModelRequest): unknown {
  const { retry, call_timeout_seconds, max_session_seconds, max_agent_iterations, ...rest } = options;
  return { ...asked, options: rest };
}

/** How to raise: it never asks for another form than the JSON Schema of the answer does. */
function contract({ raises: kinds = [], output, output_mode }: AgentStep, { raising }: StepScope): string {
  if (kinds.length === 0 || (output_mode === "raw" && raising?.fromRaw === false)) return "";
  return [
    output && raising?.inPlaceOfOutput
      ? "If you cannot do what is asked for one of the reasons below, give this error object in the place of the output. The JSON Schema of your answer allows one or the other:"
      : "If you cannot do what is asked for one of the reasons below, do not answer as described above. Answer instead with this JSON object alone, and nothing around it:",
    '{"conductor_error": true, "kind": "<one of the kinds below>", "message": "<what happened, in a sentence for people>", "details": {}}',
    `Kinds: ${kinds.join(", ")}`,
  ].join("\n");
}

/** `--provider`, the step's, the file's. Settings are those that the step and the file have for that provider. */
function providerOf(step: AgentStep, { workflow }: StepScope): Pick<ModelRequest, "provider" | "settings"> {
  const written = [step.provider, workflow.runtime.provider].map(asMapping);
  const provider = [workflow.provider, ...written.map((one) => one.name)].find(isName) ?? "copilot";
  const about = written.filter((one) => isName(one.name) && sameProvider(one.name, provider)).reverse();
  const { name: _, ...settings } = Object.assign({}, ...about, permissionsOf(step)) as Record<string, unknown>;
  // An agent that wants no skills reads no settings, which bring some.
  if (settings.setting_sources !== undefined && step.skills?.length === 0) settings.setting_sources = [];
  return { provider, settings };
}

/** What the step itself says of what its agent may do wins over its provider's. */
function permissionsOf({ sandbox, allow, ask, network, settings }: AgentStep): Record<string, unknown> {
  // A mapping is Conductor's, of a provider that Segno does not have.
  const said = { sandbox: typeof sandbox === "string" ? sandbox : undefined, allow, ask, network, settings };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

const asMapping = (provider: unknown): Readonly<Record<string, unknown>> =>
  isMapping(provider) ? provider : { name: provider };

const isName = (name: unknown): name is string => typeof name === "string" && name !== "";

const sameProvider = (one: string, other: string): boolean => canonical(one) === canonical(other);
const canonical = (name: string): string => (name === "claude" ? "anthropic" : name);

function modelsOf(step: AgentStep, { names, workflow }: StepScope): string[] {
  const written = step.model ?? workflow.runtime.default_model;
  const models = Array.isArray(written) ? written : [written];
  return models
    .flatMap((model) => (typeof model === "string" ? renderText(model, names).trim() : []))
    .filter((model) => model !== "");
}

/** Settings that change what a model answers. Credentials and servers stay out: these values are part of a step's hash. */
function optionsOf(step: AgentStep, { names, workflow }: StepScope): Record<string, unknown> {
  const { runtime, dir } = workflow;
  const text = (value: unknown): string | undefined =>
    typeof value === "string" ? renderText(value, names).trim() : undefined;
  const workingDir = text(step.working_dir ?? runtime.working_dir);
  const options = {
    temperature: runtime.temperature,
    max_tokens: runtime.max_tokens,
    call_timeout_seconds: runtime.timeout,
    max_session_seconds: step.max_session_seconds ?? runtime.max_session_seconds,
    max_agent_iterations: step.max_agent_iterations ?? runtime.max_agent_iterations,
    reasoning_effort: effortOf(text(step.reasoning?.effort ?? runtime.default_reasoning_effort)),
    retry: step.retry,
    working_dir: workingDir ? resolve(dir, workingDir) : undefined,
    session_key: step.session_key,
    settings_dir: step.settings_dir === undefined ? undefined : settingsDirOf(text(step.settings_dir), dir),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function settingsDirOf(written: string | undefined, dir: string): string {
  if (!written) throw new BadValue("settings_dir", written ?? "", "it must name a folder");
  return resolve(dir, written);
}

/** A template may come to nothing: then the model thinks as hard as it likes. */
function effortOf(effort: string | undefined): string | undefined {
  if (!effort) return undefined;
  if (REASONING_EFFORTS.some((one) => one === effort)) return effort;
  throw new BadValue("reasoning.effort", effort, `it must be one of ${REASONING_EFFORTS.join(", ")}`);
}

/** `output:` as JSON Schema, for providers that can hold a model to one. */
export function toJsonSchema(fields: OutputFields): JsonSchema {
  const required = Object.entries(fields).flatMap(([name, field]) => (field.required === false ? [] : [name]));
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, ofField(field)]));
  return { type: "object", properties, required };
}

/** The output, or an envelope of one of the kinds that the agent may raise. */
function schemaOf(fields: OutputFields, kinds: readonly string[]): JsonSchema {
  if (kinds.length === 0) return toJsonSchema(fields);
  const envelope = {
    type: "object",
    properties: {
      conductor_error: { const: true },
      kind: { type: "string", enum: kinds },
      message: { type: "string", description: "What happened, for people." },
      details: { type: "object", description: "Whatever helps to deal with it." },
    },
    required: ["conductor_error", "kind", "message"],
  };
  return { anyOf: [toJsonSchema(fields), envelope] };
}

/** Providers refuse a schema whose pattern they cannot read; the output is held against it here in any case. */
function isPlainPattern(pattern: string): boolean {
  if (/\(\?(?!:)|\\[AZz1-9]/.test(pattern)) return false;
  return unlessItThrows(() => new RegExp(pattern, "u"), undefined) !== undefined;
}

function ofField(field: OutputField): JsonSchema {
  const { type, items, properties, nullable, required: _, pattern, ...plain } = field;
  const rest = pattern !== undefined && isPlainPattern(pattern) ? { ...plain, pattern } : plain;
  const base = type === "object" && properties ? toJsonSchema(properties) : {};
  const values = rest.enum && nullable ? { enum: [...rest.enum, null] } : {};
  return {
    ...base,
    ...rest,
    ...values,
    ...(items ? { items: ofField(items) } : {}),
    type: nullable ? [type, "null"] : type,
  };
}

/** What calls to a model used, recorded call by call; sums are made from the events. */
export function tellUsage(
  attempt: Attempt,
  purpose: "answer" | "recovery" | "validator" | "dialog",
  usage: ModelUsage,
): void {
  if (Object.keys(usage).length === 0) return;
  attempt.emit("agent_usage", { agent_name: attempt.node, purpose, ...usage });
}

const WARN_BYTES = 65_536;
const MAX_BYTES = 163_840;

export interface SkillText {
  readonly text: string;
  readonly bytes: number;
  /** Set when they take more than `warn_bytes`. */
  readonly over?: number;
}

/** An agent that says `skills` has those alone (none, when the list is empty); otherwise it has the runtime's. */
export function skillText(step: AgentStep, { workflow }: StepScope): SkillText | undefined {
  const { runtime } = workflow;
  const names = step.skills ?? (Array.isArray(runtime.skills) ? runtime.skills.map(String) : []);
  const skills = names.flatMap((name) => workflow.skills?.get(name) ?? []);
  if (skills.length === 0) return undefined;
  const { framesInstructions: isFramed = false } = workflow.rules ?? {};
  const texts = skills.map((skill) => tagged(skill, isFramed));
  const text = isFramed
    ? `<skills>\n${SKILLS_HEAD}\n\n${texts.join("\n\n")}\n</skills>`
    : ["<skills>", ...texts, "</skills>"].join("\n");
  const bytes = Buffer.byteLength(text);
  const limits = isMapping(runtime.skill_injection) ? runtime.skill_injection : {};
  const max = limitOf(limits.max_bytes, MAX_BYTES);
  if (bytes > max)
    throw new BadValue(
      "skills",
      names,
      `together they take ${bytes} bytes of the prompt, and runtime.skill_injection.max_bytes allows ${max}`,
    );
  const warn = limitOf(limits.warn_bytes, WARN_BYTES);
  return { text, bytes, ...(bytes > warn ? { over: warn } : {}) };
}

const SKILLS_HEAD = "These are your skills. Look at the one whose description fits what you are asked for.";

function tagged({ name, parts }: Skill, isFramed: boolean): string {
  const texts = isFramed
    ? parts.filter(({ text }) => text !== "").map((part) => `# ${part.name}\n\n${part.text}`)
    : parts.map(({ text }) => text);
  return `<skill name="${name}">\n${texts.join(isFramed ? BETWEEN_INSTRUCTIONS : "\n\n")}\n</skill>`;
}

/** `null` is no limit. */
const limitOf = (written: unknown, fallback: number): number =>
  written === null ? Number.POSITIVE_INFINITY : typeof written === "number" ? written : fallback;

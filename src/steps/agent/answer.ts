// What a model's answer is: the step's output, an error that the agent raised, or something that fits neither.

import { claimsToBeEnvelope, parseEnvelope, type Raised, raised } from "../../errors/index.ts";
import { isMapping } from "../../errors/mapping.ts";
import { isTooDeep, NestedTooDeeply, parseJson } from "../../json/bounded.ts";
import { unwrapped } from "../../providers/answer.ts";
import { envelopeInText } from "../envelope-in-text.ts";
import { fromAuthor, malformedEnvelope } from "../error-channel.ts";
import { type OutputFields, schemaViolation } from "../output-schema.ts";

export type ReadAnswer =
  /** `warning` is about an error that the agent may have meant to raise and did not. */
  | { readonly type: "output"; readonly output: unknown; readonly warning?: string }
  /** `output` is what it wrote before it raised. */
  | { readonly type: "raised"; readonly error: Raised; readonly output?: unknown }
  /** Worth asking again; `error` is what the step raises when that does not help. */
  | { readonly type: "unfit"; readonly error: Raised; readonly reason: "syntax" | "schema"; readonly output: unknown };

export interface Expectations {
  readonly node: string;
  readonly output?: OutputFields;
  /** The text is the answer, whatever it looks like. */
  readonly raw?: true;
  /** The step opted in to typed errors: an envelope at the end of free text counts. */
  readonly optedIn?: boolean;
}

/** An envelope is looked for first, whatever the schema says: an agent has no other channel. */
export async function readAnswer(content: unknown, expected: Expectations): Promise<ReadAnswer> {
  const { node, output: fields, raw, optedIn } = expected;
  const whole = typeof content === "string" ? (parsed(content.trim()) ?? content) : content;
  if (claimsToBeEnvelope(whole)) return readEnvelope(whole, node);
  if (typeof content === "string" && isEnvelopeTooDeep(content)) return unusable(node, new NestedTooDeeply().message);
  if (optedIn && fields === undefined && typeof content === "string") return freeText(content, node);
  if (raw)
    return { type: "output", output: { result: typeof content === "string" ? content : JSON.stringify(content) } };
  const output = isMapping(content) ? content : { result: content };
  if (fields === undefined) return { type: "output", output };

  const read = isMapping(whole) ? whole : typeof content === "string" ? objectIn(content) : undefined;
  const found = read && withoutWrappers(read, fields);
  if (found === undefined) {
    const reason = "it is not a JSON object";
    const error = raised(
      "internal.schema_violation",
      `the answer of ${node} does not fit its \`output:\`: ${reason}.`,
      {
        node,
        source: "agent",
        reason,
        failed_field: null,
      },
    );
    return { type: "unfit", error, reason: "syntax", output };
  }
  const error = await schemaViolation(node, "agent", fields, found);
  return error ? { type: "unfit", error, reason: "schema", output: found } : { type: "output", output: found };
}

/** The text of an agent that may raise: models put the envelope into a fence, or write a sentence before it. */
function freeText(text: string, node: string): ReadAnswer {
  const output = { result: text };
  const found = envelopeInText(text);
  if (!found) return { type: "output", output };
  if (found.type === "unusable") return { type: "output", output, warning: notRaised(node, found.reason) };
  const before = found.before === "" ? {} : { output: { result: found.before } };
  return { type: "raised", error: fromAuthor(node, found.error), ...before };
}

const notRaised = (node: string, reason: string): string =>
  `the answer of ${node} holds an error envelope that was not raised: ${reason}. The answer counts as a success. To raise, the answer must end with exactly one object such as {"conductor_error": true, "kind": "external.git.drift", "message": "what happened"}.`;

/**
 * Models like to wrap a scalar: `{"title": {"value": "x"}}`. As in Conductor, that is not worth another call, where the
 * key says that it is a wrapper: `{"title": {"error": "I could not"}}` is no title.
 */
function withoutWrappers(answer: Record<string, unknown>, fields: OutputFields): Record<string, unknown> {
  const entries = Object.entries(answer).map(([name, value]) => {
    const type = Object.hasOwn(fields, name) ? fields[name]?.type : undefined;
    if (!isMapping(value) || type === "object") return [name, value] as const;
    const key = [name, "value", "result"].find((one) => Object.hasOwn(value, one) && typeof value[one] === type);
    return [name, key === undefined ? value : value[key]] as const;
  });
  return Object.fromEntries(entries);
}

/** An error that is nested too deeply to be read is no success: the agent meant to raise. */
function isEnvelopeTooDeep(text: string): boolean {
  try {
    const value: unknown = unwrapped(JSON.parse(text));
    return claimsToBeEnvelope(value) && isTooDeep(value);
  } catch {
    return false;
  }
}

const unusable = (node: string, reason: string): ReadAnswer => ({
  type: "unfit",
  error: malformedEnvelope(node, "agent", reason),
  reason: "schema",
  output: undefined,
});

function readEnvelope(value: unknown, node: string): ReadAnswer {
  const envelope = parseEnvelope(value);
  if (envelope.ok) return { type: "raised", error: fromAuthor(node, envelope.error) };
  const error = malformedEnvelope(node, "agent", envelope.reason, envelope.field);
  return { type: "unfit", error, reason: "schema", output: value };
}

/** The JSON object in a text: in a fenced block, or from the first brace to the last. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const fenced = [...text.matchAll(/```(?:json)?[ \t]*\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
  const braced = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return [...fenced, braced].map((candidate) => parsed(candidate)).find(isMapping);
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

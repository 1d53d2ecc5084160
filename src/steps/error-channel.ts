// What the error file of a script says: nothing, an envelope, or something that is neither and must not be overlooked.

import { isEngineKind, parseEnvelope, type Raised, raised } from "../errors/index.ts";
import { parseJson } from "../json/bounded.ts";
import type { ErrorFileContent } from "./process/error-file.ts";

export function readErrorChannel(node: string, content: ErrorFileContent): Raised | undefined {
  if ("unreadable" in content) return malformedEnvelope(node, "error_channel", content.unreadable);
  if (content.text === "") return undefined;
  let value: unknown;
  try {
    // PowerShell and friends like to begin a file with a byte order mark.
    value = parseJson(content.text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const { message } = error as Error;
    return malformedEnvelope(
      node,
      "error_channel",
      error instanceof SyntaxError ? `it is not JSON: ${message}` : message,
    );
  }
  const parsed = parseEnvelope(value);
  return parsed.ok
    ? fromAuthor(node, parsed.error)
    : malformedEnvelope(node, "error_channel", parsed.reason, parsed.field);
}

/**
 * An envelope as a script, an agent or an own step wrote it. Kinds of the engine mean that the engine saw something; a step that
 * claims one gets an error that says so. This is the only place that still knows who raised it; `declared` is filled in
 * when the outcome is settled.
 */
export function fromAuthor(node: string, error: Raised): Raised {
  if (!isEngineKind(error.kind)) return error;
  return raised(
    "internal.undeclared_kind",
    `${node} raised ${error.kind}, a kind that only the engine raises: ${error.message}. Choose a name of your own, such as external.git.drift.`,
    { original_kind: error.kind, original_message: error.message, original_details: error.details, declared: [] },
  );
}

const WHOLE = 'Write {"kind": "external.git.drift", "message": "what happened", "details": {}}';

/** What a step did to raise, and what it should have written. */
const WAYS = {
  error_channel: ["wrote an error file", WHOLE],
  agent: ["answered with an error envelope", WHOLE],
  step: ["raised an error", 'Write raised("external.git.drift", "what happened", {})'],
} as const;

/**
 * A step tried to raise and did it wrong. Unlike an output that does not fit its schema this is an envelope whether or
 * not the step opted in, so it says of itself that it is one.
 */
export function malformedEnvelope(node: string, source: keyof typeof WAYS, reason: string, field?: string): Raised {
  const [did, instead] = WAYS[source];
  return raised("internal.schema_violation", `${node} ${did} that cannot be used: ${reason}. ${instead}.`, {
    node,
    source,
    reason,
    failed_field: field ?? null,
    malformed_envelope: true,
  });
}

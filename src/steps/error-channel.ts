// What the error file of a script says: nothing, an envelope, or something that is neither and must not be overlooked.
import { isEngineKind, parseEnvelope, type Raised, raised } from "../errors/index.ts";
import type { ErrorFileContent } from "./process/error-file.ts";

export function readErrorChannel(node: string, content: ErrorFileContent): Raised | undefined {
  if ("unreadable" in content) return malformedEnvelope(node, "error_channel", content.unreadable);
  if (content.text === "") return undefined;
  let value: unknown;
  try {
    // PowerShell and friends like to begin a file with a byte order mark.
    value = JSON.parse(content.text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return malformedEnvelope(node, "error_channel", `it is not JSON: ${(error as Error).message}`);
  }
  const parsed = parseEnvelope(value);
  return parsed.ok
    ? fromAuthor(node, parsed.error)
    : malformedEnvelope(node, "error_channel", parsed.reason, parsed.field);
}

/**
 * An envelope as a script or an agent wrote it. Kinds of the engine mean that the engine saw something; a step that
 * claims one is told so. This is the only place that still knows who raised it.
 */
export function fromAuthor(node: string, error: Raised): Raised {
  if (!isEngineKind(error.kind)) return error;
  return raised(
    "internal.undeclared_kind",
    `${node} raised ${error.kind}, a kind that only the engine raises: ${error.message}. Choose a name of your own, such as external.git.drift.`,
    { original_kind: error.kind, original_message: error.message, original_details: error.details, declared: [] },
  );
}

/**
 * A step tried to raise and did it wrong. Unlike an output that does not fit its schema this is an envelope whether or
 * not the step opted in, so it says of itself that it is one.
 */
export function malformedEnvelope(
  node: string,
  source: "error_channel" | "agent",
  reason: string,
  field?: string,
): Raised {
  const where = source === "agent" ? "answered with an error envelope" : "wrote an error file";
  return raised(
    "internal.schema_violation",
    `${node} ${where} that cannot be used: ${reason}. Write {"kind": "external.git.drift", "message": "what happened", "details": {}}.`,
    { node, source, reason, failed_field: field ?? null, malformed_envelope: true },
  );
}

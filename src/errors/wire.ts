// Envelopes as scripts and agents write them: JSON with a discriminator, checked once on the way in.
import { type Raised, raised } from "./envelope.ts";
import { isKind } from "./kinds.ts";
import { isMapping } from "./mapping.ts";

export type Parsed =
  | { readonly ok: true; readonly error: Raised }
  | { readonly ok: false; readonly reason: string; readonly field?: string };

const refuse = (reason: string, field?: string): Parsed =>
  field ? { ok: false, reason, field } : { ok: false, reason };

/** A value of JSON as a sentence names it: "the number 5". */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isMapping(value)) return "an object";
  const text = JSON.stringify(value);
  return typeof value === "boolean"
    ? text
    : `the ${typeof value === "string" ? "text" : "number"} ${text.slice(0, 60)}`;
}

/**
 * Reads an envelope. In the error file of a script the discriminator may be left out, since the channel says it
 * already; an agent's answer is an envelope only if it carries it (see `claimsToBeEnvelope`).
 */
export function parseEnvelope(value: unknown): Parsed {
  if (!isMapping(value)) return refuse("an error envelope is a JSON object");
  if ("conductor_error" in value && value.conductor_error !== true)
    return refuse("conductor_error must be true, or left out", "conductor_error");
  const { kind, message, details } = value;
  if (kind === undefined || kind === null)
    return refuse("kind is missing: a dotted lower-case name such as external.git.drift", "kind");
  if (typeof kind !== "string")
    return refuse(
      `kind is ${inWords(kind)}, but must be text: a dotted lower-case name such as external.git.drift`,
      "kind",
    );
  if (!isKind(kind))
    return refuse(`kind ${JSON.stringify(kind)} is not a dotted lower-case name such as external.git.drift`, "kind");
  if (message === undefined || message === null)
    return refuse("message is missing: a non-empty sentence for people", "message");
  if (typeof message !== "string")
    return refuse(`message is ${inWords(message)}, but must be text: a non-empty sentence for people`, "message");
  if (message === "") return refuse("message is empty: write a sentence for people", "message");
  if (details !== undefined && details !== null && !isMapping(details))
    return refuse(`details is ${inWords(details)}, but must be an object`, "details");
  return { ok: true, error: raised(kind, message, isMapping(details) ? details : {}) };
}

/** Whether an agent's answer says of itself that it is an envelope, well formed or not. */
export const claimsToBeEnvelope = (value: unknown): boolean => isMapping(value) && value.conductor_error === true;

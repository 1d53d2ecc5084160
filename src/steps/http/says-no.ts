// Which answers a step accepts, and answers of 2xx whose JSON says that it did not work.
import { isMapping } from "../../errors/mapping.ts";

export interface SaysNo {
  /** The field and its value, in words: `ok is false`. */
  readonly field: string;
  /** What else the answer says about it, if anything. */
  readonly said: string | undefined;
  /** A condition that is true for this answer and false for one without the field. */
  readonly when: string;
  /** A template for what the answer says. */
  readonly message: string;
}

const LONGEST = 200;

/** Why the body of an answer means a failure; nothing when it does not say so. */
export function saysNo(body: unknown): SaysNo | undefined {
  if (!isMapping(body)) return undefined;
  const refusal = refusalIn(body);
  if (!refusal) return undefined;
  const [path, said] = reasonIn(body);
  const message = path === undefined ? refusal.field : `{{ output.body.${path} }}`;
  return { ...refusal, said: said === undefined ? undefined : shortened(said), message };
}

function refusalIn(body: Record<string, unknown>): Pick<SaysNo, "field" | "when"> | undefined {
  for (const name of ["ok", "success"])
    if (body[name] === false)
      return { field: `${name} is false`, when: `output.body.${name} is defined and output.body.${name} == false` };
  const { status, errors, error } = body;
  if (status === "error" || status === "failed")
    return {
      field: `status is ${JSON.stringify(status)}`,
      when: `output.body.status | default('') == '${status}'`,
    };
  if (Array.isArray(errors) && errors.length > 0)
    return { field: "errors is not empty", when: "output.body.errors | default([]) | length > 0" };
  // `a and b` alone would be the text `None` for null, which a condition takes for true.
  if (!isEmpty(error))
    return { field: "error is not empty", when: "true if output.body.error | default(false) else false" };
  return undefined;
}

/** `error: false` and `error: 0` say that there is none, too. */
function isEmpty(value: unknown): boolean {
  if (!value) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMapping(value) && Object.keys(value).length === 0;
}

/** Where the answer says what went wrong, and what it says. */
function reasonIn(body: Record<string, unknown>): readonly [path: string, text: string] | readonly [] {
  const { error, errors } = body;
  const [first] = Array.isArray(errors) ? errors : [];
  const candidates: readonly (readonly [string, unknown])[] = [
    ["error", error],
    ["error.message", isMapping(error) ? error.message : undefined],
    ["errors[0]", first],
    ["errors[0].message", isMapping(first) ? first.message : undefined],
    ...["message", "detail", "title", "reason"].map((name) => [name, body[name]] as const),
  ];
  for (const [path, value] of candidates) if (typeof value === "string" && value.trim() !== "") return [path, value];
  return [];
}

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

/** The warning of the run. */
export function refusalWarning(node: string, status: number, { field, said, when, message }: SaysNo): string {
  const kind = `external.${node
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "_")
    .replace(/^(?![a-z])/, "step_")}.refused`;
  const what = said === undefined ? field : `${field}, ${JSON.stringify(said)}`;
  return `${node} answered ${status}, but its JSON says no: ${what}. The step counts as a success. To raise an error instead, add to the step: raise_when: [{ when: "{{ ${when} }}", kind: ${kind}, message: ${JSON.stringify(message)} }]`;
}

// Which statuses a step accepts: numbers, ranges such as `200-299`, and classes such as `2xx`.

export type AcceptedStatus = number | string;

const DEFAULT: readonly AcceptedStatus[] = ["200-399"];

export function isAccepted(status: number, accepted: readonly AcceptedStatus[] = DEFAULT): boolean {
  return accepted.some((one) => {
    if (typeof one === "number") return status === one;
    const [from, to = from] = one.trim().split(/\s*-\s*/);
    const bound = (text: string | undefined, digit: string): number => Number(text?.replaceAll(/x/gi, digit));
    return status >= bound(from, "0") && status <= bound(to, "9");
  });
}

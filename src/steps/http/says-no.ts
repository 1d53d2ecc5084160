// What an answer says is wrong: the reason of a refused status, and a 200 whose JSON says that it failed.
import { isMapping } from "../../base/errors/mapping.ts";

const LONGEST = 200;
const MOST_MESSAGES = 3;

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** The server's own reason: its sentence, and its first messages about single fields. Undefined if it gives none. */
export function saidIn(body: unknown): string | undefined {
  if (typeof body === "string") return body.length <= LONGEST && !body.includes("<") ? body.trim() : undefined;
  if (Array.isArray(body)) return joined(undefined, messagesIn(body));
  if (!isMapping(body)) return undefined;
  const { error, errors, message, detail, title, reason, error_description } = body;
  const inside: Readonly<Record<string, unknown>> = isMapping(error) ? error : {};
  const about = isMapping(detail) ? detail.message : detail;
  const sentence = [message, inside.message, error_description, error, about, title, reason].find(isText);
  // As an object these three are no list of messages.
  const lists = [detail, message, error].filter((list) => Array.isArray(list));
  return joined(sentence, [errors, inside.errors, inside.details, ...lists].flatMap(messagesIn));
}

function joined(sentence: string | undefined, messages: readonly string[]): string | undefined {
  const more = [...new Set(messages)].filter((one) => one !== sentence).slice(0, MOST_MESSAGES);
  const said = [...(sentence === undefined ? [] : [sentence]), ...(more.length > 0 ? [more.join("; ")] : [])];
  return said.length === 0 ? undefined : said.map(shortened).join(": ");
}

/** Messages of a list (of texts, or of objects as in GraphQL and FastAPI), or of a mapping from a field to its messages. */
function messagesIn(list: unknown): readonly string[] {
  if (Array.isArray(list)) return list.flatMap((one) => (isText(one) ? [one] : isMapping(one) ? messageOf(one) : []));
  if (!isMapping(list)) return [];
  return Object.entries(list).flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value])
      .flatMap((one) => (isText(one) ? [one] : isMapping(one) ? messageOf(one) : []))
      .map((one) => `${field}: ${one}`),
  );
}

function messageOf(one: Readonly<Record<string, unknown>>): readonly string[] {
  const said = [one.message, one.msg, one.detail, one.title, one.reason, one.description].find(isText);
  if (said === undefined) return [];
  const { loc, field } = one;
  const place = Array.isArray(loc) ? loc.join(".") : isText(field) ? field : undefined;
  return [place === undefined ? said : `${place}: ${said}`];
}

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
    return { field: `status is ${JSON.stringify(status)}`, when: `output.body.status | default('') == '${status}'` };
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
  for (const [path, value] of candidates) if (isText(value)) return [path, value];
  return [];
}

export function refusalWarning(node: string, status: number, { field, said, when, message }: SaysNo): string {
  const kind = `external.${node
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "_")
    .replace(/^(?![a-z])/, "step_")}.refused`;
  const what = said === undefined ? field : `${field}, ${JSON.stringify(said)}`;
  return `${node} answered ${status}, but its JSON says no: ${what}. The step counts as a success. To raise an error instead, add to the step: raise_when: [{ when: "{{ ${when} }}", kind: ${kind}, message: ${JSON.stringify(message)} }]`;
}
